/* Handles UTF-8 as defined in Unicode 3.9: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef TP_WRITER_BASE_UTF8_H
#define TP_WRITER_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the length of the well-formed character at `text` (left >= 1 bytes), bytes. If the character is ill-formed,
 * returns minus the length of its maximal ill-formed subpart, which Python's "replace" turns into one U+FFFD. */
int tp_utf8_length(const char *text, size_t left);

/* Returns the code point of the well-formed character at `text`. length: its length as tp_utf8_length returns it. */
uint32_t tp_utf8_get(const char *text, int length);

/* Writes a character as UTF-8 and returns its length, 1 to 4 bytes. An invalid character (a surrogate, above U+10FFFF)
 * becomes U+FFFD. */
size_t tp_utf8_put(char bytes[4], uint32_t character);

/* Returns whether the byte is a continuation byte: inside a character, but not its first byte. */
static inline bool tp_utf8_is_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Returns the number of characters in a text. */
size_t tp_utf8_count(const char *text, size_t size);

/* Returns the length of the longest prefix of a text that has at most max_bytes and does not cut a character, bytes. */
size_t tp_utf8_fitting_bytes(const char *text, size_t size, size_t max_bytes);

/* Returns the code point of the bidirectional control at `text` (U+061C, U+200E, U+200F, U+202A..E, U+2066..9), which
 * can make a line look different; 0 for other characters. Controls below U+0800 have two bytes, the others three. */
unsigned tp_utf8_bidi_length(const char *text, size_t left);

/* Returns whether every byte is ASCII, at several GB/s. */
bool tp_utf8_is_ascii(const char *p, size_t size);

/* Returns whether a byte is a control character other than tab, line feed and carriage return, at several GB/s. */
bool tp_utf8_has_control(const char *p, size_t size);

/* Returns whether the text is well formed. *rest: number of bytes at the end that may be the beginning of a character,
 * and that are not treated as ill-formed. */
bool tp_utf8_is_valid(const char *p, size_t size, size_t *rest);

#endif
