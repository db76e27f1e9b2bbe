/* A growing byte buffer for output text, with a maximum size. The first failure is stored and stops all later appends.
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

/* Initializes a buffer without allocating memory. max_bytes: largest number of bytes that it may contain, or 0 for no
 * limit. */
void tp_buf_init(struct tp_buf *buf, size_t max_bytes);
void tp_buf_release(struct tp_buf *buf);
/* Empties the buffer and resets `failed`, but keeps the memory. */
void tp_buf_clear(struct tp_buf *buf);
/* Makes room for `size` more bytes. Returns 0, or the code in `failed` after a failure. */
int tp_buf_reserve(struct tp_buf *buf, size_t size);
void tp_buf_add(struct tp_buf *buf, const void *bytes, size_t size);
void tp_buf_puts(struct tp_buf *buf, const char *text);
void tp_buf_putc(struct tp_buf *buf, char c);
void tp_buf_printf(struct tp_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Moves the NUL-terminated text into the arena and releases the buffer. If an append failed before, or the arena cannot
 * allocate, jumps to the arena's guard after releasing the buffer. */
char *tp_buf_move(struct tp_buf *buf, struct tp_arena *arena);
/* Appends a decimal integer; much faster than tp_buf_printf. */
void tp_buf_int(struct tp_buf *buf, int64_t value);

#endif
