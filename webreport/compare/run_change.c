/* What changed between runs: see run_change.h. */
#include "webreport/compare/run_change.h"

#include <math.h>
#include <string.h>

#include "writer/base/stats.h"
#include "writer/base/student.h"

#define POWER 0.8         /* of what is "seen" */
#define MEDIAN_COST 1.25  /* variance of a median to that of a mean, of few values */
#define HAIR 1e-9         /* the shortest interval that runs are asked for */
enum { MEDIAN_FROM = 5 }; /* runs of a base */

static struct tp_run_change interval_of(double difference, double error, const struct tp_run_noise *noise)
{
    double t = tp_student_quantile(1 - TP_RUN_DOUBT / 2, noise->freedom);
    return (struct tp_run_change){
        .estimate = expm1(difference),
        .low = expm1(difference - t * error),
        .high = expm1(difference + t * error),
        .sees = expm1((t + tp_student_quantile(POWER, noise->freedom)) * error),
        .half = expm1(t * error),
        .p = error > 0 ? tp_student_tails(difference / error, noise->freedom) : 1,
        .noise = *noise,
    };
}

/* The median resists runs that were disturbed; of few runs it tells less than the mean. */
static double level_of_base(const struct tp_levels *base, struct tp_arena *arena)
{
    double *values = tp_arena_array(arena, base->count, sizeof *values);
    memcpy(values, base->items, base->count * sizeof *values);
    double level = tp_median(values, base->count);
    if (base->count < MEDIAN_FROM)
        level = tp_sum(values, base->count) / (double)base->count;
    tp_arena_drop(arena, values, base->count * sizeof *values);
    return level;
}

static double level_of_new(const struct tp_levels *new_side, struct tp_arena *arena)
{
    double *values = tp_levels_winsorized(new_side, NULL, arena);
    double level = tp_sum(values, new_side->count) / (double)new_side->count;
    tp_arena_drop(arena, values, new_side->count * sizeof *values);
    return level;
}

struct tp_run_change tp_run_change_of(const struct tp_levels *base, const struct tp_levels *new_side,
                                      const struct tp_run_context *context, struct tp_arena *arena)
{
    size_t group_count = context->more_count + 2;
    struct tp_levels *groups = tp_arena_array(arena, group_count, sizeof *groups);
    groups[0] = *base;
    groups[1] = *new_side;
    if (context->more_count)
        memcpy(groups + 2, context->more, context->more_count * sizeof *groups);
    struct tp_run_noise noise = tp_run_noise_pooled(groups, group_count, &context->prior, arena);
    double cost = base->count >= MEDIAN_FROM ? MEDIAN_COST : 1;
    double error = noise.sd * sqrt(cost / (double)base->count + 1 / (double)new_side->count);
    struct tp_run_change change =
        interval_of(level_of_new(new_side, arena) - level_of_base(base, arena), error, &noise);
    change.base_count = base->count;
    change.new_count = new_side->count;
    tp_arena_drop(arena, groups, group_count * sizeof *groups);
    return change;
}

struct tp_run_change tp_run_change_paired(double *differences, size_t count)
{
    tp_sort_reals(differences, count);
    double mean = tp_sum(differences, count) / (double)count;
    struct tp_run_noise noise = {sqrt(tp_squares(differences, count) / ((double)count - 1)), (double)count - 1};
    struct tp_run_change change = interval_of(mean, noise.sd / sqrt((double)count), &noise);
    change.base_count = change.new_count = count;
    return change;
}

enum tp_limit_verdict tp_run_change_limit(const struct tp_run_change *change, double most)
{
    if (change->low > most)
        return TP_LIMIT_FAIL;
    return change->high <= most ? TP_LIMIT_PASS : TP_LIMIT_UNCLEAR;
}

unsigned tp_runs_needed(const struct tp_run_noise *noise, double most, size_t base_count)
{
    for (unsigned runs = 1; runs < TP_RUNS_NEEDED_MOST; runs++) {
        double base = base_count > runs ? (double)base_count : runs;
        double error = noise->sd * sqrt(1 / base + 1.0 / runs);
        if (tp_student_quantile(1 - TP_RUN_DOUBT / 2, noise->freedom + runs) * error <= fmax(most, HAIR))
            return runs;
    }
    return 0;
}
