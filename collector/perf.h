/* Makes the kernel sample a thread (perf_event_open), with a timer on the thread's processor time and a ring buffer of
 * samples.
 *
 * The program sees neither signals nor descriptors, and the timer has the full resolution. Some systems forbid the
 * call: containers and strict values of perf_event_paranoid. */
#ifndef TP_COLLECTOR_PERF_H
#define TP_COLLECTOR_PERF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/unwind.h"

/* One sampled thread; a zeroed struct samples no thread. */
struct tp_perf {
    void *ring; /* ring buffer: a struct perf_event_mmap_page, followed by the records */
};

/* Starts to sample a thread of this process, every period_ns of its processor time. Returns false if the system
 * forbids it or has no more events of this kind. */
bool tp_perf_open(struct tp_perf *perf, pid_t tid, uint64_t period_ns);

/* Stops sampling. Accepts a zeroed struct. */
void tp_perf_close(struct tp_perf *perf);

/* Returns the number of unread samples. */
uint32_t tp_perf_unread_count(const struct tp_perf *perf);

/* Removes the oldest sample from the ring. Fills *copy with its stack and *monotonic_ns with its time on
 * CLOCK_MONOTONIC, in ns. Returns false if no sample exists. */
bool tp_perf_take_sample(struct tp_perf *perf, struct tp_stack_copy *copy, uint64_t *monotonic_ns);

#endif
