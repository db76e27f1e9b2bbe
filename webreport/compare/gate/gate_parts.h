/* Declares the functions with which the files of the gate check lines of a budget. See gate.h. */
#ifndef TP_WEBREPORT_COMPARE_GATE_GATE_PARTS_H
#define TP_WEBREPORT_COMPARE_GATE_GATE_PARTS_H

#include "webreport/compare/comparability.h"
#include "webreport/compare/gate/gate.h"
#include "webreport/compare/sides.h"
#include "webreport/compare/two/damage.h"
#include "webreport/compare/two/work_sides.h"

/* A subject of a check, with its baseline: the runs of one rank, of a worker that the budget names, or of all ranks if
 * ranks are unknown. */
struct tp_check_subject {
    struct tp_str name; /* name of the subject, as in struct tp_check_item */
    /* name of the worker that the budget names; ptr NULL for other subjects */
    struct tp_str worker;
    int64_t rank;                  /* rank of the runs; TP_NULL_INT if unknown or if there are several */
    const struct tp_summary *runs; /* array of run_count runs, at least one */
    size_t run_count;
    const struct tp_summary *base; /* array of base_count runs, oldest first; base_count is 0 without a baseline */
    size_t base_count;
    bool is_base_incomplete; /* true: the baseline has other ranks but not this rank */
    /* is_first: the run becomes the first of a baseline; is_base_broken: every run of the baseline broke a limit */
    bool is_first, is_base_broken;
    struct tp_sides sides; /* the checked runs and the baseline as two sides; set if base_count is above 0 */
    struct tp_comparability comparability;
    struct tp_work_diff work; /* differences in work; set if base_count is above 0 */
};

/* Checks one line of the budget and fills all members of the item except `places`. The caller sets item->line and
 * item->subject. */
void tp_check_judge_item(struct tp_check_item *item, const struct tp_check_subject *subject, struct tp_arena *arena);

/* Returns whether the options of the recorder affect a time. They affect all times except those of kernels. */
bool tp_check_is_host_time(const struct tp_metric *metric);

/* Returns the value of a line's metric in one run. For a metric of a range, returns the value of the range that the
 * line names: the annotation with this name, otherwise the module. */
struct tp_metric_value tp_check_value_of_run(const struct tp_summary *run, const struct tp_budget_line *line);

/* Compares a time with the limit relative to the baseline, which must have at least one run. The caller sets
 * item->value and item->base_value. Fills change, low, high, detectable, chance and the numbers of runs. *reason: a
 * sentence for people. */
enum tp_check_cause tp_check_judge_time(struct tp_check_item *item, const struct tp_check_subject *subject,
                                        const char **reason, struct tp_arena *arena);

/* Makes failed limits on times inconclusive if chance explains the failures, given the number of limits among the
 * `count` items. */
void tp_check_judge_times_together(struct tp_check_item *items, size_t count, struct tp_arena *arena);

/* Fills the places in the code that explain a failed line: findings with a source line, new waits, and longer waits. */
void tp_check_find_places(struct tp_check_item *item, const struct tp_check_subject *subject, struct tp_arena *arena);

/* Returns the share of processor time, in percent, that the function of the line spends in its own code. With several
 * runs, returns the share that is closest to breaking the limit. Returns NaN and sets *why if a run is not a recording
 * of a program from outside. */
double tp_check_function_share(const struct tp_summary *runs, size_t count, const struct tp_budget_line *line,
                               const char **why);

/* Decides the status of a budget line that limits the work of one step. Fills value, base_value and change of the item.
 * *why: explains TP_CAUSE_MISSING. */
enum tp_check_cause tp_check_judge_work(struct tp_check_item *item, const struct tp_check_subject *subject,
                                        const char **why);

/* Appends the places (struct tp_check_place) of the work changes that are part of the line's count. */
void tp_check_find_work_places(struct tp_vec *places, const struct tp_check_item *item,
                               const struct tp_check_subject *subject, struct tp_arena *arena);

#endif
