/* Divides integers so that the result is the double nearest to the true quotient, on every processor. A long double as
 * an intermediate result would round twice, and its size depends on the processor. */
#ifndef TP_WRITER_BASE_RATIO_H
#define TP_WRITER_BASE_RATIO_H

#include <math.h>
#include <stdint.h>

/* Returns a / b; 0 if b is 0. Any thread. */
double tp_ratio(__int128 a, __int128 b);

/* Returns nanoseconds divided by a count, in microseconds; NaN (null) if the count is 0. */
static inline double tp_mean_us(int64_t total_ns, uint64_t count)
{
    return count ? tp_ratio(total_ns, (__int128)count * 1000) : NAN;
}

#endif
