/* Parts of the session: see session.h. Included by collector/session*.c alone.
 *
 * session.c has the one state of the process, starts and stops; session_spool.c begins and ends spools, session_step.c
 * follows the schedule, session_window.c the clock, session_threads.c serves the threads that record, session_process.c
 * has fork and exit. Unless it says otherwise, a function is called with the lock held. */
#ifndef TP_COLLECTOR_SESSION_PART_H
#define TP_COLLECTOR_SESSION_PART_H

#include <pthread.h>
#include <stdatomic.h>

#include "collector/choice.h"
#include "collector/schedule.h"
#include "collector/session.h"

struct tp_session {
    pthread_mutex_t lock;
    struct tracepress_options options; /* texts are ours */
    bool is_started, has_step;         /* has_step: a ProfilerStep range is open */
    bool is_awaited;                   /* recording is on, and its spool is opened at the first record */
    uint64_t step, first_step;
    enum tp_action action;          /* of the current step */
    bool is_left_out;               /* TRACEPRESS_RANKS: this rank records nothing */
    struct tp_choice_window window; /* TRACEPRESS_WINDOW: steps, or moments, outside are not recorded */
    uint32_t follower;              /* number of the last thread that was to follow it */
    bool is_turning;                /* that thread, `turner`, ends the recording of a window */
    pthread_t turner;
    pthread_cond_t has_turned; /* is_turning is false, or `follower` another */
    struct tp_spool spool;
    _Atomic uint32_t opened;     /* recording whose spool is open; 0: none */
    _Atomic unsigned busy_count; /* threads that use the spool without the lock; it is closed when none is left */
    uint32_t recordings;         /* number of the last one */
    bool has_addresses;     /* a source records some */
    const char *run_folder; /* of `tracepress record`, NULL: it is not there. Every spool goes there and stays */
    unsigned run_rate;      /* samples a second that it wants */
    bool is_lent;           /* what goes on was begun for it, and ends when the program begins a recording of its own */
    uint64_t own_step;      /* what the program was at when its own recording ended */
    const struct tp_session_watch *watch;
    void (*at_confine)(void); /* NULL: nothing */
    unsigned endings;         /* threads that end a recording, and may be in its handler; `ender`: the last */
    pthread_t ender;
    pid_t pid; /* 0: nothing was recorded so far */
    _Atomic uint64_t dropped;
    _Atomic bool wants_modules; /* some recording of the process did */
};

extern struct tp_session tp_session;

/* ---- spools ---- */

/* Recording is on, or will be at the first record. */
bool tp_session_is_on(void);

/* Switches recording on, into a spool that is opened at the first record. */
void tp_session_turn_on(void);

/* Whether what is recorded can be written where the options want it: a spool is made there and removed, unless it is
 * opened now anyway. False after saying why. Under `record`, too, whose spools lie elsewhere: handlers write there. */
bool tp_session_has_place(bool is_opened_now);

/* Opens the spool that is awaited. False, after saying why and switching recording off, when it cannot be had. */
bool tp_session_open(void);

/* The first half of an end: no window opens, no step is open, no thread of ours watches; recording is not started any
 * more. Lets go of the lock meanwhile; tp_session_finish is to follow. */
void tp_session_wind_up(void);

/* Switches recording off and hands what was kept to the handler. Lets go of the lock meanwhile: handlers may call us.
 */
void tp_session_finish(void);

/* Opens the spool of a ring at once, where one records, and has its pages made ready. Without the lock. */
void tp_session_fill_ring(void);

/* Counts this thread as a user of the spool; called without the lock. Returns whether the spool of that recording is
 * open: then it stays open until tp_session_leave_spool, which the caller must call in either case. */
static inline bool tp_session_use_spool(uint32_t recording)
{
    atomic_fetch_add(&tp_session.busy_count, 1);
    return atomic_load(&tp_session.opened) == recording;
}

static inline void tp_session_leave_spool(void)
{
    atomic_fetch_sub(&tp_session.busy_count, 1);
}

/* Samples, where they were asked for; false when there are none. */
bool tp_session_start_sampler(void);

/* Without the lock: the loader runs functions of the program, which may record. */
void tp_session_prepare_stacks(void);

/* ---- steps ---- */

/* Whether a step that does this is recorded. */
static inline bool tp_session_is_kept(enum tp_action action)
{
    return action == TP_ACTION_RECORD || action == TP_ACTION_RECORD_AND_SAVE;
}

/* What a step does that begins now: by schedule, rank and time. */
enum tp_action tp_session_action(uint64_t step);

/* Moves from what the step before did to what this step shall do; lets go of the lock meanwhile. */
void tp_session_enter_step(enum tp_action now);

/* Without the lock. */
void tp_session_close_step(void);

/* Tells the watch that a recording has begun, when one has since `before`; that one ends. Without the lock. */
void tp_session_write_begun(uint32_t before);
void tp_session_write_ending(bool is_ending);

/* ---- windows of time ---- */

/* This moment is in a window; true without windows. */
bool tp_session_is_in_window(void);

/* From now on a thread opens and closes the recording, where that is asked for and no steps decide. */
void tp_session_follow_window(void);

/* Until that thread is not in the middle of it; at once when called by it. Lets go of the lock meanwhile. */
void tp_session_await_turn(void);

/* The same, and it does so no more. */
void tp_session_leave_window(void);

/* The same without the lock, for some seconds at most; nothing when the lock cannot be had. */
void tp_session_leave_window_at_exit(void);

/* In the child of a fork: the thread is not there. */
void tp_session_window_in_child(void);

/* ---- threads ---- */

/* Modules that stacks may run through: looking for them, without the lock (want: from now on); telling the spool. */
void tp_session_want_modules(void);
void tp_session_look_for_modules(void);
void tp_session_write_modules(void);

/* ---- the process ---- */

/* Once per process, without the lock. */
void tp_session_prepare(void);

#endif
