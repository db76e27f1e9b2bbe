/* Gives recording threads their chunks, and records names and metadata. See session.h. */
#include "collector/session_part.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "collector/confined.h"
#include "collector/live.h"
#include "collector/loaded_modules.h"
#include "collector/name_table.h"
#include "collector/notes.h"
#include "collector/recorder.h"
#include "collector/recorder_thread.h"
#include "collector/unwind.h"

enum { HOOK_WAIT_NS = 20000000 };

void tp_session_enable_modules(void)
{
    atomic_store(&tp_session.needs_module_list, true);
    tp_modules_update();
}

void tp_session_update_modules(void)
{
    if (atomic_load_explicit(&tp_session.needs_module_list, memory_order_relaxed))
        tp_modules_update();
}

void tp_session_write_modules(void)
{
    if (tp_session.options.with_stack || tp_session.options.sample_rate || tp_session.records_addresses)
        tp_notes_write_modules();
}

/* Returns whether the values of the clocks must be written again. They are written repeatedly, because the process may
 * be killed. A ring buffer gets them rarely, because notes are not overwritten there. */
static bool is_clock_note_due(uint32_t sequence)
{
    return sequence % (sequence < 1024 || !tp_session.spool.spare.ring_bytes ? 64 : 4096) == 0;
}

/* Takes the session's lock to open the spool, once per recording. A record inside a function of the program (malloc
 * within dlopen) waits at most 20 ms, because the owner of the lock may be waiting for this thread. After 20 ms the
 * record is lost. */
static bool lock_to_open_spool(bool is_in_hook)
{
    struct timespec until;
    if (!is_in_hook)
        return pthread_mutex_lock(&tp_session.lock) == 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += HOOK_WAIT_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_mutex_timedlock(&tp_session.lock, &until) == 0;
}

static bool is_current_recording(uint32_t recording)
{
    return recording == __atomic_load_n(&tracepress_recording_, __ATOMIC_SEQ_CST);
}

static void open_spool(uint32_t recording, bool is_in_hook)
{
    if (atomic_load(&tp_session.opened) == recording || !lock_to_open_spool(is_in_hook))
        return;
    if (is_current_recording(recording))
        tp_session_open_spool();
    pthread_mutex_unlock(&tp_session.lock);
}

/* If the thread got a chunk, writes the clock and new shared libraries to the spool; otherwise reports why there was no
 * chunk. Does nothing if another thread has the session's lock. The next chunk or the end of the recording then writes
 * the missing notes. */
static void write_notes_of_chunk(uint32_t recording, bool has_chunk, uint32_t sequence)
{
    if (pthread_mutex_trylock(&tp_session.lock) != 0)
        return;
    if (is_current_recording(recording) && atomic_load(&tp_session.opened) == recording) {
        if (!has_chunk && atomic_load(&tp_session.spool.failed))
            tp_notes_report_spool_failure(&tp_session.spool);
        if (has_chunk && is_clock_note_due(sequence))
            tp_notes_write_clock();
        if (has_chunk)
            tp_session_write_modules();
    }
    pthread_mutex_unlock(&tp_session.lock);
}

/* Returns a chunk without waiting for another thread. Otherwise a program would wait for its recording whenever it
 * allocates memory. */
struct tp_spool_chunk *tp_session_get_chunk(uint32_t recording, uint32_t size, const struct tp_spool_chunk *header)
{
    struct tp_spool_chunk *chunk = NULL;
    bool is_in_hook = tp_cursor.inside > 1; /* the value 1 is this request itself, so only a higher value means a record
                                             * inside a hook */
    int cancel;
    /* prevents cancellation of the thread while it has the lock or is included in busy_count */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    if (!is_in_hook)
        tp_session_update_modules();
    open_spool(recording, is_in_hook);
    if (tp_session_use_spool(recording))
        chunk = tp_spool_get_chunk(&tp_session.spool, size);
    if (chunk)
        chunk = tp_spool_prepare_chunk(&tp_session.spool, chunk, header);
    tp_session_release_spool();
    write_notes_of_chunk(recording, chunk != NULL, header->sequence);
    pthread_setcancelstate(cancel, NULL);
    return chunk;
}

void tp_session_return_chunk(uint32_t recording, struct tp_spool_chunk *chunk)
{
    bool is_open = tp_session_use_spool(recording);
    if (is_open)
        tp_spool_return_chunk(&tp_session.spool, chunk);
    tp_session_release_spool();
    if (!is_open)
        tp_spool_unmap(chunk);
}

void tp_session_list_modules(void)
{
    tp_session_enable_modules();
    pthread_mutex_lock(&tp_session.lock);
    tp_session.records_addresses = true;
    if (tp_session.spool.fd >= 0)
        tp_session_write_modules();
    pthread_mutex_unlock(&tp_session.lock);
}

static void *update_modules(void *unused)
{
    (void)unused;
    if (tp_modules_test_loader() && tp_modules_update())
        tp_stack_clear_code_cache();
    return NULL;
}

void tp_session_request_modules(void)
{
    enum { MOST = 100, PAUSE_NS = 100000000 };
    static _Atomic int64_t next_ns;
    static _Atomic int count;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec, due_ns = atomic_load(&next_ns);
    if (now_ns < due_ns || atomic_load(&count) >= MOST ||
        !atomic_compare_exchange_strong(&next_ns, &due_ns, now_ns + PAUSE_NS))
        return;
    atomic_fetch_add(&count, 1);
    tp_recorder_thread_start(NULL, update_modules, NULL);
}

bool tp_session_place(struct tp_session_place *place, uint32_t name)
{
    pthread_mutex_lock(&tp_session.lock);
    place->recording = __atomic_load_n(&tracepress_recording_, __ATOMIC_SEQ_CST);
    place->step = tp_session.step;
    if (place->recording) {
        snprintf(place->directory, sizeof place->directory, "%s", tp_session.options.directory);
        snprintf(place->worker, sizeof place->worker, "%.180s", tp_session.options.worker);
        snprintf(place->name, sizeof place->name, "%s", name && name <= tp_names_count() ? tp_names_text(name) : "");
    }
    pthread_mutex_unlock(&tp_session.lock);
    return place->recording != 0;
}

tracepress_name tracepress_intern(const char *name)
{
    if (tp_is_confined())
        return 0;
    pthread_mutex_lock(&tp_session.lock);
    uint32_t number = tp_notes_write_name(name ? name : "");
    pthread_mutex_unlock(&tp_session.lock);
    return number;
}

const char *tp_session_name_text(tracepress_name name)
{
    pthread_mutex_lock(&tp_session.lock);
    const char *text = name && name <= tp_names_count() ? tp_names_text(name) : "";
    pthread_mutex_unlock(&tp_session.lock);
    return text;
}

static void add_program_fact(const char *key, const char *value, uint8_t kind)
{
    if (tp_is_confined())
        return;
    tp_live_store_fact(key, value);
    if (!key || !*key || strchr(key, '\n'))
        return;
    pthread_mutex_lock(&tp_session.lock);
    tp_notes_add_fact(key, value ? value : "", kind);
    pthread_mutex_unlock(&tp_session.lock);
}

void tracepress_metadata(const char *key, const char *value)
{
    add_program_fact(key, value, TP_SPOOL_META_TEXT);
}

void tracepress_metadata_json(const char *key, const char *json)
{
    add_program_fact(key, json, TP_SPOOL_META_JSON);
}
