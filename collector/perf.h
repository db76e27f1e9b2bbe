/* Samples of a thread by the kernel: a clock that runs while the thread does, and a ring of what it found.
 *
 * Neither signals nor descriptors are left in the program, and the clock is as fine as it is asked for. Not every
 * system allows it: containers and strict settings of perf_event_paranoid do not. */
#ifndef TP_COLLECTOR_PERF_H
#define TP_COLLECTOR_PERF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/unwind.h"

/* Zeroed: none. */
struct tp_perf {
    void *ring; /* struct perf_event_mmap_page and the records behind it */
};

/* Begins to sample a thread of this process, every period_ns of its processor time. False: not allowed, or no more of
 * them. */
bool tp_perf_open(struct tp_perf *perf, pid_t tid, uint64_t period_ns);

/* Ends it. Accepts a zeroed one. */
void tp_perf_close(struct tp_perf *perf);

/* Samples that wait. */
uint32_t tp_perf_count(const struct tp_perf *perf);

/* Takes the oldest sample: its stack, and its time by CLOCK_MONOTONIC. False: there is none. */
bool tp_perf_next(struct tp_perf *perf, struct tp_stack_copy *copy, uint64_t *monotonic_ns);

#endif
