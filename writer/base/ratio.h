/* Quotients of exact integers: the double that is nearest to the true quotient, on every processor. A long double in
 * between would round twice, and has another size on each of them. */
#ifndef TP_WRITER_BASE_RATIO_H
#define TP_WRITER_BASE_RATIO_H

#include <math.h>
#include <stdint.h>

/* a / b; anything over 0 is 0. Any thread. */
double tp_ratio(__int128 a, __int128 b);

/* Nanoseconds over a count as microseconds; NaN (null) without any. */
static inline double tp_mean_us(int64_t total_ns, uint64_t count)
{
    return count ? tp_ratio(total_ns, (__int128)count * 1000) : NAN;
}

#endif
