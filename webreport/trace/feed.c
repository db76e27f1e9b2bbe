/* Moves a window over the text of an input, block by block. The function `fill_block_with_text` fills the blocks,
 * either when the reader needs one or on a thread that fills a ring of blocks.
 *
 * Each block has room before its text for the unread rest of the previous block. So only this rest (a part of one
 * event, mostly under a kilobyte) is copied, never a block. A longer rest goes to the buffer `long_text` until it is
 * consumed. */
#include "webreport/trace/feed.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "webreport/trace/inflate.h"
#include "writer/base/input.h"
#include "writer/base/limits.h"
#include "writer/base/sha256.h"
#include "writer/base/utf8.h"

enum {
    HEAD = 64 * 1024,       /* room before the text of a block for the unread rest of the previous block, bytes */
    BLOCK = 256 * 1024,     /* size of the text of one block, bytes */
    FILE_PART = 128 * 1024, /* maximum size of one read, bytes */
    RING = 8,
    THREAD_FROM = 768 * 1024 /* minimum size of an input for which a second thread is worth its cost, bytes */
};

struct block {
    char *memory; /* buffer of HEAD + BLOCK + TP_FEED_PAD bytes */
    size_t size;
    int status; /* 1: the block has text, 0: end of the input, <0: enum tp_status */
};

struct tp_feed {
    struct tp_feed_options options;
    struct tp_feed_report report;
    struct tp_error error; /* error of the filling thread or function; read only after filling has finished */

    struct tp_input file; /* fd is -1 if the input is not a file */
    const uint8_t *bytes; /* unread part of an input in memory; NULL for a file */
    size_t bytes_left;
    uint8_t *file_part;
    const uint8_t *in; /* bytes as stored in the file, not yet inflated */
    size_t in_size;
    struct tp_sha256 sha256;
    struct tp_inflate inflate;
    bool has_started, input_ended, has_hash;
    char cut[4]; /* first bytes of a character that is split by the end of a block */
    size_t cut_size;

    struct block ring[RING];
    bool has_thread, must_stop;
    /* true while the filling or the reading thread sleeps. Only a sleeping thread is woken, because waking costs a
     * system call. */
    bool filler_waits, reader_waits;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned filled, taken; /* number of all blocks put into the ring so far, and number of all blocks taken out of
                               it */

    char *long_text;
    size_t long_capacity;
    const char *window_end;
    uint64_t text_end; /* offset of the window's end in the whole text, bytes */
};

/* ---- filling of blocks ---- */

static void add_to_hash(struct tp_feed *feed, const uint8_t *bytes, size_t size)
{
    if (!feed->options.skips_hash)
        tp_sha256_add(&feed->sha256, bytes, size);
}

/* Copies the bytes to the descriptor copy_fd, so that the input can be read a second time. */
static int copy_input(struct tp_feed *feed, const uint8_t *bytes, size_t size)
{
    for (size_t done = 0; feed->options.copy_fd > 0 && done < size;) {
        ssize_t n = write(feed->options.copy_fd, bytes + done, size - done);
        if (n < 0 && errno != EINTR)
            return tp_error_set(&feed->error, TP_EIO, feed->report.file_bytes, "cannot keep a copy: %s",
                                strerror(errno));
        done += n > 0 ? (size_t)n : 0;
    }
    return TP_OK;
}

/* Reads up to `capacity` bytes of the file. Sets *size to 0 at the end of the file. */
static int read_input_bytes(struct tp_feed *feed, uint8_t *out, size_t capacity, size_t *size)
{
    int code = tp_input_read(size, &feed->file, out, capacity, feed->report.file_bytes, &feed->error);
    feed->report.file_bytes += *size;
    add_to_hash(feed, out, *size);
    return code < 0 ? code : copy_input(feed, out, *size);
}

/* Sets feed->in to the next stored bytes, or to no bytes at the end of the input. */
static int read_input(struct tp_feed *feed)
{
    feed->in = feed->file_part;
    if (!feed->bytes)
        return read_input_bytes(feed, feed->file_part, FILE_PART, &feed->in_size);
    feed->in = feed->bytes;
    feed->in_size = feed->bytes_left < FILE_PART ? feed->bytes_left : FILE_PART;
    feed->bytes += feed->in_size;
    feed->bytes_left -= feed->in_size;
    feed->report.file_bytes += feed->in_size;
    add_to_hash(feed, feed->in, feed->in_size);
    return TP_OK;
}

