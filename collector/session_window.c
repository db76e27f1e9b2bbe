/* Starts and stops the recording at the edges of TRACEPRESS_WINDOW, on the window thread, in a session without steps.
 * See session.h.
 *
 * The window thread exists only if a window is set, and it blocks all signals. It sleeps without the lock until the
 * next edge of the wall clock. It ends with the recording. It also ends when the program takes its first step, because
 * session_step.c then starts and stops the recording. While the window thread is ending a window, the program's handler
 * may be running. Therefore a thread that stops a recording, takes a step or exits waits for the window thread. */
#include "collector/session_part.h"

#include <pthread.h>
#include <time.h>

#include "collector/recorder.h"
#include "collector/recorder_thread.h"

enum { NS_PER_S = 1000000000, EXIT_WAIT_S = 5 };

static uint64_t realtime_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

bool tp_session_is_in_window(void)
{
    return tp_session.window.period_ns == 0 || tp_choice_is_window_open(&tp_session.window, realtime_ns());
}

/* Returns whether the window thread with this number still starts and stops the recording. */
static bool is_current_window_thread(uint32_t number)
{
    return tp_session.window_thread_number == number && tp_session.is_started && tp_session.step == 0;
}

/* Starts recording for a window. The first record opens the spool, so an idle process creates no spool. */
static void open_window(void)
{
    tp_session.action = TP_ACTION_RECORD;
    tp_session_turn_on();
    tp_session_start_sampler();
    pthread_mutex_unlock(&tp_session.lock);
    /* called without the lock, because the function may wait for the loader; other threads then need the lock */
    tp_session_notify_begun(0);
    pthread_mutex_lock(&tp_session.lock);
}

static void close_window(uint32_t number)
{
    pthread_mutex_unlock(&tp_session.lock);
    tp_session_notify_ending(true); /* called without the lock, because it may wait for the loader */
    tp_session_update_modules();
    pthread_mutex_lock(&tp_session.lock);
    if (!is_current_window_thread(number))
        return;
    tp_session.is_window_ending_recording = true;
    tp_session.window_ending_thread = pthread_self();
    tp_session.action = TP_ACTION_NONE;
    tp_session_end_recording();
    tp_session.is_window_ending_recording = false;
    pthread_cond_broadcast(&tp_session.window_end_condition);
}

static void *run_window_thread(void *argument)
{
    uint32_t number = (uint32_t)(uintptr_t)argument;
    tp_cursor.inside++; /* makes hooks ignore the work of this thread */
    pthread_mutex_lock(&tp_session.lock);
    while (is_current_window_thread(number)) {
        uint64_t now = realtime_ns(), edge = tp_choice_next_edge_ns(&tp_session.window, now);
        const struct timespec until = {(time_t)(edge / NS_PER_S), (long)(edge % NS_PER_S)};
        bool is_open = tp_choice_is_window_open(&tp_session.window, now);
        if (is_open && !tp_session_is_recording())
            open_window();
        else if (!is_open && tp_session_is_recording())
            close_window(number);
        /* waits until an absolute time, so that a change of the wall clock changes the length of the wait */
        else
            pthread_cond_timedwait(&tp_session.window_end_condition, &tp_session.lock, &until);
    }
    pthread_mutex_unlock(&tp_session.lock);
    return NULL;
}

void tp_session_start_window_thread(void)
{
    const struct tp_choice_window *window = &tp_session.window;
    uint32_t number = ++tp_session.window_thread_number;
    if (!tp_session.is_started || tp_session.is_left_out || tp_session.step || tp_session.options.schedule.active ||
        window->length_ns == window->period_ns)
        return;
    if (tp_recorder_thread_start(NULL, run_window_thread, (void *)(uintptr_t)number) !=
        0) // NOLINT(performance-no-int-to-ptr)
        tp_session_print_message(TP_SEVERITY_DETAIL, "TRACEPRESS_WINDOW is ignored", "cannot create a thread");
}

/* ---- functions that wait for the window thread ---- */

static bool is_window_ending(void)
{
    return tp_session.is_window_ending_recording && !pthread_equal(tp_session.window_ending_thread, pthread_self());
}

void tp_session_wait_for_window_end(void)
{
    while (is_window_ending())
        pthread_cond_wait(&tp_session.window_end_condition, &tp_session.lock);
}

void tp_session_stop_window(void)
{
    tp_session.window_thread_number++;
    pthread_cond_broadcast(&tp_session.window_end_condition);
    tp_session_wait_for_window_end();
}

void tp_session_stop_window_at_exit(void)
{
    struct timespec until;
    /* does not wait, because code that has the lock may have called exit */
    if (pthread_mutex_trylock(&tp_session.lock) != 0)
        return;
    tp_session.window_thread_number++;
    pthread_cond_broadcast(&tp_session.window_end_condition);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += EXIT_WAIT_S;
    while (is_window_ending() &&
           pthread_cond_timedwait(&tp_session.window_end_condition, &tp_session.lock, &until) == 0)
        ;
    pthread_mutex_unlock(&tp_session.lock);
}

void tp_session_reset_window_in_child(void)
{
    tp_session.is_window_ending_recording = false; /* false, because the window thread does not exist in the child */
    tp_session.window_end_condition = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    tp_session_start_window_thread();
}
