/* Quotients of exact integers, rounded once. */
#ifndef TP_WRITER_BASE_RATIO_H
#define TP_WRITER_BASE_RATIO_H

#include <math.h>
#include <stdint.h>

/* a / b; 0 over 0 is 0. */
static inline double tp_ratio(__int128 a, __int128 b)
{
    return b ? (double)((long double)a / (long double)b) : 0.0;
}

/* Nanoseconds over a count as microseconds; NaN (null) without any. */
static inline double tp_mean_us(int64_t total_ns, uint64_t count)
{
    return count ? (double)((long double)total_ns / ((long double)count * 1000)) : NAN;
}

#endif
