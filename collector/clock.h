/* The clock of a recording: the time stamp counter where it is steady, CLOCK_MONOTONIC elsewhere. */
#ifndef TP_COLLECTOR_CLOCK_H
#define TP_COLLECTOR_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "writer/spool/spool_format.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* True when times are ticks of the time stamp counter. Set once by tp_clock_init. */
extern bool tp_clock_is_tsc;

/* Decides which clock is used. Any thread, before the first tp_clock_now. */
void tp_clock_init(void);

/* One moment on all clocks: the closest of several tries. Any thread. */
struct tp_spool_clock tp_clock_moment(void);

static inline uint64_t tp_clock_now(void)
{
#if defined(__x86_64__)
    if (__builtin_expect(tp_clock_is_tsc, 1))
        return __rdtsc();
#endif
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
