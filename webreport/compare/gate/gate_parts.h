/* Parts of the verdict that stand in files of their own: see gate.h. */
#ifndef TP_WEBREPORT_COMPARE_GATE_GATE_PARTS_H
#define TP_WEBREPORT_COMPARE_GATE_GATE_PARTS_H

#include "webreport/compare/comparability.h"
#include "webreport/compare/gate/gate.h"
#include "webreport/compare/sides.h"
#include "webreport/compare/two/damage.h"
#include "webreport/compare/two/work_sides.h"

/* The runs of one rank, or all runs where ranks are not told apart, or those of a worker that the budget names; and
 * what they are compared with. */
struct tp_check_subject {
    struct tp_str name;            /* as in tp_check_item */
    struct tp_str worker;          /* only for lines that name it; ptr NULL: for the others */
    int64_t rank;                  /* TP_NULL_INT: unknown */
    const struct tp_summary *runs; /* run_count of them, above 0 */
    size_t run_count;
    const struct tp_summary *base; /* base_count of them, oldest first; 0: nothing to compare with */
    size_t base_count;
    bool is_base_incomplete; /* the baseline has ranks, but not this one */
    bool is_first, is_base_broken; /* as in tp_check_input */
    struct tp_sides sides;   /* only with a base */
    struct tp_comparability comparability;
    struct tp_work_diff work; /* only with a base */
};

/* Judges one line; fills everything of the item but `places`. item->line and item->subject are set. */
void tp_check_judge(struct tp_check_item *item, const struct tp_check_subject *subject, struct tp_arena *arena);

/* Whether a time depends on what was recorded: all but those of kernels do. */
bool tp_check_is_of_host(const struct tp_metric *metric);

/* Judges a time against the baseline, which has at least a run. item->value and base_value are set; fills change, low,
 * high, sees, chance and the numbers of runs. *reason: a sentence. */
enum tp_check_cause tp_check_judge_time(struct tp_check_item *item, const struct tp_check_subject *subject,
                                        const char **reason, struct tp_arena *arena);

/* Of `count` judged items, the failed limits on times that chance may break, many as they are: they become unclear. */
void tp_check_judge_times_together(struct tp_check_item *items, size_t count, struct tp_arena *arena);

/* Finds where in the code a failed line points: findings with a line, new or costly waits. */
void tp_check_find_places(struct tp_check_item *item, const struct tp_check_subject *subject, struct tp_arena *arena);

/* Percent of the processor time that the line's function takes itself: of several runs that of the one nearest to
 * breaking the limit. NaN, with *why: a run is not of a program recorded from outside. */
double tp_check_function_share(const struct tp_summary *runs, size_t count, const struct tp_budget_line *line,
                               const char **why);

/* Judges a line about the work of a step; fills value, base_value and change of the item. *why: of TP_CAUSE_MISSING. */
enum tp_check_cause tp_check_judge_work(struct tp_check_item *item, const struct tp_check_subject *subject,
                                        const char **why);

/* Appends what changed in the work (struct tp_check_place) as far as the line is about it. */
void tp_check_find_work(struct tp_vec *places, const struct tp_check_item *item, const struct tp_check_subject *subject,
                        struct tp_arena *arena);

#endif
