/* Compresses and writes blocks in the background: see pack.h.
 *
 * ring[head % RING] is the next block to fill, and ring[tail % RING] the next block to write. The lock protects both
 * counters. The blocks from tail to head - 1 belong to the writing thread, and so do the file and the compressor until
 * the thread is joined. */
#include "writer/base/pack.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "writer/base/deflate.h"
#include "writer/base/fs.h"

enum { RING = 6, STACK = 1 << 20 };

struct tp_pack {
    struct tp_outfile *file;
    struct tp_deflate *deflate; /* compressor; NULL if the file is plain text */
    struct tp_error error;      /* first error; only the writing thread uses it until the thread is joined */
    _Atomic int failed;
    bool has_thread, is_closing;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t has_work, has_room;
    struct tp_buf ring[RING];
    unsigned head, tail;
};

static int write_to_file(void *context, const void *bytes, size_t size)
{
    struct tp_pack *pack = context;
    return tp_outfile_write(pack->file, bytes, size, &pack->error);
}

/* Writes one block. Stores the first error, and discards all blocks after an error. */
static void write_compressed_block(struct tp_pack *pack, const void *bytes, size_t size, bool is_last)
{
    int code = atomic_load(&pack->failed);
    if (code < 0)
        return;
    if (pack->deflate)
        code = tp_deflate_add(pack->deflate, bytes, size, is_last, write_to_file, pack);
    else
        code = write_to_file(pack, bytes, size);
    if (code == TP_ENOMEM)
        tp_error_set(&pack->error, TP_ENOMEM, 0, "out of memory");
    if (code < 0)
        atomic_store(&pack->failed, code);
}

/* Signals that are blocked during a write. A failing write raises SIGXFSZ or SIGPIPE, which would kill the host
 * program. These signals are discarded after the write, so that the error is only a returned code. */
struct shield {
    sigset_t raised, before;
    bool was_pending[2];
};

static const int held_signals[2] = {SIGXFSZ, SIGPIPE};

static void block_file_signals(struct shield *shield)
{
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    sigemptyset(&shield->raised);
    for (int i = 0; i < 2; i++) {
        shield->was_pending[i] = sigismember(&pending, held_signals[i]) == 1;
        sigaddset(&shield->raised, held_signals[i]);
    }
    pthread_sigmask(SIG_BLOCK, &shield->raised, &shield->before);
}

static void unblock_file_signals(struct shield *shield)
{
    static const struct timespec at_once = {0, 0};
    for (int i = 0; i < 2; i++)
        if (shield->was_pending[i])
            /* the signal was already pending before the write and must not be discarded */
            sigdelset(&shield->raised, held_signals[i]);
    while (sigtimedwait(&shield->raised, NULL, &at_once) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &shield->before, NULL);
}

static void *run_writing_thread(void *argument)
{
    struct tp_pack *pack = argument;
    pthread_mutex_lock(&pack->lock);
    for (;;) {
        while (pack->head == pack->tail && !pack->is_closing)
            pthread_cond_wait(&pack->has_work, &pack->lock);
        if (pack->head == pack->tail)
            break;
        struct tp_buf *block = &pack->ring[pack->tail % RING];
        pthread_mutex_unlock(&pack->lock);
        write_compressed_block(pack, block->data, block->size, false);
        tp_buf_clear(block);
        pthread_mutex_lock(&pack->lock);
        pack->tail++;
        pthread_cond_signal(&pack->has_room);
    }
    pthread_mutex_unlock(&pack->lock);
    return NULL;
}

/* Starts the writing thread with all signals blocked, because signals belong to the host program. If the thread cannot
 * start, tp_pack_write does the work. */
