/* Samples where the program's threads spend their processor time.
 *
 * If the system allows it, the kernel takes the samples (perf.h) and the program notices nothing. Otherwise each
 * thread gets a timer on its own processor time. The timer fires only while the thread runs, so it never interrupts a
 * waiting system call. The handler of the timer's signal copies registers and stack (unwind.h) without locks or
 * allocations. Kernels check such timers only 100 to 1000 times a second, whatever their period. In both cases a
 * thread of the recorder walks the stacks and writes the samples. Each sample represents the processor time of its
 * thread since the previous sample, so the samples of a thread add up to its total.
 *
 * The timers use SIGURG, because a late signal does no harm: by default, processes ignore SIGURG. A program with its
 * own SIGURG handler gets no timers. */
#ifndef TP_COLLECTOR_SAMPLER_H
#define TP_COLLECTOR_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

/* Starts sampling `rate` times a second (1 to 10000) into the current recording, unless sampling is already running.
 * Returns NULL, or the reason why there are no samples; the recording then continues without samples. Needs the
 * session's lock. */
const char *tp_sampler_start(uint32_t rate);

/* Stops sampling after the last samples are written. Does nothing without sampling. The caller must not have the
 * session's lock. */
void tp_sampler_stop(void);

/* Makes sure that no signal handler of the recorder runs any more, not even for a pending signal. Call it after
 * tp_sampler_stop. */
void tp_sampler_release_signal(void);

/* Resets the sampler in a child process after fork; the sampling thread exists only in the parent. */
void tp_sampler_reset_in_child(void);

/* Pauses the sampling thread until tp_sampler_resume, at a place where that thread has no lock of the C library.
 * Otherwise a copy of the process that is made without the C library's fork could inherit a lock that nobody releases.
 * Returns false if there is no sampling thread or the pause takes too long. After false, tp_sampler_resume must not be
 * called. */
bool tp_sampler_pause(void);
void tp_sampler_resume(void);

#endif
