/* Compares the levels of runs. See run_change.h. */
#include "webreport/compare/noise/run_change.h"

#include <math.h>
#include <string.h>

#include "writer/base/stats.h"
#include "writer/base/student.h"

#define POWER 0.8              /* probability of detecting a change of the size `detectable` */
#define SHORTEST_INTERVAL 1e-9 /* shortest interval, as a relative change, for which a number of runs is computed */
/* smallest number of base runs whose level is their median; with fewer runs, the level is the mean */
enum { MEDIAN_FROM = 5 };

double tp_run_allowed_error_chance(const struct tp_run_noise *noise, double share)
{
    double guessed = noise->freedom > 0 ? noise->guessed / noise->freedom : 0;
    return TP_RUN_ERROR_CHANCE * (share > 0 ? share + (1 - share) * guessed : 1);
}

static struct tp_run_change make_interval(double difference, double error, const struct tp_run_noise *noise,
                                          double doubt)
{
    double t = tp_student_quantile(1 - doubt / 2, noise->freedom);
    return (struct tp_run_change){
        .estimate = expm1(difference),
        .low = expm1(difference - t * error),
        .high = expm1(difference + t * error),
        .detectable = expm1((t + tp_student_quantile(POWER, noise->freedom)) * error),
        .half_width = expm1(t * error),
        .p = error > 0 ? tp_student_tail_probability(difference / error, noise->freedom) : 1,
        .error = error,
        .doubt = doubt,
        .noise = *noise,
    };
}

/* Returns the level of the base: the mean of few runs, or else the median, which resists disturbed runs. */
static double level_of_base(const struct tp_levels *base, struct tp_arena *arena)
{
    double *values = tp_arena_array(arena, base->count, sizeof *values);
    memcpy(values, base->items, base->count * sizeof *values);
    double level = tp_median(values, base->count);
    if (base->count < MEDIAN_FROM)
        level = tp_sum(values, base->count) / (double)base->count;
    tp_arena_free_item(arena, values, base->count * sizeof *values);
    return level;
}

/* Returns the variance of a base's level, divided by the variance of the mean of as many runs. For the median of normal
 * values, the result grows from 1.43 (five runs) and 1.29 (six runs) to pi / 2. The result is within 1 % of the exact
 * value (docs/diff.md). */
static double variance_factor_of_base_level(size_t count, enum tp_estimator estimator)
{
    const double plain = 1.25, half_pi = acos(-1) / 2, odd = 0.46, even = 1.36;
    if (count < MEDIAN_FROM)
        return 1;
    if (estimator == TP_ESTIMATOR_PLAIN)
        return plain;
    return half_pi * (double)count / ((double)count + (count % 2 ? odd : even));
}

static double new_side_level(const struct tp_levels *new_side, struct tp_arena *arena)
{
    double *values = tp_levels_winsorize(new_side, NULL, arena);
    double level = tp_sum(values, new_side->count) / (double)new_side->count;
    tp_arena_free_item(arena, values, new_side->count * sizeof *values);
    return level;
}

struct tp_run_change tp_run_change_of_sides(const struct tp_levels *base, const struct tp_levels *new_side,
                                            const struct tp_run_context *context, struct tp_arena *arena)
{
    size_t group_count = context->other_run_group_count + 2;
    struct tp_levels *groups = tp_arena_array(arena, group_count, sizeof *groups);
    groups[0] = *base;
    groups[1] = *new_side;
    if (context->other_run_group_count)
        memcpy(groups + 2, context->more, context->other_run_group_count * sizeof *groups);
    struct tp_run_noise noise =
        tp_run_noise_pool_groups(groups, group_count, &context->prior, context->estimator, arena);
    double cost = variance_factor_of_base_level(base->count, context->estimator);
    double error = noise.sd * sqrt(cost / (double)base->count + 1 / (double)new_side->count);
    struct tp_run_change change = make_interval(new_side_level(new_side, arena) - level_of_base(base, arena), error,
                                                &noise, tp_run_allowed_error_chance(&noise, context->share));
    change.base_count = base->count;
    change.new_count = new_side->count;
    tp_arena_free_item(arena, groups, group_count * sizeof *groups);
    return change;
}

struct tp_run_change tp_run_change_of_pairs(double *differences, size_t count)
{
    tp_sort_reals(differences, count);
    double mean = tp_sum(differences, count) / (double)count;
    struct tp_run_noise noise = {sqrt(tp_sum_squared_deviations(differences, count) / ((double)count - 1)),
                                 (double)count - 1, 0};
    struct tp_run_change change = make_interval(mean, noise.sd / sqrt((double)count), &noise, TP_RUN_ERROR_CHANCE);
    change.base_count = change.new_count = count;
    return change;
}

double tp_run_change_probability(const struct tp_run_change *change, double most)
{
    double beyond = log1p(change->estimate) - log1p(most);
    if (!(change->error > 0))
        return beyond > 0 ? 0 : 1;
    double tails = tp_student_tail_probability(beyond / change->error, change->noise.freedom);
    return beyond > 0 ? tails / 2 : 1 - tails / 2;
}

static double median_of_lowest_levels(const struct tp_levels *levels, struct tp_arena *arena)
{
    double *copy = tp_arena_array(arena, levels->count, sizeof *copy);
    memcpy(copy, levels->items, levels->count * sizeof *copy);
    double median = tp_median(copy, levels->count);
    tp_arena_free_item(arena, copy, levels->count * sizeof *copy);
    return median;
}

double tp_short_steps_change(const struct tp_levels *base, const struct tp_levels *new_side, struct tp_arena *arena)
{
    return median_of_lowest_levels(new_side, arena) - median_of_lowest_levels(base, arena);
}

bool tp_short_steps_confirm(double change, double low)
{
    const double least = 0.5;
    return change > 0 ? low >= least * change : low <= least * change;
}

enum tp_limit_verdict tp_run_change_limit_verdict(const struct tp_run_change *change, double most)
{
    if (change->low > most)
        return TP_LIMIT_FAIL;
    return change->high <= most ? TP_LIMIT_PASS : TP_LIMIT_UNCLEAR;
}

static bool is_run_count_enough(unsigned runs, const struct tp_run_noise *noise, double most, size_t base_count)
{
    double base = base_count > runs ? (double)base_count : runs;
    double error = noise->sd * sqrt(1 / base + 1.0 / runs);
    return tp_student_quantile(1 - TP_RUN_ERROR_CHANCE / 2, noise->freedom + runs) * error <=
           fmax(most, SHORTEST_INTERVAL);
}

unsigned tp_runs_needed(const struct tp_run_noise *noise, double most, size_t base_count)
{
    /* bisection finds the smallest number, because more runs never widen the interval */
    unsigned few = 0, enough = TP_RUNS_NEEDED_MOST;
    while (enough - few > 1) {
        unsigned middle = few + (enough - few) / 2;
        if (is_run_count_enough(middle, noise, most, base_count))
            enough = middle;
        else
            few = middle;
    }
    return enough < TP_RUNS_NEEDED_MOST ? enough : 0;
}
