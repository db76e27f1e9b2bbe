/* Defines arithmetic on nanoseconds. Sums saturate, because a malicious trace may contain any time. Percentages and
 * quotients use the order of operations in docs/definitions.md, so that the bits of every double are exactly as
 * defined. */
#ifndef TP_WEBREPORT_MODEL_NUMBERS_H
#define TP_WEBREPORT_MODEL_NUMBERS_H

#include <stdint.h>

#include "writer/base/saturate.h"

static inline int64_t tp_ns_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t tp_ns_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Returns ns * factor / divisor, rounded down. factor: >= 0. divisor: > 0. */
static inline int64_t tp_ns_scaled(int64_t ns, int64_t factor, int64_t divisor)
{
    __int128 product = (__int128)ns * factor, quotient = product / divisor;
    if (product % divisor < 0)
        quotient--;
    return quotient > INT64_MAX ? INT64_MAX : quotient < INT64_MIN + 1 ? INT64_MIN + 1 : (int64_t)quotient;
}

/* Returns the percentage 100 * a / b; 0 if b is 0. */
static inline double tp_percent(int64_t a, int64_t b)
{
    return b ? 100.0 * (double)a / (double)b : 0.0;
}

static inline double tp_microseconds(int64_t ns)
{
    return (double)ns / 1000.0;
}

#endif