/* Reads the first bytes, and recognizes gzip by its magic number. */
static int detect_compression(struct tp_feed *feed)
{
    int code = read_input(feed);
    feed->has_started = true;
    if (code < 0)
        return code;
    feed->report.is_gzip = feed->in_size >= 2 && feed->in[0] == 0x1F && feed->in[1] == 0x8B;
    if (!feed->report.is_gzip)
        return TP_OK;
    if (tp_inflate_open(&feed->inflate) < 0)
        return tp_error_set(&feed->error, TP_ENOMEM, 0, "out of memory");
    tp_inflate_feed(&feed->inflate, feed->in, feed->in_size);
    return TP_OK;
}

static int read_plain_bytes(struct tp_feed *feed, char *out, size_t *size)
{
    while (*size < BLOCK && !feed->input_ended) {
        int code = feed->in_size ? TP_OK : read_input(feed);
        if (code < 0)
            return code;
        feed->input_ended = feed->in_size == 0;
        size_t n = feed->in_size < BLOCK - *size ? feed->in_size : BLOCK - *size;
        memcpy(out + *size, feed->in, n);
        feed->in += n;
        feed->in_size -= n;
        *size += n;
    }
    return TP_OK;
}

static void store_inflate_result(struct tp_feed *feed)
{
    feed->report.is_cut = tp_inflate_is_cut(&feed->inflate);
    feed->report.is_corrupt = feed->inflate.end == TP_INFLATE_BAD_DATA;
    feed->report.has_bad_checksum = feed->inflate.end == TP_INFLATE_BAD_CHECKSUM;
    feed->report.has_trailing_data = feed->inflate.has_trailing_data;
    feed->input_ended = true;
}

static int read_gzip_bytes(struct tp_feed *feed, char *out, size_t *size)
{
    while (*size < BLOCK && !feed->input_ended) {
        *size += tp_inflate_run(&feed->inflate, out + *size, BLOCK - *size);
        if (feed->inflate.end != TP_INFLATE_RUNNING) {
            store_inflate_result(feed);
        } else if (*size < BLOCK && feed->inflate.in_size == 0) {
            int code = read_input(feed);
            if (code < 0)
                return code;
            tp_inflate_feed(&feed->inflate, feed->in, feed->in_size);
            if (feed->in_size == 0)
                store_inflate_result(feed);
        }
    }
    return TP_OK;
}

static int check_limits(struct tp_feed *feed)
{
    uint64_t text = feed->report.text_bytes;
    if (text > feed->options.max_input_bytes)
        return tp_error_set(&feed->error, TP_ELIMIT, text,
                            "more than %llu bytes of text; raise --max-input to read more",
                            (unsigned long long)feed->options.max_input_bytes);
    if (feed->report.is_gzip && text > TP_RATIO_GRACE_BYTES && text / TP_MAX_INFLATE_RATIO > feed->report.file_bytes)
        return tp_error_set(&feed->error, TP_ELIMIT, text, "inflates to more than %u times its size: not a trace",
                            TP_MAX_INFLATE_RATIO);
    return TP_OK;
}

/* Records the first ill-formed UTF-8 and the first control character in the report. Most blocks are ASCII, and
 * checking them is much cheaper than inflating them. */
static void check_block_text(struct tp_feed *feed, struct block *block)
{
    char *text = block->memory + HEAD - feed->cut_size;
    size_t size = block->size + feed->cut_size;
    if (!feed->report.has_control && tp_utf8_has_control(block->memory + HEAD, block->size)) {
        feed->report.has_control = true;
        feed->report.control_block_offset = feed->report.text_bytes;
    }
    if (feed->report.has_bad_utf8 || (feed->cut_size == 0 && tp_utf8_is_ascii(text, size)))
        return;
    memcpy(text, feed->cut, feed->cut_size);
    if (!tp_utf8_is_valid(text, size, &feed->cut_size)) {
        feed->report.has_bad_utf8 = true;
        feed->report.bad_utf8_block_offset = feed->report.text_bytes;
        /* a lost disk block may read as bytes 0xFF, so four such bytes are treated as control characters */
        feed->report.has_control |= memmem(text, size, "\xFF\xFF\xFF\xFF", 4) != NULL;
        feed->cut_size = 0;
    }
    memcpy(feed->cut, text + size - feed->cut_size, feed->cut_size);
}

/* Finishes the hash. Reads the rest of the file even after damage, because hash and size are those of the whole
 * file. */
