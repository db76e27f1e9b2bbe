/* Threads of ours in the program: the signals of the program are not for them, and whoever must be sure that none of
 * them calls the kernel any more can wait for their end. Any thread; nothing is allocated here. */
#ifndef TP_COLLECTOR_OWN_THREAD_H
#define TP_COLLECTOR_OWN_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Begins run(argument) on a thread that blocks all signals but those of its own faults. *thread: it is to be joined;
 * NULL: nobody joins it. 0 or an errno. */
int tp_own_thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

/* Until all of them have left the kernel, for patience_ms at most; they must have been told to end. False: one goes
 * on. */
bool tp_own_threads_await(unsigned patience_ms);

/* In the child of a fork: none is here. */
void tp_own_threads_in_child(void);

/* Who has a thread that is none of the session's, and can do without it for a moment: leave: asks it to end, without
 * waiting; come_back: has it again, where it is still of use. Before main; for tp_session_end_threads, and not in it.
 */
void tp_own_threads_register(void (*leave)(void), void (*come_back)(void));
void tp_own_threads_end(void);
void tp_own_threads_begin(void);

#endif
