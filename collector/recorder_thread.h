/* Starts the recorder's own threads in the program. These threads block the program's signals. A caller can wait until
 * all of them have ended and make no more system calls. Any thread may call these functions; they allocate nothing. */
#ifndef TP_COLLECTOR_RECORDER_THREAD_H
#define TP_COLLECTOR_RECORDER_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts run(argument) on a thread that blocks all signals except those of its own faults. thread: receives the handle
 * for pthread_join; NULL detaches the thread. Returns 0 or an errno. */
int tp_recorder_thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

/* Waits until all of the recorder's threads have ended, for at most patience_ms. The caller must have asked the
 * threads to end. Returns false if a thread is still running. */
bool tp_recorder_threads_wait_for_end(unsigned patience_ms);

/* Resets the list of threads in a child of fork, which has none of them. */
void tp_recorder_threads_reset_in_child(void);

/* Registers the owner of a thread that the session does not manage. leave: asks the thread to end, without waiting.
 * come_back: starts the thread again if it is still needed. tp_recorder_threads_stop and tp_recorder_threads_restart
 * call the two functions for tp_session_stop_threads. Call this function before main. */
void tp_recorder_threads_register(void (*leave)(void), void (*come_back)(void));
void tp_recorder_threads_stop(void);
void tp_recorder_threads_restart(void);

#endif
