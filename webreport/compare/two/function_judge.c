/* Decides the verdicts on the functions of a program from their samples. See function_judge.h. */
#include "webreport/compare/two/function_judge.h"

#include <math.h>

#include "writer/base/student.h"

enum { NORMAL = 1000000 }; /* degrees of freedom with which Student's distribution is almost a normal distribution */

/* Samples and time of a function on both sides. */
struct sampled {
    double samples[TP_SIDES]; /* number of samples in all runs of each side */
    double ns[TP_SIDES];      /* mean time per run, ns; without samples, the time of half a sample */
    double error;             /* standard error of log(ns[NEW] / ns[BASE]) */
};

static bool is_function(const struct tp_change *change)
{
    return change->identity.kind == TP_SUMMARY_FUNCTION;
}

static double side_run_count(const struct tp_sides *sides, int side)
{
    return (double)sides->side[side].input->run_count;
}

static struct sampled measure_function_samples(const struct tp_changes *changes, const struct tp_sides *sides,
                                               const struct tp_change *change)
{
    struct sampled s = {.error = 0};
    double variance = 0;
    for (int side = 0; side < TP_SIDES; side++) {
        double runs = side_run_count(sides, side), all = changes->functions.samples[side];
        s.samples[side] = change->calls[side] * (double)sides->side[side].recorded_step_count;
        bool is_none = s.samples[side] < 0.5;
        s.ns[side] = is_none ? changes->functions.ns[side] * runs / all * 0.5 / runs : change->ns[side];
        variance += 1 / (is_none ? 0.5 : s.samples[side]) + TP_FUNCTION_NOISE * TP_FUNCTION_NOISE / runs;
    }
    s.error = sqrt(variance);
    return s;
}

static bool can_be_judged(const struct tp_change *change, const struct sampled *s)
{
    return s->samples[TP_BASE] + s->samples[TP_NEW] >= TP_FUNCTION_LEAST_SAMPLES &&
           !tp_str_equal(change->identity.name, TP_STR(TP_SUMMARY_REST));
}

/* Returns whether both sides have steps and all times are wall clock. A verdict then needs confirmation by short
 * steps (run_change.h), which functions do not have. On a busy machine, functions that spin in barriers take longer. */
static bool must_short_steps_confirm(const struct tp_sides *sides)
{
    return tp_sides_have_only_wall_clock(sides) && sides->side[TP_BASE].quantities[TP_QUANTITY_STEP].levels &&
           sides->side[TP_NEW].quantities[TP_QUANTITY_STEP].levels;
}

static void judge_function(struct tp_changes *changes, struct tp_change *change, const struct sampled *s, double beyond)
{
    double log_ratio = log(s->ns[TP_NEW] / s->ns[TP_BASE]), half = tp_student_quantile(0.995, NORMAL) * s->error;
    double least = TP_FUNCTION_LEAST_SHARE * changes->functions.ns[TP_BASE];
    change->interval = (struct tp_confidence_interval){change->ns[TP_NEW] - change->ns[TP_BASE],
                                                       s->ns[TP_BASE] * expm1(log_ratio - half),
                                                       s->ns[TP_BASE] * expm1(log_ratio + half)};
    if (fabs(log_ratio) <= beyond * s->error || fabs(change->ns[TP_NEW] - change->ns[TP_BASE]) < least)
        return;
    change->verdict = log_ratio > 0 ? TP_CHANGE_REGRESSED : TP_CHANGE_IMPROVED;
}

void tp_functions_judge(struct tp_changes *changes, const struct tp_sides *sides)
{
    struct tp_function_sums *sums = &changes->functions;
    double most = 0;
    for (uint32_t i = 0; i < changes->count; i++)
        for (int side = 0; side < TP_SIDES && is_function(&changes->items[i]); side++) {
            sums->ns[side] += changes->items[i].ns[side];
            sums->samples[side] += changes->items[i].calls[side] * (double)sides->side[side].recorded_step_count;
        }
    if (!(sums->ns[TP_BASE] > 0) || !(sums->ns[TP_NEW] > 0))
        return;
    for (uint32_t i = 0; i < changes->count; i++) {
        struct sampled s = is_function(&changes->items[i])
                               ? measure_function_samples(changes, sides, &changes->items[i])
                               : (struct sampled){.error = 0};
        sums->judged_function_count += is_function(&changes->items[i]) && can_be_judged(&changes->items[i], &s);
    }
    double beyond = sums->judged_function_count
                        ? tp_student_quantile(1 - TP_RUN_ERROR_CHANCE / 2 / sums->judged_function_count, NORMAL)
                        : 0;
    for (uint32_t i = 0; i < changes->count; i++) {
        struct tp_change *change = &changes->items[i];
        struct sampled s =
            is_function(change) ? measure_function_samples(changes, sides, change) : (struct sampled){.error = 0};
        if (!is_function(change) || !can_be_judged(change, &s))
            continue;
        judge_function(changes, change, &s, beyond);
        if (change->verdict != TP_CHANGE_NEUTRAL && must_short_steps_confirm(sides))
            change->verdict = TP_CHANGE_HINT;
        if (s.ns[TP_BASE] <= most)
            continue;
        most = s.ns[TP_BASE];
        sums->largest = i;
        sums->detectable_growth = expm1((beyond + tp_student_quantile(0.8, NORMAL)) * s.error);
    }
}
