/* Implements the hot path: see recorder.h. */
#include "collector/recorder.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/loaded_modules.h"
#include "collector/session.h"
#include "collector/unwind.h"

/* FIRST_CHUNK: size of a thread's first chunk, bytes; small, because many threads record little */

enum { FIRST_CHUNK = 16 << 10, WALK_COUNTS = 64, LINE = 64 };

uint32_t tracepress_recording_;
bool tp_record_stacks;
uint64_t tp_record_start_ticks;
_Thread_local struct tp_cursor tp_cursor __attribute__((tls_model("initial-exec")));

static pthread_key_t at_thread_end;
static pthread_once_t key_made = PTHREAD_ONCE_INIT;
static bool has_key;
static _Atomic uint32_t threads;   /* number of threads so far, in all recordings */
static _Atomic uint32_t exchanges; /* number of threads that are requesting or returning a chunk now */
static _Atomic bool is_closed;
static _Atomic uint32_t still; /* number of threads that are copying the process now */

/* Counts of threads that are walking their stacks now, because walking can make system calls. There are several counts,
 * so that threads do not compete for one cache line; the number of a thread selects its count. */
static struct {
    _Alignas(LINE) _Atomic uint32_t count;
} walks[WALK_COUNTS];

static void release_at_thread_exit(void *unused)
{
    (void)unused;
    tp_record_release_chunk();
}

static void make_thread_key(void)
{
    has_key = pthread_key_create(&at_thread_end, release_at_thread_exit) == 0;
}

void tp_record_release_chunk(void)
{
    struct tp_spool_chunk *chunk = tp_cursor.chunk;
    uint32_t recording = tp_cursor.recording;
    tp_cursor.chunk = NULL;
    tp_cursor.at = tp_cursor.end = NULL;
    tp_cursor.recording = 0;
    atomic_fetch_add(&exchanges, 1);
    if (chunk && !atomic_load(&is_closed))
        tp_session_return_chunk(recording, chunk);
    atomic_fetch_sub(&exchanges, 1);
}

static bool is_stack_walk_running(void)
{
    uint32_t count = 0;
    for (size_t i = 0; i < WALK_COUNTS; i++)
        count += atomic_load(&walks[i].count);
    return count > 0;
}

static bool is_recorder_used_by_threads(void)
{
    return atomic_load(&exchanges) > 0 || is_stack_walk_running();
}

void tp_record_pause_stacks(void)
{
    enum { PAUSE_US = 20, PATIENCE_US = 200000 };
    const struct timespec pause = {.tv_nsec = PAUSE_US * 1000};
    atomic_fetch_add(&still, 1);
    for (unsigned waited_us = 0; is_stack_walk_running() && waited_us < PATIENCE_US; waited_us += PAUSE_US)
        nanosleep(&pause, NULL);
}

void tp_record_resume_stacks(void)
{
    atomic_fetch_sub(&still, 1);
}

void tp_record_end_and_wait(unsigned patience_ms)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    atomic_store(&is_closed, true);
    for (unsigned waited_ms = 0; is_recorder_used_by_threads() && waited_ms < patience_ms; waited_ms++)
        nanosleep(&pause, NULL);
}

void tp_record_reset_in_child(void)
{
    tp_cursor.tid = 0;
    atomic_store(&exchanges, 0);
    atomic_store(&still, 0);
    for (size_t i = 0; i < WALK_COUNTS; i++)
        atomic_store(&walks[i].count, 0);
}

static uint32_t next_chunk_bytes(uint32_t slots)
{
    uint64_t size = tp_cursor.sequence > 2 ? TP_SPOOL_FULL_CHUNK : (uint64_t)FIRST_CHUNK << tp_cursor.sequence;
    uint64_t least = sizeof(struct tp_spool_chunk) + (uint64_t)(slots + 1) * TP_SPOOL_SLOT;
    size = size > least ? size : least;
    return (uint32_t)((size + TP_SPOOL_UNIT - 1) / TP_SPOOL_UNIT * TP_SPOOL_UNIT);
}

static struct tp_spool_record *get_next_chunk(uint32_t recording, uint32_t slots)
{
    if (tp_cursor.recording != recording) {
        tp_cursor.sequence = 0;
        tp_cursor.thread = atomic_fetch_add(&threads, 1);
    }
    tp_record_release_chunk();
    if (tp_cursor.tid == 0)
        tp_cursor.tid = (uint64_t)syscall(SYS_gettid);
    pthread_once(&key_made, make_thread_key);
    if (has_key)
        pthread_setspecific(at_thread_end, &tp_cursor);
    struct tp_spool_chunk header = {.tid = tp_cursor.tid, .thread = tp_cursor.thread, .sequence = tp_cursor.sequence};
    pthread_getname_np(pthread_self(), header.thread_name, 16);
    struct tp_spool_chunk *chunk = tp_session_get_chunk(recording, next_chunk_bytes(slots), &header);
    if (!chunk) {
        tp_session_count_dropped();
        return NULL;
    }
    tp_cursor.chunk = chunk;
    tp_cursor.sequence++;
    tp_cursor.recording = recording;
    tp_cursor.at = (struct tp_spool_record *)(void *)(chunk + 1);
    tp_cursor.end = (struct tp_spool_record *)(void *)((char *)chunk + chunk->size);
    return tp_cursor.at;
}

struct tp_spool_record *tp_record_reserve_in_new_chunk(uint32_t recording, uint32_t slots)
{
    tp_cursor.inside++;
    atomic_fetch_add(&exchanges, 1);
    struct tp_spool_record *record = atomic_load(&is_closed) ? NULL : get_next_chunk(recording, slots);
    atomic_fetch_sub(&exchanges, 1);
    tp_cursor.inside--;
    return record;
}

static uint32_t walk_stack(const void *from, uint64_t *frames, uint32_t max)
{
    _Atomic uint32_t *walking = &walks[tp_cursor.thread % WALK_COUNTS].count;
    uint32_t count = 0;
    atomic_fetch_add(walking, 1);
    bool may_walk = !atomic_load(&is_closed) && !atomic_load(&still);
    if (may_walk && from)
        count = tp_modules_can_ask_loader() ? tp_stack_walk_this_thread(from, frames, max) : 0;
    else if (may_walk)
        count = tp_stack_walk_without_wait(frames, max);
    atomic_fetch_sub(walking, 1);
    return count;
}

enum { FRAMES = 64 };

static bool put_stack(const uint64_t frames[FRAMES + 1], uint32_t count)
{
    uint32_t slots = (count + 1) / 2;
    struct tp_spool_record *record = count ? tp_record_reserve_slots(slots) : NULL;
    if (!record)
        return false;
    memcpy(record + 1, frames, slots * TP_SPOOL_SLOT);
    tp_record_finish(record, count, TP_SPOOL_STACK, slots, 0);
    return true;
}

void tp_record_stack(const void *from)
{
    uint64_t frames[FRAMES + 1] = {0};
    put_stack(frames, tracepress_recording_ ? walk_stack(from, frames, FRAMES) : 0);
}

bool tp_record_stack_without_wait(void)
{
    uint64_t frames[FRAMES + 1] = {0};
    return put_stack(frames, tracepress_recording_ ? walk_stack(NULL, frames, FRAMES) : 0);
}
