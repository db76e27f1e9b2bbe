/* Implements the byte buffer: see buf.h. */
#include "writer/base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "writer/base/arena.h"
#include "writer/base/error.h"

void tp_buf_init(struct tp_buf *buf, size_t max_bytes)
{
    memset(buf, 0, sizeof *buf);
    buf->max_bytes = max_bytes;
}

void tp_buf_release(struct tp_buf *buf)
{
    free(buf->data);
    buf->data = NULL;
    buf->size = buf->capacity = 0;
}

void tp_buf_clear(struct tp_buf *buf)
{
    buf->size = 0;
    buf->failed = 0;
    if (buf->data)
        buf->data[0] = '\0';
}

int tp_buf_reserve(struct tp_buf *buf, size_t size)
{
    size_t want, capacity = buf->capacity ? buf->capacity : 256;
    if (buf->failed)
        return buf->failed;
    if (__builtin_add_overflow(buf->size, size, &want) || want > SIZE_MAX / 4)
        return buf->failed = TP_ENOMEM;
    if (buf->max_bytes && want > buf->max_bytes)
        return buf->failed = TP_ELIMIT;
    if (want < buf->capacity)
        return 0;
    while (capacity <= want)
        capacity *= 2;
    char *data = realloc(buf->data, capacity);
    if (!data)
        return buf->failed = TP_ENOMEM;
    buf->data = data;
    buf->capacity = capacity;
    return 0;
}

void tp_buf_add(struct tp_buf *buf, const void *bytes, size_t size)
{
    if (buf->failed || (buf->size + size >= buf->capacity && tp_buf_reserve(buf, size)))
        return;
    if (buf->max_bytes && buf->size + size > buf->max_bytes) {
        buf->failed = TP_ELIMIT;
        return;
    }
    if (size)
        memcpy(buf->data + buf->size, bytes, size);
    buf->size += size;
    buf->data[buf->size] = '\0';
}

void tp_buf_puts(struct tp_buf *buf, const char *text)
{
    tp_buf_add(buf, text, strlen(text));
}

void tp_buf_putc(struct tp_buf *buf, char c)
{
    tp_buf_add(buf, &c, 1);
}

void tp_buf_printf(struct tp_buf *buf, const char *format, ...)
{
    char small[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n < 0)
        return;
    if ((size_t)n < sizeof small) {
        tp_buf_add(buf, small, (size_t)n);
        return;
    }
    if (tp_buf_reserve(buf, (size_t)n))
        return;
    va_start(args, format);
    vsnprintf(buf->data + buf->size, (size_t)n + 1, format, args);
    va_end(args);
    buf->size += (size_t)n;
}

void tp_buf_int(struct tp_buf *buf, int64_t value)
{
    char digits[24], *at = digits + sizeof digits;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (value < 0)
        *--at = '-';
    tp_buf_add(buf, at, (size_t)(digits + sizeof digits - at));
}

struct move {
    const struct tp_buf *buf;
    struct tp_arena *arena;
    char *copy;
};

static int copy_text(void *context, struct tp_error *err)
{
    struct move *move = context;
    (void)err;
    move->copy = tp_arena_copy(move->arena, move->buf->data ? move->buf->data : "", move->buf->size);
    return TP_OK;
}

char *tp_buf_move(struct tp_buf *buf, struct tp_arena *arena)
{
    struct move move = {buf, arena, NULL};
    int failed = buf->failed;
    tp_arena_run(arena, copy_text, &move, NULL);
    tp_buf_release(buf);
    tp_arena_fail_with_stored_code(arena);
    if (failed) /* after a failure, the text is incomplete and must not be used */
        tp_arena_fail(arena, failed);
    return move.copy;
}
