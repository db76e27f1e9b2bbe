/* Handles fork, exit and confinement of the process for the session. See session.h. */
#include "collector/session_part.h"

#include <linux/kcmp.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/clock.h"
#include "collector/confined.h"
#include "collector/live.h"
#include "collector/loaded_modules.h"
#include "collector/notes.h"
#include "collector/recorder.h"
#include "collector/recorder_thread.h"
#include "collector/sampler.h"
#include "collector/unwind.h"
#include "writer/base/mapped.h"

enum { LOCK_PATIENCE_S = 1, END_PATIENCE_MS = 1000 };

struct tp_paused_threads tp_session_pause_threads(void)
{
    struct tp_paused_threads still = {.has_sampler = tp_sampler_pause()};
    still.has_modules = tp_modules_block_updates();
    tp_record_pause_stacks();
    return still;
}

void tp_session_resume_threads(struct tp_paused_threads still)
{
    tp_record_resume_stacks();
    if (still.has_modules)
        tp_modules_unblock_updates();
    if (still.has_sampler)
        tp_sampler_resume();
}

/* state of the recorder's threads before fork, stored by the thread that forks; needs the session's lock */
static struct tp_paused_threads forking;

static void before_fork(void)
{
    /* called without the lock, because a thread of the recorder may need the lock before it pauses */
    struct tp_paused_threads still = tp_session_pause_threads();
    pthread_mutex_lock(&tp_session.lock);
    forking = still;
}

static void after_fork(void)
{
    struct tp_paused_threads still = forking;
    pthread_mutex_unlock(&tp_session.lock);
    tp_session_resume_threads(still);
}

/* Continues the recording in a child, with its own spool. The child opens its spool only at the first record, because
 * most children exec immediately. The child's copy of this thread's chunk belongs to the parent's spool. The new number
 * of the recording makes the thread release the chunk. */
static void continue_in_child(void)
{
    tp_record_reset_in_child();
    tp_recorder_threads_reset_in_child();
    tp_mapped_reset_in_child();
    tp_session.pid = getpid();
    tp_session.has_step = false;             /* the range of the step belongs to the parent */
    atomic_store(&tp_session.busy_count, 0); /* 0, because the parent's other threads do not exist here */
    tp_session.endings = 0;
    tp_sampler_reset_in_child();
    tp_modules_reset_in_child();
    tp_live_reset_in_child();
    if (tp_session_is_recording()) {
        tp_spool_close_in_child(&tp_session.spool);
        tp_notes_release_chunk();
        tp_session_turn_on();
    }
    tp_session_reset_window_in_child();
    pthread_mutex_unlock(&tp_session.lock);
    if (tp_session.watch)
        tp_session.watch->in_child();
}

void tp_session_prepare(void)
{
    tp_session.pid = getpid();
    tp_clock_init();
    pthread_atfork(before_fork, after_fork, continue_in_child);
}

/* ---- a program that confines itself ---- */

/* Takes the session's lock, but waits only for a limited time. A signal may have interrupted this very thread while it
 * had the lock. */
static bool lock_with_timeout(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LOCK_PATIENCE_S;
    return pthread_mutex_timedlock(&tp_session.lock, &until) == 0;
}

/* Ends the recording without calling the handler, so that the spool file is kept. Needs the session's lock, and
 * releases it meanwhile. */
static void end_recording_without_handler(void)
{
    tp_session_begin_stop();
    tp_session.options.handler = NULL;
    tp_session_end_recording();
}

bool tp_session_is_in_forked_copy(void)
{
    return tp_session.pid && tp_session.pid != getpid();
}

void tp_session_abandon_in_copy(void)
{
    /* makes hooks of this thread, the only one in the copy, call only the original functions from now on */
    tp_cursor.inside++;
    __atomic_store_n(&tracepress_recording_, 0, __ATOMIC_SEQ_CST);
    atomic_store(&tp_confined_, TP_CONFINED_COPY);
    tp_record_end_and_wait(0);
    tp_session.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    tp_session.is_started = tp_session.is_for_record = tp_session.waits_for_first_record = false;
}

/* Handles a copy of the process that was made without pthread_atfork handlers. After vfork, such a child uses the
 * memory of its parent, which continues to run. */
static void confine_unnoticed_copy(void)
{
    if (syscall(SYS_kcmp, getpid(), getppid(), KCMP_VM, 0, 0) == 0) {
        atomic_store(&tp_confined_child, getpid());
        return;
    }
    tp_session_abandon_in_copy();
    atomic_store(&tp_confined_, TP_CONFINED_ITSELF);
}

/* Reports that the recording has ended. Without `record` the user must make the trace, so the printed line contains the
 * command. Needs the session's lock. */
static void report_end_by_confinement(const char *how)
{
    char detail[sizeof tp_session.spool.path + 100];
    bool is_left = tp_session.spool.fd >= 0 && !tp_session.run_folder;
    snprintf(detail, sizeof detail, "%s%s%s", how, is_left ? "; to write the trace, run: tracepress recover " : "",
             is_left ? tp_session.spool.path : "");
    tp_session_print_message(TP_SEVERITY_RECORDING,
                             "recording stops here, because the program confines itself; the program continues",
                             detail);
}

void tp_session_set_confine_stop(void (*stop)(void))
{
    tp_session.confine_stop = stop;
}

bool tp_session_has_begun(void)
{
    return tp_session.pid != 0;
}

void tp_session_end_by_confinement(const char *how)
{
    if (tp_is_confined())
        atomic_store(&tp_confined_, TP_CONFINED_ITSELF);
    else if (tp_session_is_in_forked_copy())
        confine_unnoticed_copy();
    if (tp_is_confined() || tp_session_is_in_forked_copy())
        return;
    if (tp_session.confine_stop)
        tp_session.confine_stop();
    if (lock_with_timeout()) {
        if (tp_session.is_started) {
            report_end_by_confinement(how);
            end_recording_without_handler();
        }
        tp_session.run_folder = NULL; /* without this folder, `record` starts no recording again */
        atomic_store(&tp_confined_, TP_CONFINED_ITSELF);
        pthread_mutex_unlock(&tp_session.lock);
    }
    __atomic_store_n(&tracepress_recording_, 0, __ATOMIC_SEQ_CST);
    atomic_store(&tp_confined_, TP_CONFINED_ITSELF);
    tp_record_end_and_wait(END_PATIENCE_MS);
    tp_stack_replace_library_key();
    tp_sampler_release_signal();
    tp_recorder_threads_wait_for_end(END_PATIENCE_MS);
}

/* Reports a recording that was not stopped. With this priority, the destructor runs after all other destructors of the
 * library, because one of them may stop the recording. */
__attribute__((destructor(200))) static void at_exit(void)
{
    if (tp_is_confined() || tp_session_is_in_forked_copy())
        return;
    tp_live_close_at_exit();
    tp_session_stop_window_at_exit();
    /* leaves the recording open, because other threads can run until the process ends */
    if (tp_session.spool.fd >= 0 && !tp_session.run_folder) {
        tp_session_print_message(TP_SEVERITY_TRACE,
                                 "the recording was not stopped; to write the trace, run: tracepress recover",
                                 tp_session.spool.path);
    }
}
