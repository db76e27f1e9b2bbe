/* Finds the straggler, the rank for which the other ranks wait (rule E3). Implements a part of distributed.h. */
#include <math.h>

#include "webreport/measure/ranks/distributed.h"
#include "webreport/measure/rules/rules_eval.h"

enum { SYNCHRONIZING = 1 }; /* index of the waiting time in a cell of `wait`: time before the last rank arrives */
enum { COMPUTATION = 0, OVERLAPPING = 1 }; /* indexes of the computing time in a cell of `overlap` */

static double rule_threshold(const struct tp_rule *rule, const char *key)
{
    for (unsigned i = 0; i < TP_RULE_THRESHOLDS && rule->thresholds[i].key; i++)
        if (strcmp(rule->thresholds[i].key, key) == 0)
            return rule->thresholds[i].value;
    return INFINITY;
}

/* Returns the rank that arrives last in a step, which is the rank with the shortest wait. Returns TP_NO_ID if several
 * ranks wait equally long, or if a rank lacks the step. */
static uint32_t last_arriving_rank(const struct tp_distributed *view, uint32_t step)
{
    const struct tp_step_matrix *wait = &view->wait;
    uint32_t last = TP_NO_ID;
    int64_t least = INT64_MAX;
    for (uint32_t w = 0; w < view->rank_count; w++) {
        size_t cell = (size_t)step * view->rank_count + w;
        int64_t ns = wait->part_ns[cell * wait->part_count + SYNCHRONIZING];
        if (!wait->has_cell[cell])
            return TP_NO_ID;
        last = ns == least ? TP_NO_ID : ns < least ? w : last;
        least = ns < least ? ns : least;
    }
    return last;
}

/* Finds the rank that arrives last in the most steps; of several such ranks, the first. */
static void find_rank_that_is_last_most_often(struct tp_straggler *found, const struct tp_distributed *view)
{
    for (uint32_t w = 0; w < view->rank_count; w++) {
        uint32_t late = 0;
        for (uint32_t step = 1; step < view->wait.step_count; step++)
            late += last_arriving_rank(view, step) == w;
        if (late > found->late_count) {
            found->late_count = late;
            found->rank = w;
        }
    }
    found->step_count = view->wait.step_count - 1;
}

static double computing_us(const struct tp_distributed *view, uint32_t rank)
{
    const double *parts = &view->overlap.mean_us[rank * view->overlap.part_count];
    return parts[COMPUTATION] + parts[OVERLAPPING];
}

/* Returns the share of the wait that would be saved. If the straggler computes longer than the other ranks, its part of
 * the shared work is too large. With equal parts, all ranks would finish at the mean. Otherwise the straggler does
 * other work, and the whole wait would be saved. */
static double share_of_wait_saved(const struct tp_straggler *found, const struct tp_distributed *view)
{
    double ranks = view->rank_count, others = 0;
    for (uint32_t w = 0; w < view->rank_count; w++)
        others += w == found->rank ? 0 : computing_us(view, w) / (ranks - 1);
    bool is_shared = computing_us(view, found->rank) - others >= found->wait_us / 2;
    return is_shared ? (ranks - 1) / ranks : 1;
}

static void measure_straggler(struct tp_straggler *found, const struct tp_distributed *view)
{
    double steps = 0, waits = 0;
    for (uint32_t w = 0; w < view->rank_count; w++) {
        for (unsigned p = 0; p < view->overlap.part_count; p++)
            steps += view->overlap.mean_us[w * view->overlap.part_count + p];
        if (w != found->rank)
            waits += view->wait.mean_us[w * view->wait.part_count + SYNCHRONIZING];
    }
    double ranks = view->rank_count, own = view->wait.mean_us[found->rank * view->wait.part_count + SYNCHRONIZING];
    found->step_us = steps / ranks;
    found->wait_us = fmax(0, waits / (ranks - 1) - own);
}

void tp_straggler_find(struct tp_straggler *found, const struct tp_distributed *view)
{
    const struct tp_rule *rule = &tp_rule_E3;
    *found = (struct tp_straggler){.rank = TP_NO_ID};
    if (!view->is_present || !view->is_comparable || view->rank_count < 2 || view->wait.step_count < 2)
        return;
    find_rank_that_is_last_most_often(found, view);
    if (found->rank == TP_NO_ID)
        return;
    measure_straggler(found, view);
    double wait = found->step_us > 0 ? 100 * found->wait_us / found->step_us : 0;
    double late = 100.0 * found->late_count / found->step_count;
    found->share_percent = wait * share_of_wait_saved(found, view);
    if (view->is_cause_of_loss && !view->is_cause_of_loss[found->rank])
        found->rank = TP_NO_ID;
    if (wait < rule_threshold(rule, "min_wait_pct") || late < rule_threshold(rule, "min_late_pct"))
        found->rank = TP_NO_ID;
}

struct tp_finding tp_straggler_make_finding(const struct tp_straggler *found)
{
    struct tp_finding finding = tp_finding_make_for_run(TP_RULE_E3, found->share_percent);
    finding.ceiling_us_per_step = found->share_percent * found->step_us / 100;
    return finding;
}
