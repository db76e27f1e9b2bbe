/* Fast functions that append numbers, times and JSON strings, for text that is written millions of times.
 *
 * The tp_put_* functions with a `char *at` write to memory that the caller has reserved (tp_buf_reserve or tp_put_at).
 * They return the position after the last byte and write no NUL. Each constant TP_PUT_* is the largest number of bytes
 * that one function may write. Pure, any thread. */
#ifndef TP_WRITER_BASE_PUT_H
#define TP_WRITER_BASE_PUT_H

#include <stdint.h>
#include <string.h>

#include "writer/base/buf.h"
#include "writer/base/str.h"

enum {
    /* room for tp_put_int and tp_put_uint, bytes; short numbers need it too, because eight bytes are stored together */
    TP_PUT_INT = 20,
    TP_PUT_US = 22,   /* room for tp_put_us, bytes */
    TP_PUT_REAL = 32, /* room for tp_put_real, bytes */
};

/* Reserves `room` bytes in `buf`. Returns the position for the next byte, or NULL after a failure. */
static inline char *tp_put_at(struct tp_buf *buf, size_t room)
{
    if (buf->failed || (buf->size + room >= buf->capacity && tp_buf_reserve(buf, room)))
        return NULL;
    return buf->data + buf->size;
}

/* Completes an append that began with tp_put_at. at: position after the last byte. */
static inline void tp_put_finish(struct tp_buf *buf, char *at)
{
    *at = '\0';
    buf->size = (size_t)(at - buf->data);
}

static inline char *tp_put_bytes(char *at, const char *bytes, size_t size)
{
    memcpy(at, bytes, size);
    return at + size;
}

/* Appends one character to `buf`. */
static inline void tp_put_char(struct tp_buf *buf, char c)
{
    char *at = tp_put_at(buf, 1);
    if (!at)
        return;
    *at = c;
    tp_put_finish(buf, at + 1);
}

#define TP_PUT_TEXT(at, literal) tp_put_bytes((at), (literal), sizeof(literal) - 1)

char *tp_put_uint(char *at, uint64_t value);
char *tp_put_int(char *at, int64_t value);
/* Writes nanoseconds as microseconds with exactly three decimals: 12.000, -0.005 */
char *tp_put_us(char *at, int64_t ns);
/* Writes a double with the fewest digits from which the same value is read back; "null" for NaN and infinities. */
char *tp_put_real(char *at, double value);

/* Appends `text` as a JSON string with quotes. Escapes control characters, and replaces ill-formed UTF-8 with U+FFFD.
 * Appends at most max_bytes of `text`, cut between characters. Returns whether the text was cut. text.ptr NULL gives an
 * empty string. */
bool tp_put_string(struct tp_buf *buf, struct tp_str text, size_t max_bytes);

/* Returns whether `text` is one JSON value (RFC 8259, UTF-8, nesting up to `max_depth` <= 1024). Spaces around the
 * value are allowed. */
bool tp_put_is_json(struct tp_str text, unsigned max_depth);

#endif
