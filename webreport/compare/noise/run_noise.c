/* Computes the noise between runs. See run_noise.h. */
#include "webreport/compare/noise/run_noise.h"

#include <math.h>
#include <string.h>

#include "writer/base/stats.h"

/* Noise of each quantity, measured on four CPU programs and on two GPU programs on one type of GPU board
 * (docs/diff.md). */
static const struct {
    const char *name;
    /* smallest standard deviation between runs, as a relative change: on one host, and on different or unknown hosts */
    double floor, floor_on_other_hosts;
    double ratio; /* standard deviation between runs, divided by the variation of steps within a run */
    double worth; /* number of runs that have the same weight as the prior estimate */
} quantities[TP_QUANTITIES] = {
    [TP_QUANTITY_KERNELS] = {"kernels", 0.002, 0.008, 0.85, 6},
    /* smaller than the noise of a step, because the shift that all rows share is removed */
    [TP_QUANTITY_ROW] = {"row", 0.003, 0.003, 1, 4},
    [TP_QUANTITY_HOST_OPS] = {"host_ops", 0.015, 0.03, 1, 4},
    [TP_QUANTITY_STEP] = {"step", 0.015, 0.03, 1, 4},
};

/* factor that corrects the sum of squares for winsorized levels with TP_ESTIMATOR_PLAIN */
#define WORTH_OF_WINSORIZED 1.12
enum {
    WARM_UP_FROM = 3,    /* smallest number of steps for which warm-up is searched */
    TRIMMED_FROM = 5,    /* smallest number of values for which the mean leaves out a fifth of the values at each end */
    SHORT_PART = 10,     /* the short step is number (n - 1) / SHORT_PART of n steps sorted by length */
    WINSORIZED_FROM = 5, /* smallest number of runs for which outliers are winsorized */
    NEEDED_FREEDOM = 8,  /* smallest number of degrees of freedom with which the prior estimate has no weight */
    DOUBT_FREEDOM = 3    /* smallest number of degrees of freedom with which runs can contradict the prior estimate */
};

const char *tp_quantity_name(enum tp_quantity quantity)
{
    return quantities[quantity].name;
}

struct tp_run_level tp_run_level_of_steps(double *values, size_t count)
{
    size_t cut = count >= TRIMMED_FROM ? count / 5 : 0, kept = count - 2 * cut;
    struct tp_run_level level = {NAN, NAN, NAN};
    tp_sort_reals(values, count);
    double mean = count ? tp_sum(values + cut, kept) / (double)kept : 0;
    if (!(mean > 0) || isinf(mean))
        return level;
    level.level = log(mean);
    level.low = log(values[(count - 1) / SHORT_PART]);
    level.cv = tp_robust_deviation(values, count) / mean;
    return level;
}

size_t tp_warm_up_count(const double *steps, size_t count, struct tp_arena *arena)
{
    const double much = 1.5;
    size_t later = count - count / 2, warm = 0;
    if (count < WARM_UP_FROM)
        return 0;
    double *copy = tp_arena_array(arena, later, sizeof *copy);
    memcpy(copy, steps + count / 2, later * sizeof *copy);
    double middle = tp_median(copy, later);
    tp_arena_free_item(arena, copy, later * sizeof *copy);
    while (warm < count / 3 && steps[warm] > much * middle)
        warm++;
    return warm;
}

struct tp_run_noise tp_run_noise_prior_estimate(enum tp_quantity quantity, double *cvs, size_t count, bool is_same_host)
{
    double floor = is_same_host ? quantities[quantity].floor : quantities[quantity].floor_on_other_hosts;
    return (struct tp_run_noise){fmax(floor, quantities[quantity].ratio * tp_median(cvs, count)),
                                 quantities[quantity].worth, 0};
}

double *tp_levels_winsorize(const struct tp_levels *levels, size_t *drawn_count, struct tp_arena *arena)
{
    size_t count = levels->count, drawn = 0;
    double *values = tp_arena_array(arena, count, sizeof *values), *copy = tp_arena_array(arena, count, sizeof *copy);
    if (count) {
        memcpy(values, levels->items, count * sizeof *values);
        memcpy(copy, levels->items, count * sizeof *copy);
    }
    tp_sort_reals(values, count);
    double middle = tp_sorted_median(values, count), reach = 3 * tp_robust_deviation(copy, count);
    for (size_t i = 0; i < count && count >= WINSORIZED_FROM && reach > 0; i++) {
        double value = fmin(fmax(values[i], middle - reach), middle + reach);
        drawn += value != values[i];
        values[i] = value;
    }
    tp_arena_free_item(arena, copy, count * sizeof *copy);
    if (drawn_count)
        *drawn_count = drawn;
    return values;
}

/* Squared deviations from the mean of each group, summed over groups. */
struct squares {
    double sum, freedom; /* freedom: degrees of freedom without winsorized levels */
    double runs;         /* degrees of freedom that include winsorized levels */
};

/* Adds the squared deviations of a group. A winsorized level adds no degree of freedom, and the sum is corrected (Dixon
 * and Tukey 1968, variance of a winsorized mean). At least half of the levels, around the median, are never
 * winsorized. */
static void add_deviations_of_group(struct squares *squares, const struct tp_levels *group, enum tp_estimator estimator,
                                    struct tp_arena *arena)
{
    size_t drawn;
    double *values = tp_levels_winsorize(group, &drawn, arena), own = tp_sum_squared_deviations(values, group->count);
    double degrees = (double)group->count - 1, left = degrees - (double)drawn;
    tp_arena_free_item(arena, values, group->count * sizeof *values);
    squares->runs += degrees;
    if (estimator == TP_ESTIMATOR_PLAIN) {
        squares->sum += drawn ? WORTH_OF_WINSORIZED * own : own;
        squares->freedom += degrees;
    } else {
        squares->sum += drawn ? degrees / left * own : own;
        squares->freedom += left;
    }
}

struct tp_run_noise tp_run_noise_pool_groups(const struct tp_levels *groups, size_t group_count,
                                             const struct tp_run_noise *prior, enum tp_estimator estimator,
                                             struct tp_arena *arena)
{
    struct squares squares = {0, 0, 0};
    double worth = prior->freedom, guess = prior->sd * prior->sd;
    for (size_t i = 0; i < group_count; i++)
        if (groups[i].count)
            add_deviations_of_group(&squares, &groups[i], estimator, arena);
    if (squares.runs >= DOUBT_FREEDOM && prior->sd > 0 && squares.sum / squares.freedom > 4 * guess)
        return (struct tp_run_noise){sqrt(squares.sum / squares.freedom), squares.freedom, 0};
    /* a prior estimate that comes from many rows has more degrees of freedom and keeps its weight */
    bool is_guess = worth <= NEEDED_FREEDOM;
    if (is_guess)
        worth *= fmax(0, 1 - squares.runs / NEEDED_FREEDOM);
    if (worth == 0 && squares.sum == 0)
        worth = 1; /* assumes some noise even if many runs are equal */
    double freedom = worth + squares.freedom;
    return (struct tp_run_noise){sqrt((worth * guess + squares.sum) / freedom), freedom, is_guess ? worth : 0};
}
