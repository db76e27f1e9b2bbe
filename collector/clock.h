/* Reads the clock of a recording: the time stamp counter if its rate is steady, otherwise CLOCK_MONOTONIC. */
#ifndef TP_COLLECTOR_CLOCK_H
#define TP_COLLECTOR_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "writer/spool/spool_format.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* true if times are ticks of the time stamp counter. Set once by tp_clock_init. */
extern bool tp_clock_is_tsc;

/* Chooses the clock. May be called by any thread, before the first tp_clock_now. */
void tp_clock_init(void);

/* Returns the values of all clocks at the same moment. Reads them several times and returns the values of the fastest
 * attempt. Any thread may call this function. */
struct tp_spool_clock tp_clock_read_all(void);

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
