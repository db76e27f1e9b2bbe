/* A growing byte buffer with a maximum size and a sticky error, for building output text.
 *
 * Invariant: data[size] is NUL if data is not NULL. A failed append (no memory, maximum reached) sets `failed`, and
 * later appends do nothing. The function that finally writes the bytes reports the failure once. */
#ifndef TP_WRITER_BASE_BUF_H
#define TP_WRITER_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

struct tp_arena;

struct tp_buf {
    char *data;
    size_t size, capacity, max_bytes;
    int failed; /* code of the first append that failed, TP_ENOMEM or TP_ELIMIT; 0: no failure */
};

/* Initializes a buffer. max_bytes: most bytes that it may contain, or 0 for no limit. Allocates nothing yet. */
void tp_buf_init(struct tp_buf *buf, size_t max_bytes);
void tp_buf_release(struct tp_buf *buf);
/* Empties the buffer, but keeps its memory. Resets `failed`. */
void tp_buf_clear(struct tp_buf *buf);
/* Makes room for `size` more bytes. Returns 0, or the code in `failed` after a failure. */
int tp_buf_reserve(struct tp_buf *buf, size_t size);
void tp_buf_add(struct tp_buf *buf, const void *bytes, size_t size);
void tp_buf_puts(struct tp_buf *buf, const char *text);
void tp_buf_putc(struct tp_buf *buf, char c);
void tp_buf_printf(struct tp_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Moves the NUL-terminated text into the arena and releases the buffer. If the arena has no room or an append failed
 * before, releases the buffer and jumps to the arena's guard. */
char *tp_buf_move(struct tp_buf *buf, struct tp_arena *arena);
/* Appends an integer in decimal; much faster than tp_buf_printf. */
void tp_buf_int(struct tp_buf *buf, int64_t value);

#endif
