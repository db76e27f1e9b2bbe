/* UTF-8 as Unicode 3.9 defines it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef TP_WRITER_BASE_UTF8_H
#define TP_WRITER_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the well-formed character at `text` (left >= 1 bytes there), or minus the length of the maximal ill-formed
 * subpart: what Python's "replace" turns into one U+FFFD. */
int tp_utf8_length(const char *text, size_t left);

/* Writes a character as UTF-8; its bytes, 1 to 4. One that is none (a surrogate, above U+10FFFF) becomes U+FFFD. */
size_t tp_utf8_put(char bytes[4], uint32_t character);

/* Whether a byte stands inside a character: it is not the first one. */
static inline bool tp_utf8_is_inside(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Characters of a text: bytes that begin one. */
size_t tp_utf8_count(const char *text, size_t size);

/* Bytes that are kept of a text of which at most max_bytes may be: not a part of a character. */
size_t tp_utf8_cut(const char *text, size_t size, size_t max_bytes);

/* The bidirectional control at `text` (U+061C, U+200E, U+200F, U+202A..E, U+2066..9), which makes a line read as
 * another one; 0: there is none. Those below U+0800 take two bytes, the others three. */
unsigned tp_utf8_bidi(const char *text, size_t left);

/* True when every byte is ASCII; several GB/s. */
bool tp_utf8_is_ascii(const char *p, size_t size);

/* True when a byte is a control character other than tab, line feed and carriage return; several GB/s. */
bool tp_utf8_has_control(const char *p, size_t size);

/* True when the text is well formed. *rest: bytes at the end that may be the beginning of a character (not counted as
 * ill). */
bool tp_utf8_is_valid(const char *p, size_t size, size_t *rest);

#endif
