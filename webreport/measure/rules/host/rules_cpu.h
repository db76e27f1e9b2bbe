/* State and helpers of the rules of CPU programs: the operators of the main thread. */
#ifndef TP_WEBREPORT_MEASURE_RULES_HOST_RULES_CPU_H
#define TP_WEBREPORT_MEASURE_RULES_HOST_RULES_CPU_H

#include "webreport/measure/rules/rules_eval.h"
#include "webreport/measure/work/cost.h"

struct tp_cpu_program {
    uint32_t *ops; /* operators that start within W, finished or not, in the order of the tree */
    uint32_t count;
    struct tp_intervals loading; /* the loader's time within W */
    struct tp_intervals pauses;  /* times within W in which the main thread stopped by accident */
};

/* Returns whether an operator starts while the loader runs. */
static inline bool tp_cpu_is_loading(const struct tp_advisor *a, uint32_t op)
{
    return tp_intervals_contain(a->cpu->loading, tp_operator_event(a->model, op)->ts_ns);
}

/* Returns whether an operator is inside no other. */
static inline bool tp_cpu_is_outer(const struct tp_advisor *a, uint32_t op)
{
    return a->model->operators.parent[op] == TP_NO_ID;
}

/* Returns whether an operator is a node of the backward pass. */
static inline bool tp_cpu_is_backward(const struct tp_model *model, uint32_t op)
{
    return (model->marks[tp_operator_event(model, op)->name] & TP_MARK_BACKWARD_NODE) != 0;
}

/* Returns the sequence number of an operator's autograd node, which the node's backward has, too; TP_NULL_INT: none. */
int64_t tp_cpu_sequence(const struct tp_model *model, uint32_t op);

/* Computes the least work of an operator (section 19). Returns false if it is unknown. */
bool tp_cpu_cost(struct tp_cost *cost, const struct tp_advisor *a, uint32_t op);

/* Calls visit for the main thread's annotations that start within W and that have a mark or are of a kind. */
void tp_cpu_visit_annotations(struct tp_advisor *a, uint64_t mark, enum tp_range_kind kind,
                              void (*visit)(void *context, uint32_t event), void *context);

/* Returns the times, and the times of the backward of the operators that start in them. */
struct tp_intervals tp_cpu_with_backward(struct tp_advisor *a, struct tp_intervals forward);

/* Reports a finding like tp_advisor_add, and removes its time from H5 and H6: one cause is one finding. */
bool tp_cpu_add(struct tp_advisor *a, const struct tp_candidate *candidate);

/* Returns whether so much of the host's work is missing in the record that a rule about idle time cannot be evaluated;
 * notes that in this case. */
bool tp_cpu_lacks_record(struct tp_advisor *a, enum tp_rule_id rule);

/* Finds the cost of recording along the main thread, and judged_ns without it. (rules_recorded.c) */
void tp_rules_count_recorded(struct tp_advisor *a);

/* Finds cpu->pauses. (rules_pauses.c) */
struct tp_intervals tp_cpu_find_pauses(struct tp_advisor *a);

/* Returns the share in percent that a set has of the judged time, both without pauses: a rule compares it with its
 * threshold. The share that a finding claims is of the judged time with pauses. */
double tp_cpu_percent_without_pauses(struct tp_advisor *a, struct tp_intervals set);

/* Returns the time that a finding about `set` claims, where `set` needs no new memory: without pauses, and of the
 * pauses in it the first parts up to the share that `set` has of the judged time where both are without pauses. A pause
 * may hit any code: one that hit this code is not its cost. */
struct tp_intervals tp_cpu_spread_pauses(struct tp_advisor *a, struct tp_intervals set);

/* Lowers the least gain of a candidate whose time contains pauses. Pauses may be its own cost (new pages) or not. The
 * least gain then uses the share of its time without pauses. If that share is below the rule's threshold `least`, in
 * percent, the confidence drops by one level. The detail reports how much of the time is pauses. */
void tp_cpu_doubt_pauses(struct tp_advisor *a, struct tp_candidate *c, const char *least);

/* Calls visit for each segment of the main thread's stack in these times. */
void tp_walk_main(struct tp_advisor *a, struct tp_intervals time, tp_stack_visit visit, void *context);

/* Returns the times without those that tp_cpu_add reported. */
struct tp_intervals tp_cpu_without_claimed(struct tp_advisor *a, struct tp_intervals time);

/* Returns whether half of the main thread's Python time, and least_percent of the judged time, is in one function of
 * the project that calls no module and runs little except Python, at most twice a step. Then *c gets its time, evidence
 * and cause. python: a set. (rules_stretch.c) */
bool tp_cpu_python_stretch(struct tp_advisor *a, struct tp_intervals python, double least_percent,
                           struct tp_candidate *c);

/* Returns the part that takes most of the loading time, by the frames inside, "input.transform" or "input.collate",
 * with its longest frames in *picks; NULL: neither, or unknown. loading: a set of times of the thread. Only for
 * "input.collate": *collation: its time without operators and waiting, and without making tensors if little of it is
 * anything else; *python_ns: the part that does not make tensors. (rules_loader.c) */
const char *tp_loader_cause(struct tp_advisor *a, uint32_t thread, struct tp_intervals loading, struct tp_picks *picks,
                            struct tp_intervals *collation, int64_t *python_ns);

#endif
