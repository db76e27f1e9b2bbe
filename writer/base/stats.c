/* Statistics of samples: see stats.h. */
#include "writer/base/stats.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"
#include "writer/base/student.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t tp_whole_of(double value)
{
    const double most = 9e18; /* fits with room for a sum */
    return isnan(value) ? TP_NULL_INT : (int64_t)llround(fmin(fmax(value, -most), most));
}

/* ---- generator ---- */

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

static int by_real(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

void tp_sort_reals(double *values, size_t count)
{
    if (count > 1)
        qsort(values, count, sizeof *values, by_real);
}

static int by_integer(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

void tp_sort_integers(int64_t *values, size_t count)
{
    if (count > 1)
        qsort(values, count, sizeof *values, by_integer);
}

size_t tp_nearest_rank(size_t count, unsigned percent)
{
    size_t rank = (count / 100) * percent + ((count % 100) * percent + 99) / 100; /* count * percent may overflow */
    return rank ? rank - 1 : 0;
}

int64_t tp_middle_of_sorted(const int64_t *sorted, size_t count)
{
    int64_t low = sorted[(count - 1) / 2];
    return tp_sat_add(low, tp_sat_sub(sorted[count / 2], low) / 2);
}

double tp_median_of_sorted(const double *sorted, size_t count)
{
    if (count == 0)
        return NAN;
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

double tp_median(double *values, size_t count)
{
    tp_sort_reals(values, count);
    return tp_median_of_sorted(values, count);
}

double tp_spread(double *values, size_t count)
{
    double middle = tp_median(values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i] - middle);
    return 1.4826 * tp_median(values, count);
}

static int by_value(const void *x, const void *y, const void *context)
{
    (void)context;
    return by_real(x, y); /* value comes first */
}

double tp_weighted_median(struct tp_weighted *items, size_t count, struct tp_arena *arena)
{
    double all = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        all += items[i].weight;
    tp_merge_sort(arena, items, count, sizeof *items, by_value, NULL);
    for (size_t i = 0; i < count; i++) {
        sum += items[i].weight;
        if (sum >= all / 2)
            return items[i].value;
    }
    return 0;
}

/* Sums with a second number for what the first one loses (Neumaier 1974). */
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

double tp_squares(double *values, size_t count)
{
    double first = values[0];
    for (size_t i = 0; i < count; i++)
        values[i] -= first;
    double mean = tp_sum(values, count) / (double)count;
    for (size_t i = 0; i < count; i++)
        values[i] = (values[i] - mean) * (values[i] - mean);
    return tp_sum(values, count);
}

/* Of the highest byte in which the values differ. */
static int highest_shift(const int64_t *values, size_t count)
{
    uint64_t differs = 0;
    int shift = 0;
    for (size_t i = 1; i < count; i++)
        differs |= (uint64_t)values[i] ^ (uint64_t)values[0];
    while (shift < 56 && differs >> shift >> 8)
        shift += 8;
    return shift;
}

/* Radix selection: one pass per byte over the values that are still possible, so linear for any input. count > rank. */
static int64_t value_of_rank(int64_t *values, size_t count, size_t rank)
{
    for (int shift = highest_shift(values, count); shift >= 0 && count > 1; shift -= 8) {
        size_t counts[256] = {0}, kept = 0;
        for (size_t i = 0; i < count; i++)
            counts[((uint64_t)values[i] ^ (UINT64_C(1) << 63)) >> shift & 255]++;
        unsigned byte = 0;
        for (; rank >= counts[byte]; byte++)
            rank -= counts[byte];
        for (size_t i = 0; i < count; i++)
            if ((((uint64_t)values[i] ^ (UINT64_C(1) << 63)) >> shift & 255) == byte) {
                int64_t other = values[kept];
                values[kept++] = values[i];
                values[i] = other;
            }
        count = kept;
    }
    return values[0];
}

int64_t tp_lower_median(int64_t *values, size_t count)
{
    return count ? value_of_rank(values, count, (count - 1) / 2) : 0;
}

int64_t tp_middle(int64_t *values, size_t count)
{
    if (!count)
        return 0;
    int64_t low = value_of_rank(values, count, (count - 1) / 2);
    int64_t high = count % 2 ? low : value_of_rank(values, count, count / 2);
    return tp_sat_add(low, tp_sat_sub(high, low) / 2);
}

/* ---- intervals ---- */

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

struct tp_moments tp_moments_of(const double *values, size_t count)
{
    struct tp_moments m = {(double)count, NAN, NAN, 0};
    double squares = 0;
    if (count == 0)
        return m;
    m.mean = mean_of(values, count);
    if (count < 2)
        return m;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - m.mean) * (values[i] - m.mean);
    m.freedom = (double)count - 1;
    m.error_square = squares / m.freedom / (double)count;
    return m;
}

struct tp_moments tp_moments_typical(double *values, size_t count)
{
    size_t cut = count / 5, kept = count - 2 * cut;
    if (count < TP_TYPICAL_FROM)
        return tp_moments_of(values, count);
    tp_sort_reals(values, count);
    double mean = mean_of(values + cut, kept), whole = 0, squares = 0;
    for (size_t i = 0; i < count; i++) /* what was cut counts as the last value that was kept */
        whole += values[i < cut ? cut : i >= count - cut ? count - cut - 1 : i];
    whole /= (double)count;
    for (size_t i = 0; i < count; i++) {
        double value = values[i < cut ? cut : i >= count - cut ? count - cut - 1 : i];
        squares += (value - whole) * (value - whole);
    }
    return (struct tp_moments){(double)count, mean, squares / (double)kept / ((double)kept - 1), (double)kept - 1};
}

struct tp_moments tp_moments_of_sums(double count, double sum, double square_sum)
{
    struct tp_moments m = {count, NAN, NAN, 0};
    if (!(count > 0))
        return m;
    m.mean = sum / count;
    if (count < 2)
        return m;
    m.freedom = count - 1;
    m.error_square = fmax(0, square_sum - sum * m.mean) / m.freedom / count;
    return m;
}

struct tp_bounds tp_welch_difference(const struct tp_moments *base, const struct tp_moments *new_side,
                                     double confidence)
{
    struct tp_bounds interval = {new_side->mean - base->mean, NAN, NAN};
    double a = base->error_square, b = new_side->error_square, error = a + b;
    if (isnan(interval.estimate) || isnan(error))
        return interval;
    interval.low = interval.high = interval.estimate;
    if (!(error > 0)) /* no sample differs from another of its side */
        return interval;
    double parts = (a > 0 ? a * a / base->freedom : 0) + (b > 0 ? b * b / new_side->freedom : 0);
    double freedom = error * error / parts;
    double width = tp_student_quantile(0.5 + confidence / 2, freedom) * sqrt(error);
    interval.low -= width;
    interval.high += width;
    return interval;
}

/* Median of `count` draws from `sorted`: how often each was drawn tells where the middle is. `drawn`: count zeros,
 * zeros again afterwards. */
static double resampled_median(struct tp_random *random, const double *sorted, size_t count, uint32_t *drawn)
{
    size_t seen = 0, middle = (count - 1) / 2, i = 0;
    for (size_t k = 0; k < count; k++)
        drawn[tp_random_below(random, (uint32_t)count)]++;
    while (seen + drawn[i] <= middle)
        seen += drawn[i++];
    double low = sorted[i], high = low;
    if (count % 2 == 0 && seen + drawn[i] == middle + 1) { /* the next one that was drawn */
        for (i++; !drawn[i]; i++)
            ;
        high = sorted[i];
    }
    memset(drawn, 0, count * sizeof *drawn);
    return (low + high) / 2;
}

/* sides: sorted. */
static void bootstrap(struct tp_bounds *interval, const double *const sides[2], const size_t counts[2],
                      double confidence, struct tp_arena *arena)
{
    enum { SEED = 7, MAX_DRAWS = 1 << 22, LEAST_RESAMPLES = 400 };
    struct tp_random random = {SEED};
    size_t most = counts[0] > counts[1] ? counts[0] : counts[1], resamples = MAX_DRAWS / most;
    if (resamples > TP_BOOTSTRAP_RESAMPLES)
        resamples = TP_BOOTSTRAP_RESAMPLES;
    if (resamples < LEAST_RESAMPLES)
        resamples = LEAST_RESAMPLES;
    uint32_t *drawn = tp_arena_array(arena, most, sizeof *drawn);
    double *ratios = tp_arena_array(arena, resamples, sizeof *ratios);
    for (size_t i = 0; i < resamples; i++) {
        double base = resampled_median(&random, sides[0], counts[0], drawn);
        ratios[i] = resampled_median(&random, sides[1], counts[1], drawn) / base;
    }
    tp_sort_reals(ratios, resamples);
    size_t cut = (size_t)((1 - confidence) / 2 * (double)resamples);
    interval->low = ratios[cut];
    interval->high = ratios[resamples - 1 - cut];
    tp_arena_drop(arena, drawn, most * sizeof *drawn);
    tp_arena_drop(arena, ratios, resamples * sizeof *ratios);
}

static double *copied(struct tp_arena *arena, const double *values, size_t count)
{
    double *copy = tp_arena_array(arena, count, sizeof *copy);
    if (count)
        memcpy(copy, values, count * sizeof *copy);
    return copy;
}

struct tp_bounds tp_median_ratio(const double *base, size_t base_count, const double *new_side, size_t new_count,
                                 double confidence, struct tp_arena *arena)
{
    const double *const sides[2] = {base, new_side};
    const size_t counts[2] = {base_count, new_count};
    double *copies[2], medians[2];
    struct tp_bounds interval = {NAN, NAN, NAN};
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < counts[side]; i++)
            if (!(sides[side][i] > 0))
                return interval;
    for (int side = 0; side < 2; side++) {
        copies[side] = copied(arena, sides[side], counts[side]);
        medians[side] = tp_median(copies[side], counts[side]);
    }
    interval.estimate = medians[1] / medians[0];
    if (base_count >= TP_BOOTSTRAP_FROM && new_count >= TP_BOOTSTRAP_FROM) {
        bootstrap(&interval, (const double *const[]){copies[0], copies[1]}, counts, confidence, arena);
        return interval;
    }
    if (base_count < TP_RATIO_FROM || new_count < TP_RATIO_FROM)
        return interval;
    interval.low = copies[1][0] / copies[0][base_count - 1]; /* tp_median sorted them */
    interval.high = copies[1][new_count - 1] / copies[0][0];
    return interval;
}

/* ---- noise floor ---- */

double tp_noise_floor(const double *base, size_t base_count, const double *new_side, size_t new_count,
                      struct tp_arena *arena)
{
    const double *const sides[2] = {base, new_side};
    const size_t counts[2] = {base_count, new_count};
    double *distances = tp_arena_array(arena, base_count + new_count, sizeof *distances);
    size_t count = 0;
    double least = TP_NOISE_FLOOR_ONE_RUN;
    for (int side = 0; side < 2; side++) {
        if (counts[side] < 2)
            continue;
        if (counts[side] >= TP_NOISE_RUNS)
            least = TP_NOISE_FLOOR_LEAST;
        double *copy = copied(arena, sides[side], counts[side]), middle = tp_median(copy, counts[side]);
        for (size_t i = 0; i < counts[side]; i++)
            distances[count++] = fabs(sides[side][i] - middle) / middle;
    }
    double floor = count ? 2 * 1.4826 * tp_median(distances, count) : 0;
    return floor > least ? floor : least;
}
