/* Compresses a gzip member step by step: see deflate.h. */
#include "writer/base/deflate.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "writer/base/error.h"
#include "writer/base/vectors.h"

enum { OUT = 64 * 1024, MAX_PIECE = 1 << 30 };

#ifdef TP_HAVE_ISAL
#include <isa-l/igzip_lib.h>

struct tp_deflate {
    struct isal_zstream stream;
    struct isal_gzip_header header;
    bool has_header; /* true: the gzip header is not written yet */
    uint8_t *level_buf;
    uint8_t out[OUT];
};

static bool start_stream(struct tp_deflate *d, int level, const char *comment)
{
    isal_deflate_init(&d->stream);
    d->stream.level = level > 2 ? 2 : 1;
    d->stream.level_buf_size = level > 2 ? ISAL_DEF_LVL2_DEFAULT : ISAL_DEF_LVL1_DEFAULT;
    d->level_buf = malloc(d->stream.level_buf_size);
    d->stream.level_buf = d->level_buf;
    d->stream.gzip_flag = comment ? IGZIP_GZIP_NO_HDR : IGZIP_GZIP;
    isal_gzip_header_init(&d->header);
    d->header.os = TP_GZIP_SYSTEM;
    d->header.comment = (char *)(uintptr_t)comment;
    d->header.comment_buf_len = comment ? (uint32_t)strlen(comment) + 1 : 0;
    d->has_header = comment != NULL;
    return d->level_buf != NULL;
}

static void set_compressor_input(struct tp_deflate *d, const uint8_t *bytes, uint32_t size, bool is_last)
{
    d->stream.next_in = (uint8_t *)(uintptr_t)bytes;
    d->stream.avail_in = size;
    d->stream.end_of_stream = is_last;
}

/* Compresses into `out` until it is full or all input is consumed. Returns the number of bytes in `out`, or a negative
 * code. *is_more: true if another step is needed to get all output. */
static int32_t compress_into_output_buffer(struct tp_deflate *d, bool is_last, bool *is_more)
{
    d->stream.next_out = d->out;
    d->stream.avail_out = OUT;
    if (d->has_header && isal_write_gzip_header(&d->stream, &d->header) != 0)
        return TP_ENOMEM;
    d->has_header = false;
    int code = isal_deflate(&d->stream);
    tp_clear_upper_halves();
    if (code != COMP_OK)
        return TP_ENOMEM;
    *is_more =
        d->stream.avail_out == 0 || d->stream.avail_in > 0 || (is_last && d->stream.internal_state.state != ZSTATE_END);
    return (int32_t)(OUT - d->stream.avail_out);
}

static void end_stream(struct tp_deflate *d)
{
    free(d->level_buf);
}

#else
#include <zlib.h>

struct tp_deflate {
    z_stream stream;
    gz_header header;
    uint8_t out[OUT];
};

static bool start_stream(struct tp_deflate *d, int level, const char *comment)
{
    if (deflateInit2(&d->stream, level, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    d->header.os = TP_GZIP_SYSTEM;
    d->header.comment = (Bytef *)(uintptr_t)comment;
    return deflateSetHeader(&d->stream, &d->header) == Z_OK;
}

static void set_compressor_input(struct tp_deflate *d, const uint8_t *bytes, uint32_t size, bool is_last)
{
    (void)is_last;
    d->stream.next_in = (uint8_t *)(uintptr_t)bytes;
    d->stream.avail_in = size;
}

static int32_t compress_into_output_buffer(struct tp_deflate *d, bool is_last, bool *is_more)
{
    d->stream.next_out = d->out;
    d->stream.avail_out = OUT;
    int code = deflate(&d->stream, is_last ? Z_FINISH : Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        return TP_ENOMEM;
    *is_more = code != Z_STREAM_END && (d->stream.avail_out == 0 || d->stream.avail_in > 0 || is_last);
    return (int32_t)(OUT - d->stream.avail_out);
}

static void end_stream(struct tp_deflate *d)
{
    deflateEnd(&d->stream);
}
#endif

struct tp_deflate *tp_deflate_open(int level, const char *comment)
{
    struct tp_deflate *d = calloc(1, sizeof *d);
    if (d && !start_stream(d, level < 1 ? 1 : level > 9 ? 9 : level, comment)) {
        tp_deflate_close(d);
        return NULL;
    }
    return d;
}

int tp_deflate_add(struct tp_deflate *d, const void *bytes, size_t size, bool is_last, tp_deflate_sink sink,
                   void *context)
{
    const uint8_t *at = bytes;
    do {
        uint32_t piece = size > MAX_PIECE ? MAX_PIECE : (uint32_t)size;
        bool ends = is_last && piece == size, is_more = true;
        set_compressor_input(d, at, piece, ends);
        while (is_more) {
            int32_t n = compress_into_output_buffer(d, ends, &is_more);
            int code = n > 0 ? sink(context, d->out, (size_t)n) : n;
            if (code != 0)
                return code;
        }
        at += piece;
        size -= piece;
    } while (size);
    return TP_OK;
}

void tp_deflate_close(struct tp_deflate *d)
{
    if (!d)
        return;
    end_stream(d);
    free(d);
}
