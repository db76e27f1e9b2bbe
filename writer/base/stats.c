/* Computes statistics of samples: see stats.h. */
#include "writer/base/stats.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int64_t tp_round_to_integer(double value)
{
    const double most = 9e18; /* limited, so that two results can be added without overflow */
    return isnan(value) ? TP_NULL_INT : (int64_t)llround(fmin(fmax(value, -most), most));
}

/* ---- random generator ---- */

uint64_t tp_random_next(struct tp_random *random)
{
    uint64_t z = random->state += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

uint32_t tp_random_below(struct tp_random *random, uint32_t below)
{
    return (uint32_t)(((tp_random_next(random) >> 32) * below) >> 32);
}

double tp_random_unit(struct tp_random *random)
{
    return (double)(tp_random_next(random) >> 11) * 0x1p-53;
}

/* ---- quantiles ---- */

static int compare_by_real(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

void tp_sort_reals(double *values, size_t count)
{
    if (count > 1)
        qsort(values, count, sizeof *values, compare_by_real);
}

static int compare_by_integer(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

void tp_sort_integers(int64_t *values, size_t count)
{
    if (count > 1)
        qsort(values, count, sizeof *values, compare_by_integer);
}

size_t tp_nearest_rank(size_t count, unsigned percent)
{
    /* equals ceil(count * percent / 100), where count * percent could overflow */
    size_t rank = (count / 100) * percent + ((count % 100) * percent + 99) / 100;
    return rank ? rank - 1 : 0;
}

int64_t tp_sorted_integer_median(const int64_t *sorted, size_t count)
{
    int64_t low = sorted[(count - 1) / 2];
    return tp_sat_add(low, tp_sat_sub(sorted[count / 2], low) / 2);
}

double tp_sorted_median(const double *sorted, size_t count)
{
    if (count == 0)
        return NAN;
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static int compare_by_value(const void *x, const void *y, const void *context)
{
    (void)context;
    return compare_by_real(x, y); /* works because `value` is the first member of the struct, and compare_by_real reads
                                     the double at this address */
}

double tp_weighted_median(struct tp_weighted *items, size_t count, struct tp_arena *arena)
{
    double all = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        all += items[i].weight;
    tp_merge_sort(arena, items, count, sizeof *items, compare_by_value, NULL);
    for (size_t i = 0; i < count; i++) {
        sum += items[i].weight;
        if (sum >= all / 2)
            return items[i].value;
    }
    return 0;
}

/* Adds up the values. A second number collects the lost low-order bits (Neumaier 1974). */
double tp_sum(const double *values, size_t count)
{
    double sum = 0, lost = 0;
    for (size_t i = 0; i < count; i++) {
        double next = sum + values[i];
        lost += fabs(sum) >= fabs(values[i]) ? sum - next + values[i] : values[i] - next + sum;
        sum = next;
    }
    return isfinite(lost) ? sum + lost : sum;
}

double tp_sum_squared_deviations(double *values, size_t count)
{
    double first = values[0];
    for (size_t i = 0; i < count; i++)
        values[i] -= first;
    double mean = tp_sum(values, count) / (double)count;
    for (size_t i = 0; i < count; i++)
        values[i] = (values[i] - mean) * (values[i] - mean);
    return tp_sum(values, count);
}

/* Converts value i, an integer or a real, to an unsigned number. These numbers have the same order as the values. */
static inline uint64_t unsigned_number_in_same_order(const void *values, size_t i, bool are_reals)
{
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t bits;
    memcpy(&bits, (const char *)values + i * sizeof bits, sizeof bits);
    return are_reals && bits & sign ? ~bits : bits ^ sign;
}

static inline void swap_values(void *values, size_t i, size_t k)
{
    char *one = (char *)values + i * sizeof(uint64_t), *other = (char *)values + k * sizeof(uint64_t);
    uint64_t bits;
    memcpy(&bits, one, sizeof bits);
    memcpy(one, other, sizeof bits);
    memcpy(other, &bits, sizeof bits);
}

/* Returns the shift of the highest byte in which the values differ, bits. */
static inline int shift_of_highest_byte(const void *values, size_t count, bool are_reals)
{
    uint64_t differs = 0, first = unsigned_number_in_same_order(values, 0, are_reals);
    int shift = 0;
    for (size_t i = 1; i < count; i++)
        differs |= unsigned_number_in_same_order(values, i, are_reals) ^ first;
    while (shift < 56 && differs >> shift >> 8)
        shift += 8;
    return shift;
}

/* Moves the value that would be at index `rank` after sorting (rank < count) to the front. Radix selection makes one
 * pass per byte over the remaining candidates, so the time is linear for any input. */
static inline __attribute__((always_inline)) void move_value_of_rank_to_front(void *values, size_t count, size_t rank,
                                                                              bool are_reals)
{
    for (int shift = shift_of_highest_byte(values, count, are_reals); shift >= 0 && count > 1; shift -= 8) {
        size_t counts[256] = {0}, kept = 0;
        for (size_t i = 0; i < count; i++)
            counts[unsigned_number_in_same_order(values, i, are_reals) >> shift & 255]++;
        unsigned byte = 0;
        for (; rank >= counts[byte]; byte++)
            rank -= counts[byte];
        for (size_t i = 0; i < count; i++)
            if ((unsigned_number_in_same_order(values, i, are_reals) >> shift & 255) == byte)
                swap_values(values, kept++, i);
        count = kept;
    }
}

static int64_t select_value_of_rank(int64_t *values, size_t count, size_t rank)
{
    move_value_of_rank_to_front(values, count, rank, false);
    return values[0];
}

int64_t tp_integer_percentile(int64_t *values, size_t count, unsigned percent)
{
    return select_value_of_rank(values, count, tp_nearest_rank(count, percent));
}

double tp_real_percentile(double *values, size_t count, unsigned percent)
{
    move_value_of_rank_to_front(values, count, tp_nearest_rank(count, percent), true);
    return values[0];
}

/* Returns the median. For an even count, it is the mean of the lower middle value and the smallest value above it, as
 * for sorted values. */
static double select_median(double *values, size_t count)
{
    move_value_of_rank_to_front(values, count, (count - 1) / 2, true);
    double low = values[0], high = INFINITY;
    size_t up_to = 0;
    for (size_t i = 0; i < count && count % 2 == 0; i++) {
        up_to += values[i] <= low;
        high = values[i] > low && values[i] < high ? values[i] : high;
    }
    return count % 2 ? low : up_to > count / 2 ? (low + low) / 2 : (low + high) / 2;
}

double tp_median(double *values, size_t count)
{
    enum { FEW = 128 };
    if (count > FEW)
        return select_median(values, count);
    tp_sort_reals(values, count);
    return tp_sorted_median(values, count);
}

double tp_robust_deviation(double *values, size_t count)
{
    double middle = tp_median(values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i] - middle);
    return 1.4826 * tp_median(values, count);
}

int64_t tp_lower_median(int64_t *values, size_t count)
{
    return count ? select_value_of_rank(values, count, (count - 1) / 2) : 0;
}

int64_t tp_integer_median(int64_t *values, size_t count)
{
    if (!count)
        return 0;
    int64_t low = select_value_of_rank(values, count, (count - 1) / 2);
    int64_t high = count % 2 ? low : select_value_of_rank(values, count, count / 2);
    return tp_sat_add(low, tp_sat_sub(high, low) / 2);
}
