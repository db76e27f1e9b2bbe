/* Declares the internal parts of the session (session.h). Only collector/session*.c includes this header.
 *
 * session.c contains the state of the process, and starts and stops recordings. session_spool.c opens and closes
 * spools. session_step.c follows the schedule, and session_window.c follows the clock. session_threads.c serves the
 * threads that record, and session_process.c handles fork and exit. Functions need the session's lock unless their
 * comment says something else. */
#ifndef TP_COLLECTOR_SESSION_PART_H
#define TP_COLLECTOR_SESSION_PART_H

#include <pthread.h>
#include <stdatomic.h>

#include "collector/choice.h"
#include "collector/schedule.h"
#include "collector/session.h"

struct tp_session {
    pthread_mutex_t lock;
    struct tracepress_options options; /* options of the current or last recording; owns its texts */
    /* is_started: a recording was started; has_step: the range ProfilerStep of the current step is open */
    bool is_started, has_step;
    bool waits_for_first_record; /* true if recording is on but no record was written yet; the first record opens the
                                  * spool */
    uint64_t step, first_step;
    enum tp_action action; /* action of the schedule in the current step */
    bool is_left_out;      /* true if TRACEPRESS_RANKS excludes this rank, so that it records nothing */
    /* value of TRACEPRESS_WINDOW; steps or times outside of the windows are not recorded */
    struct tp_choice_window window;
    uint32_t window_thread_number;   /* number of the newest window thread; older window threads stop */
    bool is_window_ending_recording; /* true while thread `turner` ends the recording at the end of a window */
    pthread_t window_ending_thread;
    pthread_cond_t
        window_end_condition; /* signalled when is_window_ending_recording becomes false or `follower` changes */
    struct tp_spool spool;
    _Atomic uint32_t opened; /* number of the recording whose spool is open; 0: no spool is open */
    /* number of threads that use the spool without the lock; the spool is closed only when it is 0 */
    _Atomic unsigned busy_count;
    uint32_t recordings; /* number of the newest recording, from 1; 0: none so far */
    /* true if a source records code addresses, so that spools must list the loaded shared libraries */
    bool records_addresses;
    /* folder of the run, in which all spools are created and kept; NULL: the process runs without `tracepress
     * record` */
    const char *run_folder;
    unsigned requested_sample_rate; /* samples per second that `record` requests */
    /* true if `record` started this recording; such a recording stops when the program starts its own */
    bool is_for_record;
    uint64_t step_at_recording_end; /* number of the program's current step when the program's own recording ended */
    const struct tp_session_watch *watch;
    void (*confine_stop)(void); /* function from tp_session_set_confine_stop; NULL: none was set */
    /* number of threads that are ending a recording and may be in its handler; `ender` is the newest of them */
    unsigned endings;
    pthread_t newest_ending_thread;
    pid_t pid; /* id of the process that records; 0: no recording was started so far */
    _Atomic uint64_t dropped;
    _Atomic bool needs_module_list; /* true after a recording of this process needed the list of shared libraries */
};

extern struct tp_session tp_session;

/* ---- spools ---- */

/* Returns whether recording is on, or will be on at the first record. */
bool tp_session_is_recording(void);

/* Switches recording on. The first record opens the spool. */
void tp_session_turn_on(void);

/* Checks that the folder of the options can be written, by creating and removing a spool there. is_opened_now: true if
 * the caller creates the spool anyway, so that no test is needed. Returns false after reporting the reason. Checks the
 * folder also under `record`, because handlers write there although the spools are elsewhere. */
bool tp_session_can_create_spool(bool is_opened_now);

/* Opens the spool at the first record of a recording. If opening fails, reports the reason, switches recording off and
 * returns false. */
bool tp_session_open_spool(void);

/* Begins to stop the recording: prevents new windows and recordings, ends the open step, and ends the threads that
 * watch the clock. Releases the session's lock meanwhile. The caller must call tp_session_end_recording next. */
void tp_session_begin_stop(void);

/* Switches recording off and passes the recorded data to the handler. Releases the session's lock meanwhile, because
 * handlers may call this library. */
void tp_session_end_recording(void);

/* Opens the spool of a ring buffer immediately, and starts to prepare the memory pages of the ring buffer. Must be
 * called without the session's lock. */
void tp_session_fill_ring(void);

/* Counts this thread as a user of the spool, so that an open spool stays open. Returns whether the spool of the
 * recording `recording` is open. The caller must call tp_session_release_spool, whatever the result. Must be called
 * without the session's lock. */
static inline bool tp_session_use_spool(uint32_t recording)
{
    atomic_fetch_add(&tp_session.busy_count, 1);
    return atomic_load(&tp_session.opened) == recording;
}

static inline void tp_session_release_spool(void)
{
    atomic_fetch_sub(&tp_session.busy_count, 1);
}

/* Starts sampling if the options ask for it. Returns false if there are no samples. */
bool tp_session_start_sampler(void);

/* Prepares the recording of stacks: loads libunwind and lists the loaded shared libraries. Must be called without the
 * session's lock, because the loader runs functions of the program, which may record. */
void tp_session_prepare_stacks(void);

/* ---- steps ---- */

/* Returns whether a step with this action is recorded. */
static inline bool tp_session_records_step(enum tp_action action)
{
    return action == TP_ACTION_RECORD || action == TP_ACTION_RECORD_AND_SAVE;
}

/* Returns the action of a step that begins now, from the schedule, the rank and the time. */
enum tp_action tp_session_step_action(uint64_t step);

/* Switches recording on or off by comparing the action of the previous step with the action `now` of this step.
 * Releases the session's lock meanwhile. */
void tp_session_enter_step(enum tp_action now);

/* Ends the open step. Must be called without the session's lock. */
void tp_session_close_step(void);

/* tp_session_notify_begun reports to tp_session.watch that a recording has started, if its number differs from
 * `before`. tp_session_notify_ending reports the end of a recording. Must be called without the session's lock. */
void tp_session_notify_begun(uint32_t before);
void tp_session_notify_ending(bool is_ending);

/* ---- windows of time ---- */

/* Returns whether the current time is in a window of TRACEPRESS_WINDOW; always true without windows. */
bool tp_session_is_in_window(void);

/* Starts the window thread, which starts and ends the recording by the clock. Does nothing if no windows are set, or if
 * the program has steps, which then start and end the recording. */
void tp_session_start_window_thread(void);

/* Waits until the window thread is idle. Returns immediately on that thread. Releases the session's lock meanwhile. */
void tp_session_wait_for_window_end(void);

/* Waits until the window thread is idle, and stops it. Returns immediately on that thread. Releases the session's lock
 * meanwhile. */
void tp_session_stop_window(void);

/* Waits for the window thread at exit, for some seconds at most, and stops it. Must be called without the session's
 * lock. Does nothing if the lock is not available. */
void tp_session_stop_window_at_exit(void);

/* Resets the state of windows in a child process after fork, and starts a window thread there if needed. */
void tp_session_reset_window_in_child(void);

/* ---- threads ---- */

/* tp_session_enable_modules enables the list of shared libraries, which names the functions in stacks.
 * tp_session_update_modules updates the list; both are called without the session's lock. tp_session_write_modules
 * writes the list to the spool, with the lock. */
void tp_session_enable_modules(void);
void tp_session_update_modules(void);
void tp_session_write_modules(void);

/* ---- the process ---- */

/* Prepares the process for recording, once. Must be called without the session's lock. */
void tp_session_prepare(void);

#endif
