/* Opens and closes the session's spools. See session.h. */
#include "collector/session_part.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/clock.h"
#include "collector/config.h"
#include "collector/live.h"
#include "collector/notes.h"
#include "collector/recorder.h"
#include "collector/recorder_thread.h"
#include "collector/sampler.h"
#include "collector/spool_socket.h"
#include "collector/unwind.h"
#include "writer/worker.h"

/* Switches recording off, and drops a recording that waits for its first record. */
static void turn_recording_off(void)
{
    tp_session.waits_for_first_record = false;
    __atomic_store_n(&tracepress_recording_, 0, __ATOMIC_SEQ_CST);
    atomic_store(&tp_session.opened, 0);
}

/* Switches recording on. The first record opens the spool. */
void tp_session_turn_on(void)
{
    atomic_store(&tp_session.dropped, 0);
    /* 0, because in the child of a fork `opened` is the number of the parent's spool */
    atomic_store(&tp_session.opened, 0);
    tp_session.waits_for_first_record = true;
    tp_session.first_step = tp_session.step;
    __atomic_store_n(&tp_record_start_ticks, tp_clock_now(), __ATOMIC_RELAXED);
    if (++tp_session.recordings == 0)
        tp_session.recordings = 1;
    __atomic_store_n(&tracepress_recording_, tp_session.recordings, __ATOMIC_SEQ_CST);
}

bool tp_session_is_recording(void)
{
    return tp_session.waits_for_first_record || tp_session.spool.fd >= 0;
}

/* Creates a spool, but not the folder of the run. If that folder does not exist, this process has another root
 * directory, and the folder would be in the wrong place. */
static int create_or_request_spool(struct tp_spool *spool, const char *directory, const char *name,
                                   const struct tp_spool_head *head, bool is_of_run)
{
    uint64_t ring_bytes = tp_config_ring_bytes(&tp_session.options);
    int fd = is_of_run ? tp_spool_socket_request(name, head) : -1;
    if (fd >= 0)
        return tp_spool_adopt(spool, fd, directory, name, TP_CONFIG_SPOOL_BYTES, ring_bytes);
    if (is_of_run && faccessat(AT_FDCWD, directory, F_OK, AT_EACCESS) != 0)
        return errno;
    return tp_spool_create(spool, directory, name, head, TP_CONFIG_SPOOL_BYTES, ring_bytes);
}

/* Creates a spool in the folder. Returns false, after reporting the reason, if this fails. */
static bool create_spool(struct tp_spool *spool, const char *directory, const struct tp_spool_clock *now)
{
    char name[256];
    struct tp_spool_head head = tp_config_make_spool_head(&tp_session.options, now);
    snprintf(name, sizeof name, ".%.180s.%lld.%d.tpspool", tp_session.options.worker, (long long)now->realtime_ns,
             (int)getpid());
    bool is_of_run = tp_session.run_folder && strcmp(directory, tp_session.run_folder) == 0;
    int code = create_or_request_spool(spool, directory, name, &head, is_of_run);
    if (code) {
        bool is_for_run = tp_session.run_folder && !is_of_run;
        char detail[4300];
        snprintf(detail, sizeof detail, "%s: %s", directory, strerror(code));
        tp_session_print_message(is_for_run ? TP_SEVERITY_DETAIL : TP_SEVERITY_RECORDING,
                                 is_for_run
                                     ? "the program writes no trace itself, because `tracepress record` writes it"
                                     : "nothing is recorded; the program continues",
                                 detail);
    }
    return code == 0;
}

bool tp_session_can_create_spool(bool is_opened_now)
{
    struct tp_spool probe = {.fd = -1};
    const char *directory = tp_session.options.directory;
    const struct tp_spool_clock now = tp_clock_read_all();
    if (is_opened_now && (!tp_session.run_folder || strcmp(directory, tp_session.run_folder) == 0))
        return true;
    if (!create_spool(&probe, directory, &now))
        return false;
    tp_spool_close(&probe, true);
    return true;
}

/* Opens the spool at the first record of a recording. If opening fails, reports the reason, switches recording off and
 * returns false. */
