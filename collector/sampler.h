/* Where the program's threads spend their processor time.
 *
 * Where the system allows it, the kernel takes the samples (perf.h): nothing of it is seen in the program. Elsewhere
 * every thread gets a timer on its own processor time. It rings while the thread runs, never while it waits, so that
 * system calls are not cut short; the handler copies registers and stack (unwind.h), takes no lock and no memory, and
 * returns. (Kernels look at such timers 100 to 1000 times a second, however fine they are set.) In both ways a thread
 * of ours walks the stacks and writes the samples. A sample stands for the processor time that its thread used since
 * the one before, so the samples of a thread add up to it.
 *
 * The timers' signal is SIGURG, because nobody dies of one that comes late: its default action is nothing. A program
 * that handles SIGURG itself gets no timers. */
#ifndef TP_COLLECTOR_SAMPLER_H
#define TP_COLLECTOR_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

/* Begins sampling, `rate` times a second (1 to 10000), into the current recording, unless it goes on. Returns NULL, or
 * why there are no samples: the recording goes on without. Under the session's lock. */
const char *tp_sampler_start(uint32_t rate);

/* Ends it after the last samples are written; nothing when there is none. Not under the session's lock. */
void tp_sampler_stop(void);

/* After the end: no handler of ours runs any more, not even for a signal that waits. */
void tp_sampler_leave_signal(void);

/* In the child of a fork: the sampling thread is not there. */
void tp_sampler_forget(void);

/* Until tp_sampler_resume our thread holds no lock of the C library's, so that a copy of the process that is made
 * behind the library's back finds none that nobody lets go of. False: there is no thread, or it takes too long; then
 * nothing is to be resumed. */
bool tp_sampler_pause(void);
void tp_sampler_resume(void);

#endif