static void start_thread(struct tp_pack *pack)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    if (pthread_attr_init(&attributes) != 0)
        return;
    pthread_attr_setstacksize(&attributes, STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pack->has_thread = pthread_create(&pack->thread, &attributes, run_writing_thread, pack) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

static bool allocate_ring_buffers(struct tp_pack *pack)
{
    for (unsigned i = 0; i < RING; i++) {
        tp_buf_init(&pack->ring[i], 0);
        if (tp_buf_reserve(&pack->ring[i], TP_PACK_BLOCK + TP_PACK_BLOCK / 4))
            return false;
    }
    return true;
}

int tp_pack_open(struct tp_pack **out, const char *path, const struct tp_pack_options *options, struct tp_error *err)
{
    struct tp_pack *pack = calloc(1, sizeof *pack);
    *out = pack;
    if (!pack)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    pthread_mutex_init(&pack->lock, NULL);
    pthread_cond_init(&pack->has_work, NULL);
    pthread_cond_init(&pack->has_room, NULL);
    int code = TP_OK;
    if (options->is_gzip && !(pack->deflate = tp_deflate_open(options->level, options->comment)))
        code = tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    if (code == TP_OK && !options->single_thread && !allocate_ring_buffers(pack))
        code = tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    if (code == TP_OK)
        code = tp_outfile_open(&pack->file, path, err);
    if (code < 0)
        tp_pack_discard(out);
    else if (!options->single_thread)
        start_thread(pack);
    return code;
}

void tp_pack_write(struct tp_pack *pack, struct tp_buf *block)
{
    if (!pack->has_thread) {
        struct shield shield;
        block_file_signals(&shield);
        write_compressed_block(pack, block->data, block->size, false);
        unblock_file_signals(&shield);
        tp_buf_clear(block);
        return;
    }
    pthread_mutex_lock(&pack->lock);
    while (pack->head - pack->tail == RING)
        pthread_cond_wait(&pack->has_room, &pack->lock);
    pthread_mutex_unlock(&pack->lock);
    struct tp_buf *slot = &pack->ring[pack->head % RING], full = *block;
    size_t max_bytes = block->max_bytes;
    *block = *slot;
    block->max_bytes = max_bytes;
    *slot = full;
    slot->max_bytes = 0;
    pthread_mutex_lock(&pack->lock);
    pack->head++;
    pthread_cond_signal(&pack->has_work);
    pthread_mutex_unlock(&pack->lock);
}

int tp_pack_error_code(struct tp_pack *pack)
{
    return atomic_load(&pack->failed);
}

static void join_thread(struct tp_pack *pack)
{
    if (!pack->has_thread)
        return;
    pthread_mutex_lock(&pack->lock);
    pack->is_closing = true;
    pthread_cond_signal(&pack->has_work);
    pthread_mutex_unlock(&pack->lock);
    pthread_join(pack->thread, NULL);
    pack->has_thread = false;
}

int tp_pack_close(struct tp_pack **slot, struct tp_error *err)
{
    struct tp_pack *pack = *slot;
    struct shield shield;
    join_thread(pack);
    block_file_signals(&shield);
    if (pack->deflate)
        write_compressed_block(pack, "", 0, true);
    int code = atomic_load(&pack->failed);
    if (code < 0 && err)
        *err = pack->error;
    if (code == TP_OK)
        code = tp_outfile_commit(&pack->file, err);
    unblock_file_signals(&shield);
    tp_pack_discard(slot);
    return code;
}

void tp_pack_discard(struct tp_pack **slot)
{
    struct tp_pack *pack = *slot;
    if (!pack)
        return;
    if (pack->has_thread)
        atomic_store(&pack->failed, TP_EIO); /* makes the writing thread discard the remaining blocks */
    join_thread(pack);
    tp_outfile_discard(&pack->file);
    tp_deflate_close(pack->deflate);
    for (unsigned i = 0; i < RING; i++)
        tp_buf_release(&pack->ring[i]);
    pthread_cond_destroy(&pack->has_room);
    pthread_cond_destroy(&pack->has_work);
    pthread_mutex_destroy(&pack->lock);
    free(pack);
    *slot = NULL;
}
