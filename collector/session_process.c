/* The session in a process that forks and exits. See session.h. */
#include "collector/session_part.h"

#include <pthread.h>

#include "collector/clock.h"
#include "collector/live.h"
#include "collector/loaded_modules.h"
#include "collector/notes.h"
#include "collector/recorder.h"
#include "collector/sampler.h"

static void before_fork(void)
{
    pthread_mutex_lock(&tp_session.lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&tp_session.lock);
}

/* The child goes on in a spool of its own, if it records anything: most children become another program at once. Its
 * copy of this thread's chunk belongs to the parent's spool: the new number makes it let go. */
static void in_child(void)
{
    tp_cursor.tid = 0;
    tp_session.has_step = false; /* the open one is the parent's */
    tp_session.busy_count = 0;   /* those threads are not here */
    tp_session.is_idle = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    tp_sampler_forget();
    tp_modules_in_child();
    tp_live_in_child();
    if (tp_session_is_on()) {
        tp_spool_close(&tp_session.spool, false);
        tp_notes_leave();
        tp_session_turn_on();
    }
    tp_session_window_in_child();
    pthread_mutex_unlock(&tp_session.lock);
    if (tp_session.watch)
        tp_session.watch->in_child();
}

void tp_session_prepare(void)
{
    tp_clock_init();
    pthread_atfork(before_fork, after_fork, in_child);
}

/* By its number after all other destructors of the library, one of which may stop the recording. */
__attribute__((destructor(200))) static void at_exit(void)
{
    tp_live_exit();
    tp_session_leave_window_at_exit();
    if (tp_session.spool.fd >= 0 && !tp_session.run_folder) { /* it goes on for threads that outlive exit a little */
        tp_session_say("the recording was not stopped; make the trace with: tracepress recover", tp_session.spool.path);
    }
}
