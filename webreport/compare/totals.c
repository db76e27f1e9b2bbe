/* The totals of both sides: see totals.h. */
#include "webreport/compare/totals.h"

#include <math.h>
#include <string.h>

const char *tp_change_verdict_name(enum tp_change_verdict verdict)
{
    static const char *const names[TP_CHANGE_VERDICTS] = {"neutral",      "improved", "regressed",
                                                          "inconclusive", "mixed",    "hint"};
    return names[verdict];
}

static enum tp_change_verdict verdict_of(const struct tp_run_change *change, const struct tp_change_limits *limits)
{
    bool is_slower = change->low > limits->threshold, is_faster = change->high < -limits->threshold;
    if (!(fabs(change->estimate) >= TP_CHANGE_LEAST_SHARE) || !(is_slower || is_faster))
        return TP_CHANGE_NEUTRAL;
    return limits->is_open ? TP_CHANGE_INCONCLUSIVE : is_slower ? TP_CHANGE_REGRESSED : TP_CHANGE_IMPROVED;
}

struct tp_total tp_total_of(const struct tp_sides *sides, enum tp_quantity quantity,
                            const struct tp_side_levels levels[TP_SIDES], const struct tp_change_limits *limits)
{
    struct tp_total total = {.change = {.estimate = NAN, .low = NAN, .high = NAN, .sees = NAN}};
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
    struct tp_run_context context = {.prior = tp_run_noise_prior(quantity, cvs, at, tp_sides_are_of_one_host(sides))};
    total.is_known = true;
    total.change = tp_run_change_of(&(struct tp_levels){levels[TP_BASE].levels, counts[TP_BASE]},
                                    &(struct tp_levels){levels[TP_NEW].levels, counts[TP_NEW]}, &context, sides->arena);
    total.verdict = verdict_of(&total.change, limits);
    return total;
}

void tp_totals_build(struct tp_total totals[TP_QUANTITIES], const struct tp_sides *sides,
                     const struct tp_change_limits *limits)
{
    for (enum tp_quantity q = 0; q < TP_QUANTITIES; q++) {
        const struct tp_side_levels levels[TP_SIDES] = {sides->side[TP_BASE].quantities[q],
                                                        sides->side[TP_NEW].quantities[q]};
        totals[q] = tp_total_of(sides, q, levels, limits);
    }
}
