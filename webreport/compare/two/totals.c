/* Compares the totals of both sides. See totals.h. */
#include "webreport/compare/two/totals.h"

#include <math.h>
#include <string.h>

#include "webreport/compare/two/left_out.h"

const char *tp_change_verdict_name(enum tp_change_verdict verdict)
{
    static const char *const names[TP_CHANGE_VERDICTS] = {"neutral",      "improved", "regressed",
                                                          "inconclusive", "mixed",    "hint"};
    return names[verdict];
}

static enum tp_change_verdict verdict_of_change(const struct tp_run_change *change,
                                                const struct tp_change_limits *limits)
{
    bool is_slower = change->low > limits->threshold, is_faster = change->high < -limits->threshold;
    if (!(fabs(change->estimate) >= TP_CHANGE_LEAST_SHARE) || !(is_slower || is_faster))
        return TP_CHANGE_NEUTRAL;
    return limits->is_open ? TP_CHANGE_INCONCLUSIVE : is_slower ? TP_CHANGE_REGRESSED : TP_CHANGE_IMPROVED;
}

struct tp_total tp_total_of_quantity(const struct tp_sides *sides, enum tp_quantity quantity,
                                     const struct tp_side_levels levels[TP_SIDES],
                                     const struct tp_change_limits *limits, double share)
{
    struct tp_total total = {.change = {.estimate = NAN, .low = NAN, .high = NAN, .detectable = NAN}};
    uint32_t counts[TP_SIDES], at = 0;
    for (int s = 0; s < TP_SIDES; s++) {
        counts[s] = sides->side[s].input->run_count;
        if (!levels[s].levels)
            return total;
    }
    double *cvs = tp_arena_array(sides->arena, (size_t)counts[TP_BASE] + counts[TP_NEW], sizeof *cvs);
    for (int s = 0; s < TP_SIDES; s++) {
        memcpy(cvs + at, levels[s].cvs, counts[s] * sizeof *cvs);
        at += counts[s];
    }
    struct tp_run_context context = {
        .prior = tp_run_noise_prior_estimate(quantity, cvs, at, tp_sides_have_one_host(sides)), .share = share};
    total.is_known = true;
    total.change =
        tp_run_change_of_sides(&(struct tp_levels){levels[TP_BASE].levels, counts[TP_BASE]},
                               &(struct tp_levels){levels[TP_NEW].levels, counts[TP_NEW]}, &context, sides->arena);
    total.verdict = verdict_of_change(&total.change, limits);
    return total;
}

/* For each quantity: share of TP_RUN_ERROR_CHANCE, the probability of a wrong verdict. Kernels and their rows get the
 * largest share, because their noise is small. Host operators get the smallest share, because the time of the step also
 * includes their cost. */
static const double of_device[TP_QUANTITIES] =
    {[TP_QUANTITY_KERNELS] = 0.4, [TP_QUANTITY_ROW] = 0.4, [TP_QUANTITY_HOST_OPS] = 0.05, [TP_QUANTITY_STEP] = 0.15},
                    of_host[TP_QUANTITIES] = {
                        [TP_QUANTITY_ROW] = 0.2, [TP_QUANTITY_HOST_OPS] = 0.4, [TP_QUANTITY_STEP] = 0.4};

static const double *quantity_shares(const struct tp_sides *sides)
{
    bool has_kernels = sides->side[TP_BASE].quantities[TP_QUANTITY_KERNELS].levels &&
                       sides->side[TP_NEW].quantities[TP_QUANTITY_KERNELS].levels;
    return has_kernels ? of_device : of_host;
}

void tp_totals_build(struct tp_total totals[TP_QUANTITIES], const struct tp_sides *sides,
                     const struct tp_change_limits *limits)
{
    for (enum tp_quantity q = 0; q < TP_QUANTITIES; q++) {
        const struct tp_side_levels levels[TP_SIDES] = {sides->side[TP_BASE].quantities[q],
                                                        sides->side[TP_NEW].quantities[q]};
        totals[q] = tp_total_of_quantity(sides, q, levels, limits, quantity_shares(sides)[q]);
        if (q == TP_QUANTITY_HOST_OPS && (tp_left_out_has_host_total(sides)))
            totals[q] = (struct tp_total){.change = {.estimate = NAN, .low = NAN, .high = NAN, .detectable = NAN}};
    }
}

double tp_totals_error_chance_of_rows(const struct tp_total totals[TP_QUANTITIES])
{
    double own = TP_RUN_ERROR_CHANCE, moved = 0;
    const double *shares = totals[TP_QUANTITY_KERNELS].is_known ? of_device : of_host;
    for (int q = 0; q < TP_QUANTITIES; q++)
        if (totals[q].is_known) {
            own = fmin(own, tp_run_allowed_error_chance(&totals[q].change.noise, shares[TP_QUANTITY_ROW]));
            moved += totals[q].verdict != TP_CHANGE_NEUTRAL ? totals[q].change.doubt : 0;
        }
    return fmin(own + moved, TP_RUN_ERROR_CHANCE);
}
