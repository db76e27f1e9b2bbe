/* Lets the kernel sample a thread (perf_event_open): a timer on the thread's processor time and a ring buffer of
 * samples.
 *
 * The program sees neither signals nor descriptors, and the timer has the full resolution. Not every system allows it:
 * containers and strict values of perf_event_paranoid forbid it. */
#ifndef TP_COLLECTOR_PERF_H
#define TP_COLLECTOR_PERF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/unwind.h"

/* One sampled thread; zeroed: none. */
struct tp_perf {
    void *ring; /* struct perf_event_mmap_page, followed by the records */
};

/* Starts to sample a thread of this process, every period_ns of its processor time. Returns false if that is not
 * allowed or the system has no more of these events. */
bool tp_perf_open(struct tp_perf *perf, pid_t tid, uint64_t period_ns);

/* Stops sampling. Accepts a zeroed struct. */
void tp_perf_close(struct tp_perf *perf);

/* Returns the number of unread samples. */
uint32_t tp_perf_count(const struct tp_perf *perf);

/* Takes the oldest sample: its stack and its CLOCK_MONOTONIC time in ns. Returns false if none exists. */
bool tp_perf_next(struct tp_perf *perf, struct tp_stack_copy *copy, uint64_t *monotonic_ns);

#endif
