/* Compresses with ISA-L or zlib. Both allocate only from the arena, so that a failed allocation may jump to the arena's
 * guard at any time. */
#include "writer/base/gzip_out.h"

#include <zlib.h>

#include "writer/base/deflate.h"
#include "writer/base/error.h"
#include "writer/base/vectors.h"

/* Returns an upper bound of the compressed size, bytes. Data that cannot be compressed is stored and reaches this
 * bound. */
static size_t compressed_size_bound(const struct tp_str *texts, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += texts[i].len;
    return size + size / 64 + 64 * 1024;
}

static void *zlib_alloc(void *arena, unsigned count, unsigned size)
{
    return tp_arena_array(arena, count, size);
}

static void zlib_free(void *arena, void *block)
{
    (void)arena;
    (void)block;
}

static struct tp_str compress_by_zlib(struct tp_arena *arena, const struct tp_str *texts, size_t count, int level)
{
    size_t capacity = compressed_size_bound(texts, count), done = 0;
    uint8_t *out = tp_arena_alloc(arena, capacity);
    z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = arena};
    gz_header header = {.os = TP_GZIP_SYSTEM};
    if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        tp_arena_fail(arena, TP_ENOMEM);
    deflateSetHeader(&stream, &header);
    for (size_t i = 0; i < count; i++) {
        size_t left = texts[i].len;
        int code;
        do {
            unsigned take = left > (1u << 30) ? 1u << 30 : (unsigned)left;
            unsigned room = capacity - done > (1u << 30) ? 1u << 30 : (unsigned)(capacity - done);
            bool is_last = i + 1 == count && take == left;
            stream.next_in = (uint8_t *)(uintptr_t)texts[i].ptr + (texts[i].len - left);
            stream.avail_in = take;
            stream.next_out = out + done;
            stream.avail_out = room;
            code = deflate(&stream, is_last ? Z_FINISH : Z_NO_FLUSH);
            if (code != Z_OK && code != Z_STREAM_END && take)
                tp_arena_fail(arena, TP_ENOMEM);
            left -= take - stream.avail_in;
            done += room - stream.avail_out;
        } while (left);
    }
    deflateEnd(&stream);
    return (struct tp_str){(char *)out, done};
}

struct tp_str tp_gzip_small(struct tp_arena *arena, const struct tp_str *texts, size_t count)
{
    return compress_by_zlib(arena, texts, count, 9);
}

#ifdef TP_HAVE_ISAL
#include <isa-l/igzip_lib.h>

struct tp_str tp_gzip_texts(struct tp_arena *arena, const struct tp_str *texts, size_t count)
{
    size_t capacity = compressed_size_bound(texts, count), done = 0;
    struct isal_zstream *stream = tp_arena_alloc(arena, sizeof *stream);
    uint8_t *out = tp_arena_alloc(arena, capacity);
    isal_deflate_init(stream);
    stream->level = 2;
    stream->level_buf_size = ISAL_DEF_LVL2_DEFAULT;
    stream->level_buf = tp_arena_alloc(arena, stream->level_buf_size);
    stream->gzip_flag = IGZIP_GZIP;
    for (size_t i = 0; i < count; i++) {
        size_t left = texts[i].len;
        do {
            uint32_t take = left > (1u << 30) ? 1u << 30 : (uint32_t)left;
            uint32_t room = capacity - done > (1u << 30) ? 1u << 30 : (uint32_t)(capacity - done);
            stream->next_in = (uint8_t *)(uintptr_t)texts[i].ptr + (texts[i].len - left);
            stream->avail_in = take;
            stream->next_out = out + done;
            stream->avail_out = room;
            stream->end_of_stream = i + 1 == count && take == left;
            if (isal_deflate(stream) != COMP_OK || (stream->avail_in == take && take && stream->avail_out == room))
                tp_arena_fail(arena, TP_ENOMEM);
            left -= take - stream->avail_in;
            done += room - stream->avail_out;
        } while (left);
    }
    tp_clear_upper_halves();
    tp_arena_free_item(arena, stream->level_buf, stream->level_buf_size);
    return (struct tp_str){(char *)out, done};
}

#else

struct tp_str tp_gzip_texts(struct tp_arena *arena, const struct tp_str *texts, size_t count)
{
    return compress_by_zlib(arena, texts, count, 4);
}
#endif