static void store_hash(struct tp_feed *feed)
{
    uint8_t digest[32];
    if (feed->has_hash)
        return;
    while (read_input(feed) == TP_OK && feed->in_size)
        ;
    if (!feed->options.skips_hash) {
        tp_sha256_end(&feed->sha256, digest);
        tp_sha256_hex(digest, feed->report.sha256);
    }
    feed->has_hash = true;
}

/* Fills one block. Returns 1 if the block has text, 0 at the end of the input, or a negative tp_status. */
static int fill_block_with_text(struct tp_feed *feed, struct block *block)
{
    char *out = block->memory + HEAD;
    block->size = 0;
    int code = feed->has_started ? TP_OK : detect_compression(feed);
    if (code == TP_OK)
        code =
            feed->report.is_gzip ? read_gzip_bytes(feed, out, &block->size) : read_plain_bytes(feed, out, &block->size);
    check_block_text(feed, block);
    feed->report.text_bytes += block->size;
    if (code == TP_OK)
        code = check_limits(feed);
    memset(out + block->size, 0, TP_FEED_PAD);
    if (code == TP_OK && block->size == 0)
        store_hash(feed);
    return code < 0 ? code : block->size > 0;
}

static void *fill_blocks_on_thread(void *argument)
{
    struct tp_feed *feed = argument;
    int status = 1;
    while (status == 1) {
        pthread_mutex_lock(&feed->lock);
        /* the reader uses two blocks: the current one, and the previous one, whose rest may still be copied */
        while (feed->filled - feed->taken >= RING - 2 && !feed->must_stop) {
            feed->filler_waits = true;
            pthread_cond_wait(&feed->changed, &feed->lock);
            feed->filler_waits = false;
        }
        bool stop = feed->must_stop;
        struct block *block = &feed->ring[feed->filled % RING];
        pthread_mutex_unlock(&feed->lock);
        if (stop)
            break;
        status = fill_block_with_text(feed, block);
        pthread_mutex_lock(&feed->lock);
        block->status = status;
        feed->filled++;
        if (feed->reader_waits)
            pthread_cond_broadcast(&feed->changed);
        pthread_mutex_unlock(&feed->lock);
    }
    return NULL;
}

/* ---- opening and closing of a feed ---- */

static int new_feed(struct tp_feed **out, const struct tp_feed_options *options, struct tp_error *err)
{
    struct tp_feed *feed = calloc(1, sizeof *feed);
    if (!feed)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    feed->options = *options;
    feed->file.fd = -1;
    tp_sha256_init(&feed->sha256);
    pthread_mutex_init(&feed->lock, NULL);
    pthread_cond_init(&feed->changed, NULL);
    feed->file_part = malloc(FILE_PART + 16);
    if (!feed->file_part) {
        tp_feed_close(feed);
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    }
    *out = feed;
    return TP_OK;
}

/* Allocates the blocks, and starts the thread if the input is large. If the thread cannot start, the reader fills the
 * blocks itself. */
static int start_feed(struct tp_feed **slot, uint64_t input_size, struct tp_error *err)
{
    struct tp_feed *feed = *slot;
    bool wants_thread = !feed->options.single_thread && input_size >= THREAD_FROM;
    for (unsigned i = 0; i < (wants_thread ? RING : 2u); i++) {
        feed->ring[i].memory = malloc(HEAD + BLOCK + TP_FEED_PAD);
        if (!feed->ring[i].memory) {
            tp_feed_close(feed);
            *slot = NULL;
            return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
        }
    }
    if (wants_thread)
        feed->has_thread = pthread_create(&feed->thread, NULL, fill_blocks_on_thread, feed) == 0;
    return TP_OK;
}

int tp_feed_open(struct tp_feed **out, const char *path, const struct tp_feed_options *options, struct tp_error *err)
{
    int code = new_feed(out, options, err);
    if (code < 0)
        return code;
    struct tp_feed *feed = *out;
    if (tp_input_open(&feed->file, path, TP_INPUT_NAMED, err) == TP_OK)
        return start_feed(out, feed->file.is_regular ? feed->file.size : THREAD_FROM, err);
    tp_feed_close(feed);
    *out = NULL;
    return TP_EIO;
}

