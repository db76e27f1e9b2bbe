/* Functions that judge the lines of a budget, shared by the files of the gate: see gate.h. */
#ifndef TP_WEBREPORT_COMPARE_GATE_GATE_PARTS_H
#define TP_WEBREPORT_COMPARE_GATE_GATE_PARTS_H

#include "webreport/compare/comparability.h"
#include "webreport/compare/gate/gate.h"
#include "webreport/compare/sides.h"
#include "webreport/compare/two/damage.h"
#include "webreport/compare/two/work_sides.h"

/* A subject of a check with its baseline: the runs of one rank, all runs if ranks are unknown, or the runs of a worker
 * that the budget names. */
struct tp_check_subject {
    struct tp_str name;            /* as in tp_check_item */
    /* name of the worker if the subject is a worker that the budget names; ptr is NULL for other subjects */
    struct tp_str worker;
    int64_t rank;                  /* rank of the runs; TP_NULL_INT if unknown or several */
    const struct tp_summary *runs; /* run_count runs, at least one */
    size_t run_count;
    const struct tp_summary *base; /* base_count runs, oldest first; base_count is 0 without a baseline */
    size_t base_count;
    bool is_base_incomplete;       /* the baseline has other ranks, but not this one */
    bool is_first, is_base_broken; /* as in struct tp_check_input */
    struct tp_sides sides;         /* set if base_count is above 0 */
    struct tp_comparability comparability;
    struct tp_work_diff work; /* set if base_count is above 0 */
};

/* Judges one line and fills the item except `places`. item->line and item->subject must be set. */
void tp_check_judge(struct tp_check_item *item, const struct tp_check_subject *subject, struct tp_arena *arena);

/* Returns whether a time depends on the options of the recorder. All times except those of kernels depend on them. */
bool tp_check_is_of_host(const struct tp_metric *metric);

/* Judges a time relative to the baseline, which has at least one run. item->value and item->base_value must be set.
 * Fills change, low, high, detectable, chance and the numbers of runs. *reason: a sentence for people. */
enum tp_check_cause tp_check_judge_time(struct tp_check_item *item, const struct tp_check_subject *subject,
                                        const char **reason, struct tp_arena *arena);

/* Makes failed limits on times inconclusive if chance explains them, given the number of limits among `count` judged
 * items. */
void tp_check_judge_times_together(struct tp_check_item *items, size_t count, struct tp_arena *arena);

/* Fills the places in the code that explain a failed line: findings with a source line, new waits, and waits that take
 * longer. */
void tp_check_find_places(struct tp_check_item *item, const struct tp_check_subject *subject, struct tp_arena *arena);

/* Returns the share of processor time, in percent, that the line's function spends in its own code. With several runs,
 * the share closest to breaking the limit counts. Returns NaN and sets *why if a run is not of a program recorded from
 * outside. */
double tp_check_function_share(const struct tp_summary *runs, size_t count, const struct tp_budget_line *line,
                               const char **why);

/* Judges a line about the work of a step; fills value, base_value and change of the item. *why: explains
 * TP_CAUSE_MISSING. */
enum tp_check_cause tp_check_judge_work(struct tp_check_item *item, const struct tp_check_subject *subject,
                                        const char **why);

/* Appends the places (struct tp_check_place) of the changes of work that the line counts. */
void tp_check_find_work(struct tp_vec *places, const struct tp_check_item *item, const struct tp_check_subject *subject,
                        struct tp_arena *arena);

#endif