bool tp_session_open_spool(void)
{
    if (!tp_session.waits_for_first_record)
        return tp_session.spool.fd >= 0;
    struct tp_spool_clock now = tp_clock_read_all();
    const char *directory = tp_session.run_folder ? tp_session.run_folder : tp_session.options.directory;
    if (!create_spool(&tp_session.spool, directory, &now)) {
        turn_recording_off();
        tp_session.is_started = false;
        return false;
    }
    tp_session.waits_for_first_record = false;
    tp_notes_begin_recording(&tp_session.spool, &now);
    tp_session_write_modules();
    atomic_store(&tp_session.opened, tp_session.recordings);
    return true;
}

/* ---- ring buffer ----
 *
 * A thread of the recorder maps and touches the chunks of a ring buffer in advance, until the buffer has all of them.
 * Otherwise page faults would make the first pass through the buffer cost more than twice as much as later passes. */

static void *prepare_ring(void *context)
{
    uint32_t recording = (uint32_t)(uintptr_t)context;
    struct tp_spool_chunk *chunk;
    do {
        chunk = NULL;
        if (tp_session_use_spool(recording) && (chunk = tp_spool_map_spare_chunk(&tp_session.spool)) != NULL) {
            tp_spool_touch_chunk(chunk);
            tp_spool_store_spare_chunk(&tp_session.spool, chunk);
        }
        tp_session_release_spool();
    } while (chunk);
    return NULL;
}

void tp_session_fill_ring(void)
{
    uint32_t recording = 0;
    pthread_mutex_lock(&tp_session.lock);
    if (tp_session_is_recording() && tp_config_ring_bytes(&tp_session.options) && tp_session_open_spool())
        recording = tp_session.recordings;
    pthread_mutex_unlock(&tp_session.lock);
    if (recording) /* if the thread cannot be started, only the first pass through the ring buffer is slower */
        tp_recorder_thread_start(NULL, prepare_ring, (void *)(uintptr_t)recording); // NOLINT(performance-no-int-to-ptr)
}

/* Starts sampling if the options ask for it. Returns false if there are no samples. */
bool tp_session_start_sampler(void)
{
    bool has_samples =
        tp_session.options.sample_rate && tp_config_records_activity(&tp_session.options, TRACEPRESS_ACTIVITY_CPU);
    const char *reason = has_samples ? tp_sampler_start(tp_session.options.sample_rate) : NULL;
    if (reason)
        tp_session_print_message(TP_SEVERITY_DETAIL, "no samples of stacks are taken", reason);
    return !reason;
}

/* Prepares the recording of stacks: loads libunwind and lists the loaded shared libraries. Called without the session's
 * lock, because the loader runs functions of the program, which may record. */
void tp_session_prepare_stacks(void)
{
    tp_stack_prepare();
    tp_session_enable_modules();
}

bool tp_session_start_sampling(unsigned rate)
{
    tp_session_prepare_stacks();
    pthread_mutex_lock(&tp_session.lock);
    tp_session.requested_sample_rate = tp_session.run_folder ? rate : 0;
    bool is_started = tp_session.is_started;
    if (is_started)
        tp_session.options.sample_rate = rate; /* stored, so that the rate applies to later windows too */
    if (tp_session_is_recording()) {
        tp_session_write_modules();
        is_started = tp_session_start_sampler();
    }
    pthread_mutex_unlock(&tp_session.lock);
    return is_started;
}

/* Stops sampling. Releases the session's lock meanwhile, because the sampler's last records need it. */
static void stop_sampler(void)
{
    pthread_mutex_unlock(&tp_session.lock);
    tp_sampler_stop();
    pthread_mutex_lock(&tp_session.lock);
}

bool tp_session_stop_threads(void)
{
    enum { PATIENCE_MS = 1000 };
    pthread_mutex_lock(&tp_session.lock);
    bool is_any = tp_session.is_started;
    if (is_any) {
        tp_session_stop_window();
        tp_recorder_threads_stop();
        stop_sampler();
    }
    pthread_mutex_unlock(&tp_session.lock);
    if (is_any)
        tp_recorder_threads_wait_for_end(PATIENCE_MS);
    return is_any;
}

