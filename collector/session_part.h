/* Declares the internal parts of the session (session.h). Only collector/session*.c includes it.
 *
 * session.c has the state of the process and starts and stops recordings. session_spool.c opens and closes spools,
 * session_step.c follows the schedule, and session_window.c follows the clock. session_threads.c serves the threads
 * that record, and session_process.c handles fork and exit. Functions need the session's lock unless their comment says
 * otherwise. */
#ifndef TP_COLLECTOR_SESSION_PART_H
#define TP_COLLECTOR_SESSION_PART_H

#include <pthread.h>
#include <stdatomic.h>

#include "collector/choice.h"
#include "collector/schedule.h"
#include "collector/session.h"

struct tp_session {
    pthread_mutex_t lock;
    struct tracepress_options options; /* owns its texts */
    bool is_started, has_step;         /* has_step: a ProfilerStep range is open */
    bool is_awaited;                   /* recording is on, but its spool is opened at the first record */
    uint64_t step, first_step;
    enum tp_action action;          /* of the current step */
    bool is_left_out;               /* TRACEPRESS_RANKS excludes this rank, which records nothing */
    struct tp_choice_window window; /* TRACEPRESS_WINDOW: steps or moments outside of its windows are not recorded */
    uint32_t follower;              /* number of the last thread that was started to follow the window */
    bool is_turning;                /* thread `turner` is ending the recording of a window */
    pthread_t turner;
    pthread_cond_t has_turned; /* signalled when is_turning becomes false or `follower` changes */
    struct tp_spool spool;
    _Atomic uint32_t opened;     /* number of the recording whose spool is open; 0: none */
    _Atomic unsigned busy_count; /* threads that use the spool without the lock; it is closed only without
                                  * users */
    uint32_t recordings;         /* number of the last recording */
    bool has_addresses;          /* a source records addresses */
    const char *run_folder;      /* folder of the run, where all spools are created and stay; NULL without `tracepress
                                  * record` */
    unsigned run_rate;           /* samples per second that `record` wants */
    bool is_lent;                /* `record` started this recording; it stops when the program starts its own */
    uint64_t own_step;           /* step of the program when its own recording ended */
    const struct tp_session_watch *watch;
    void (*at_confine)(void); /* or NULL */
    unsigned endings;         /* threads that are ending a recording, and may be in its handler; `ender`: the last of
                               * them */
    pthread_t ender;
    pid_t pid; /* 0: nothing was recorded so far */
    _Atomic uint64_t dropped;
    _Atomic bool wants_modules; /* a recording of the process needed the list of modules */
};

extern struct tp_session tp_session;

/* ---- spools ---- */

/* Returns whether recording is on, or will be on at the first record. */
bool tp_session_is_on(void);

/* Switches recording on; its spool is opened at the first record. */
void tp_session_turn_on(void);

/* Checks that the folder of the options can be written, by creating and removing a spool there unless one is opened now
 * anyway. Returns false after reporting the reason. Also checked under `record`, whose spools are elsewhere, because
 * handlers write there. */
bool tp_session_has_place(bool is_opened_now);

/* Opens the awaited spool. If that fails, reports the reason, switches recording off and returns false. */
bool tp_session_open(void);

/* Begins to stop: prevents new windows and recordings, ends the open step, and ends our watching threads. Releases the
 * lock meanwhile. The caller must call tp_session_finish next. */
void tp_session_wind_up(void);

/* Switches recording off and passes the recorded data to the handler. Releases the lock meanwhile, because handlers may
 * call this library. */
void tp_session_finish(void);

/* Opens the spool of a ring immediately and has its pages made ready. Must be called without the lock. */
void tp_session_fill_ring(void);

/* Counts this thread as a user of the spool. Must be called without the lock. Returns whether the spool of that
 * recording is open. The caller must call tp_session_leave_spool in either case; until then an open spool stays
 * open. */
static inline bool tp_session_use_spool(uint32_t recording)
{
    atomic_fetch_add(&tp_session.busy_count, 1);
    return atomic_load(&tp_session.opened) == recording;
}

static inline void tp_session_leave_spool(void)
{
    atomic_fetch_sub(&tp_session.busy_count, 1);
}

/* Starts sampling if the options ask for it. Returns false if there are no samples. */
bool tp_session_start_sampler(void);

/* Loads what stacks need. Must be called without the lock, because the loader runs functions of the program, which may
 * record. */
void tp_session_prepare_stacks(void);

/* ---- steps ---- */

/* Returns whether a step with this action is recorded. */
static inline bool tp_session_is_kept(enum tp_action action)
{
    return action == TP_ACTION_RECORD || action == TP_ACTION_RECORD_AND_SAVE;
}

/* Returns the action of a step that begins now, from the schedule, the rank and the time. */
enum tp_action tp_session_action(uint64_t step);

/* Changes from the action of the previous step to that of this step. Releases the lock meanwhile. */
void tp_session_enter_step(enum tp_action now);

/* Ends the open step. Must be called without the lock. */
void tp_session_close_step(void);

/* Notifies the watch that a recording has started since `before`, or that the recording is ending. Must be called
 * without the lock. */
void tp_session_write_begun(uint32_t before);
void tp_session_write_ending(bool is_ending);

/* ---- windows of time ---- */

/* Returns whether the current moment is in a window; always true without windows. */
bool tp_session_is_in_window(void);

/* Starts a thread that starts and ends the recording by the clock, if windows are wanted and no steps decide. */
void tp_session_follow_window(void);

/* Waits until the window thread is idle. Returns immediately on that thread. Releases the lock meanwhile. */
void tp_session_await_turn(void);

/* Does the same and stops the window thread. */
void tp_session_leave_window(void);

/* Does the same without the lock, for some seconds at most. Does nothing if the lock is not available. */
void tp_session_leave_window_at_exit(void);

/* Resets the state in a child of fork, which does not have the window thread. */
void tp_session_window_in_child(void);

/* ---- threads ---- */

/* Enable, update and write the list of modules that stacks may contain. The first two are called without the lock, the
 * third with it. */
void tp_session_want_modules(void);
void tp_session_look_for_modules(void);
void tp_session_write_modules(void);

/* ---- the process ---- */

/* Prepares the process for recording, once. Must be called without the lock. */
void tp_session_prepare(void);

#endif
