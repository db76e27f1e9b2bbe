/* Adds times and sizes from a file: results stop at the limits of int64 instead of overflowing. */
#ifndef TP_WRITER_BASE_SATURATE_H
#define TP_WRITER_BASE_SATURATE_H

#include <stdint.h>

static inline int64_t tp_sat_add(int64_t x, int64_t y)
{
    int64_t sum;
    if (__builtin_expect(!__builtin_add_overflow(x, y, &sum), 1))
        return sum;
    return x < 0 ? INT64_MIN + 1 : INT64_MAX; /* + 1, because INT64_MIN is TP_NULL_INT, the absent value */
}

static inline int64_t tp_sat_sub(int64_t x, int64_t y)
{
    int64_t difference;
    if (__builtin_expect(!__builtin_sub_overflow(x, y, &difference), 1))
        return difference;
    return x < 0 ? INT64_MIN + 1 : INT64_MAX;
}

static inline int64_t tp_sat_mul(int64_t x, int64_t y)
{
    int64_t product;
    if (__builtin_expect(!__builtin_mul_overflow(x, y, &product), 1))
        return product;
    return (x < 0) != (y < 0) ? INT64_MIN + 1 : INT64_MAX;
}

#endif