int tp_feed_open_bytes(struct tp_feed **out, const void *bytes, size_t size, const struct tp_feed_options *options,
                       struct tp_error *err)
{
    int code = new_feed(out, options, err);
    if (code < 0)
        return code;
    (*out)->bytes = bytes;
    (*out)->bytes_left = size;
    return start_feed(out, size, err);
}

void tp_feed_close(struct tp_feed *feed)
{
    if (!feed)
        return;
    if (feed->has_thread) {
        pthread_mutex_lock(&feed->lock);
        feed->must_stop = true;
        pthread_cond_broadcast(&feed->changed);
        pthread_mutex_unlock(&feed->lock);
        pthread_join(feed->thread, NULL);
    }
    tp_inflate_close(&feed->inflate);
    if (feed->file.fd >= 0)
        close(feed->file.fd);
    for (unsigned i = 0; i < RING; i++)
        free(feed->ring[i].memory);
    free(feed->file_part);
    free(feed->long_text);
    pthread_mutex_destroy(&feed->lock);
    pthread_cond_destroy(&feed->changed);
    free(feed);
}

/* ---- reading of blocks ---- */

/* Returns the next filled block. Releases the previous block, which may then be filled again. */
static struct block *wait_for_block(struct tp_feed *feed)
{
    struct block *block;
    if (!feed->has_thread) {
        block = &feed->ring[feed->taken % 2];
        block->status = fill_block_with_text(feed, block);
        feed->taken++;
        return block;
    }
    pthread_mutex_lock(&feed->lock);
    while (feed->filled == feed->taken) {
        feed->reader_waits = true;
        pthread_cond_wait(&feed->changed, &feed->lock);
        feed->reader_waits = false;
    }
    block = &feed->ring[feed->taken % RING];
    if (block->status == 1)
        feed->taken++; /* an end block stays in the ring, so that the next call returns the same end */
    if (feed->filler_waits && feed->filled - feed->taken <= RING / 2 - 1)
        pthread_cond_broadcast(&feed->changed); /* wakes the filling thread only if several blocks are free */
    pthread_mutex_unlock(&feed->lock);
    return block;
}

static int append_block_to_rest(struct tp_feed *feed, const char **at, size_t rest, const struct block *block,
                                struct tp_error *err)
{
    size_t need = rest + block->size + TP_FEED_PAD;
    bool is_inside = feed->long_text && *at >= feed->long_text && *at < feed->long_text + feed->long_capacity;
    size_t from = is_inside ? (size_t)(*at - feed->long_text) : 0;
    if (need > feed->long_capacity || !is_inside) {
        size_t capacity = need * 2 > feed->long_capacity ? need * 2 : feed->long_capacity;
        char *grown = malloc(capacity);
        if (!grown)
            return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
        memcpy(grown, *at, rest);
        free(feed->long_text);
        feed->long_text = grown;
        feed->long_capacity = capacity;
    } else if (from + need > feed->long_capacity) {
        memmove(feed->long_text, *at, rest);
    } else {
        memcpy(feed->long_text + from + rest, block->memory + HEAD, block->size + TP_FEED_PAD);
        *at = feed->long_text + from;
        return TP_OK;
    }
    memcpy(feed->long_text + rest, block->memory + HEAD, block->size + TP_FEED_PAD);
    *at = feed->long_text;
    return TP_OK;
}

int tp_feed_next_window(struct tp_feed *feed, const char **at, const char **end, struct tp_error *err)
{
    size_t rest = *at ? (size_t)(*end - *at) : 0;
    struct block *block = wait_for_block(feed);
    if (block->status <= 0) {
        if (block->status < 0 && err)
            *err = feed->error;
        return block->status;
    }
    if (rest <= HEAD) {
        char *text = block->memory + HEAD;
        if (rest)
            memcpy(text - rest, *at, rest);
        *at = text - rest;
    } else {
        int code = append_block_to_rest(feed, at, rest, block, err);
        if (code < 0)
            return code;
    }
    *end = *at + rest + block->size;
    feed->window_end = *end;
    feed->text_end += block->size;
    return 1;
}

uint64_t tp_feed_offset(const struct tp_feed *feed, const char *at)
{
    return feed->window_end ? feed->text_end - (uint64_t)(feed->window_end - at) : 0;
}

struct tp_feed_report tp_feed_result(const struct tp_feed *feed)
{
    return feed->report;
}

void tp_feed_pad(struct tp_buf *text)
{
    if (tp_buf_reserve(text, TP_FEED_PAD) == 0)
        memset(text->data + text->size, 0, TP_FEED_PAD);
}
