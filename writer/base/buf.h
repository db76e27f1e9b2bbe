/* A growing byte buffer with a maximum and a sticky failure, for building output text.
 *
 * Invariant: data[size] is NUL whenever data is not NULL. After a failed append (no memory, maximum reached) `failed`
 * is set, nothing is appended any more, and the closing call (whoever writes the bytes out) reports it once. */
#ifndef TP_WRITER_BASE_BUF_H
#define TP_WRITER_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

struct tp_arena;

struct tp_buf {
    char *data;
    size_t size, capacity, max_bytes;
    int failed; /* 0, TP_ENOMEM or TP_ELIMIT */
};

/* max_bytes: most bytes it may hold; 0 for no limit. Nothing is allocated yet. */
void tp_buf_init(struct tp_buf *buf, size_t max_bytes);
void tp_buf_release(struct tp_buf *buf);
/* Empties it, keeps the memory, forgets a failure. */
void tp_buf_clear(struct tp_buf *buf);
/* Makes room for `size` more bytes; returns 0 or the sticky code. */
int tp_buf_reserve(struct tp_buf *buf, size_t size);
void tp_buf_add(struct tp_buf *buf, const void *bytes, size_t size);
void tp_buf_puts(struct tp_buf *buf, const char *text);
void tp_buf_putc(struct tp_buf *buf, char c);
void tp_buf_printf(struct tp_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Moves the text, NUL-terminated, into the arena and releases the buffer, also when the arena has no room or an append
 * failed before (then it leaves through the arena's guard). */
char *tp_buf_move(struct tp_buf *buf, struct tp_arena *arena);
/* Decimal text of an integer; much faster than tp_buf_printf. */
void tp_buf_int(struct tp_buf *buf, int64_t value);

#endif
