/* Decides the verdict of a comparison. See compare.h. */
#include "webreport/compare/two/compare.h"

static bool has_total(const struct tp_compare *c, enum tp_change_verdict verdict)
{
    for (int q = 0; q < TP_QUANTITIES; q++)
        if (c->totals[q].verdict == verdict)
            return true;
    return false;
}

static bool is_any_known(const struct tp_compare *c)
{
    for (int q = 0; q < TP_QUANTITIES; q++)
        if (c->totals[q].is_known)
            return true;
    return false;
}

/* Returns false for equal sides (estimate 0), whose comparison is treated as precise enough. */
bool tp_compare_is_too_noisy(const struct tp_compare *c)
{
    const double factor_of_two = 1;
    const struct tp_total *step = &c->totals[TP_QUANTITY_STEP];
    return step->is_known && step->change.detectable > factor_of_two && step->change.estimate != 0;
}

enum tp_change_verdict tp_compare_judge(const struct tp_compare *c)
{
    bool is_worse = has_total(c, TP_CHANGE_REGRESSED) || c->memory_verdict == TP_CHANGE_REGRESSED || c->regressed_count;
    bool is_better = has_total(c, TP_CHANGE_IMPROVED) || c->memory_verdict == TP_CHANGE_IMPROVED || c->improved_count;
    if (c->has_change_in_limited_work)
        return TP_CHANGE_REGRESSED;
    if (c->is_open)
        return TP_CHANGE_INCONCLUSIVE;
    if (is_worse && is_better)
        return TP_CHANGE_MIXED;
    if (is_worse || is_better)
        return is_worse ? TP_CHANGE_REGRESSED : TP_CHANGE_IMPROVED;
    if (c->was_machine_busy || has_total(c, TP_CHANGE_HINT) || tp_compare_is_too_noisy(c))
        return TP_CHANGE_INCONCLUSIVE;
    return is_any_known(c) || c->changes.functions.judged_function_count ? TP_CHANGE_NEUTRAL : TP_CHANGE_INCONCLUSIVE;
}

bool tp_compare_has_regressed(const struct tp_compare *c)
{
    if (c->verdict != TP_CHANGE_MIXED)
        return c->verdict == TP_CHANGE_REGRESSED;
    return has_total(c, TP_CHANGE_REGRESSED) || c->memory_verdict == TP_CHANGE_REGRESSED ||
           !has_total(c, TP_CHANGE_IMPROVED);
}

const char *tp_compare_verdict_word(const struct tp_compare *c)
{
    if (c->has_change_in_limited_work)
        return "work changed";
    return c->comparability.workload == TP_WORKLOAD_OTHER && !*c->damage ? "other workload"
                                                                         : tp_change_verdict_name(c->verdict);
}