void tp_session_restart_threads(void)
{
    pthread_mutex_lock(&tp_session.lock);
    /* if this fails, the recording only has no more samples: see source/host_alone.c */
    if (tp_session_is_recording() && tp_session.options.sample_rate &&
        tp_config_records_activity(&tp_session.options, TRACEPRESS_ACTIVITY_CPU))
        tp_sampler_start(tp_session.options.sample_rate);
    bool is_started = tp_session.is_started;
    if (is_started)
        tp_session_start_window_thread();
    pthread_mutex_unlock(&tp_session.lock);
    if (is_started)
        tp_recorder_threads_restart();
}

void tp_session_restart_sampler(void)
{
    pthread_mutex_lock(&tp_session.lock);
    if (tp_session_is_recording() && tp_session.options.sample_rate) {
        stop_sampler(); /* releases the lock meanwhile */
        if (tp_session_is_recording())
            tp_session_start_sampler();
    }
    pthread_mutex_unlock(&tp_session.lock);
}

/* Returns whether `record` still needs the spool to make a trace. The spool is not needed if the handler has just
 * written a trace to the folder of the run or to the LOGDIR above it. */
static bool is_spool_needed_by_record(void)
{
    /* number of parent folders of the spools up to LOGDIR: LOGDIR/RUN/.spools has 2, LOGDIR/RUN/.ranks/3/.spools has 4
     * (collector/launch/run_ranks.h) */
    enum { IN_RUN = 2, IN_RANK = 4 };
    char handled[PATH_MAX], folder[PATH_MAX];
    if (!tp_session.run_folder || !realpath(tp_session.options.directory, handled))
        return tp_session.run_folder != NULL;
    snprintf(folder, sizeof folder, "%s", tp_session.run_folder);
    int folders = strstr(folder, "/" TP_WORKER_RANKS "/") ? IN_RANK : IN_RUN;
    for (int i = 0; i < folders; i++) {
        char *slash = strrchr(folder, '/');
        if (!slash)
            return true;
        *slash = '\0';
        if (strcmp(folder, handled) == 0)
            return false;
    }
    return true;
}

void tp_session_begin_stop(void)
{
    tp_session_stop_window();
    pthread_mutex_unlock(&tp_session.lock);
    tp_session_close_step();
    tp_live_stop();
    tp_session_notify_ending(true);
    tp_session_update_modules();
    pthread_mutex_lock(&tp_session.lock);
    tp_session.is_started = tp_session.is_for_record = false;
}

/* Waits until no thread uses the spool, for at most a second. A thread whose signal handler has jumped out of our code
 * (siglongjmp) stays counted for ever. */
static void wait_until_spool_is_unused(void)
{
    enum { PAUSE_US = 50, PATIENCE_US = 1000000 };
    const struct timespec pause = {.tv_nsec = PAUSE_US * 1000};
    for (unsigned waited_us = 0; atomic_load(&tp_session.busy_count) && waited_us < PATIENCE_US; waited_us += PAUSE_US)
        nanosleep(&pause, NULL);
}

/* Switches recording off and passes the recorded data to the handler. Releases the session's lock meanwhile, because
 * handlers may call this library. */
void tp_session_end_recording(void)
{
    if (tp_session_is_recording() && tp_session.options.sample_rate)
        stop_sampler();
    struct tracepress_options *o = &tp_session.options;
    turn_recording_off();
    if (tp_session.spool.fd < 0)
        return;
    wait_until_spool_is_unused();
    tp_session_write_modules();
    tp_notes_end_recording(atomic_load(&tp_session.dropped));
    struct tp_spool spool = tp_session.spool;
    tp_session.spool.fd = -1;
    if (!o->handler) {
        tp_spool_close(&spool, false);
        return;
    }
    bool must_keep_spool = false;
    struct tracepress_trace trace = {.spool = spool.path,
                                     .must_keep_spool = &must_keep_spool,
                                     .directory = o->directory,
                                     .worker = o->worker,
                                     .is_gzip = !o->no_gzip,
                                     .first_step = tp_session.first_step,
                                     .number = tp_session.recordings};
    tracepress_handler handler = o->handler;
    void *context = o->context;
    pthread_mutex_unlock(&tp_session.lock);
    /* releases the chunk of this thread; other threads release theirs at their next record or at their exit */
    tp_record_release_chunk();
    handler(&trace, context);
    pthread_mutex_lock(&tp_session.lock);
    tp_spool_close(&spool, !must_keep_spool && !is_spool_needed_by_record());
}
