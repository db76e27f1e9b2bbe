/* Inflates a gzip stream with ISA-L or zlib: see inflate.h. Only the functions member_* differ between the two
 * libraries. */
#include "webreport/trace/inflate.h"

#include <stdlib.h>
#include <string.h>

#include "writer/base/error.h"
#include "writer/base/vectors.h"

enum member_status { MEMBER_GOING, MEMBER_DONE, MEMBER_CORRUPT, MEMBER_CHECKSUM };

#ifdef TP_HAVE_ISAL
#include <isa-l/igzip_lib.h>

static void *open_gzip_stream(void)
{
    struct inflate_state *state = malloc(sizeof *state);
    if (state) {
        isal_inflate_init(state);
        state->crc_flag = ISAL_GZIP;
    }
    return state;
}

static void reset_gzip_stream(void *member)
{
    struct inflate_state *state = member;
    isal_inflate_reset(state);
    state->crc_flag = ISAL_GZIP;
}

static void close_gzip_stream(void *member)
{
    free(member);
}

static enum member_status inflate_gzip_member(struct tp_inflate *from, uint8_t **out, size_t *size)
{
    struct inflate_state *state = from->state;
    state->next_in = (uint8_t *)from->in;
    state->avail_in = (uint32_t)from->in_size;
    state->next_out = *out;
    state->avail_out = (uint32_t)*size;
    int code = isal_inflate(state);
    tp_clear_upper_halves();
    from->in = state->next_in;
    from->in_size = state->avail_in;
    *out = state->next_out;
    *size = state->avail_out;
    if (code == ISAL_INCORRECT_CHECKSUM)
        return MEMBER_CHECKSUM;
    if (code < 0)
        return MEMBER_CORRUPT;
    return state->block_state == ISAL_BLOCK_FINISH ? MEMBER_DONE : MEMBER_GOING;
}

#else
#include <zlib.h>

static void *open_gzip_stream(void)
{
    z_stream *stream = calloc(1, sizeof *stream);
    if (stream && inflateInit2(stream, 15 + 16) != Z_OK) {
        free(stream);
        return NULL;
    }
    return stream;
}

static void reset_gzip_stream(void *member)
{
    inflateReset(member);
}

static void close_gzip_stream(void *member)
{
    inflateEnd(member);
    free(member);
}

static enum member_status inflate_gzip_member(struct tp_inflate *from, uint8_t **out, size_t *size)
{
    z_stream *stream = from->state;
    stream->next_in = (Bytef *)from->in;
    stream->avail_in = (uInt)from->in_size;
    stream->next_out = *out;
    stream->avail_out = (uInt)*size;
    int code = inflate(stream, Z_NO_FLUSH);
    from->in = stream->next_in;
    from->in_size = stream->avail_in;
    *out = stream->next_out;
    *size = stream->avail_out;
    if (code == Z_STREAM_END)
        return MEMBER_DONE;
    if (code == Z_OK || code == Z_BUF_ERROR)
        return MEMBER_GOING;
    return stream->msg && strcmp(stream->msg, "incorrect data check") == 0 ? MEMBER_CHECKSUM : MEMBER_CORRUPT;
}
#endif

int tp_inflate_open(struct tp_inflate *inflate)
{
    memset(inflate, 0, sizeof *inflate);
    inflate->state = open_gzip_stream();
    return inflate->state ? TP_OK : TP_ENOMEM;
}

void tp_inflate_close(struct tp_inflate *inflate)
{
    if (inflate->state)
        close_gzip_stream(inflate->state);
    inflate->state = NULL;
}

void tp_inflate_feed(struct tp_inflate *inflate, const void *bytes, size_t size)
{
    inflate->in = bytes;
    inflate->in_size = size;
}

/* Starts the next gzip member. Returns false if padding or garbage follows the last member instead. */
static bool begin_next_gzip_member(struct tp_inflate *inflate)
{
    if (inflate->in[0] == 0x1F) {
        reset_gzip_stream(inflate->state);
        inflate->is_between_members = false;
        return true;
    }
    for (size_t i = 0; i < inflate->in_size; i++)
        inflate->has_trailing_data |= inflate->in[i] != 0;
    inflate->in_size = 0;
    return false;
}

size_t tp_inflate_run(struct tp_inflate *inflate, void *out, size_t size)
{
    uint8_t *at = out;
    size_t left = size;
    while (left && inflate->end == TP_INFLATE_RUNNING) {
        if (inflate->is_between_members && (inflate->in_size == 0 || !begin_next_gzip_member(inflate)))
            break;
        size_t in_before = inflate->in_size, out_before = left;
        enum member_status status = inflate_gzip_member(inflate, &at, &left);
        if (status == MEMBER_CORRUPT)
            inflate->end = TP_INFLATE_BAD_DATA;
        else if (status == MEMBER_CHECKSUM)
            inflate->end = TP_INFLATE_BAD_CHECKSUM;
        else if (status == MEMBER_DONE)
            inflate->is_between_members = true;
        else if (in_before == inflate->in_size && out_before == left)
            break; /* the library made no progress, so it needs more input */
    }
    return size - left;
}

bool tp_inflate_is_cut(const struct tp_inflate *inflate)
{
    return inflate->end == TP_INFLATE_RUNNING && !inflate->is_between_members;
}
