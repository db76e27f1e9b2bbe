/* State and functions that the rules of CPU programs share: the operators of the main thread. */
#ifndef TP_WEBREPORT_MEASURE_RULES_HOST_RULES_CPU_H
#define TP_WEBREPORT_MEASURE_RULES_HOST_RULES_CPU_H

#include "webreport/measure/rules/rules_eval.h"
#include "webreport/measure/work/cost.h"

struct tp_cpu_program {
    uint32_t *ops; /* operators that start within W, finished or not, in the order of the tree */
    uint32_t count;
    struct tp_intervals loading; /* times within W in which the data loader runs */
    /* times within W in which the main thread paused by accident, not because of its code */
    struct tp_intervals pauses;
};

/* Returns whether an operator starts while the loader runs. */
static inline bool tp_cpu_is_loading(const struct tp_advisor *a, uint32_t op)
{
    return tp_intervals_contain(a->cpu->loading, tp_operator_event(a->model, op)->ts_ns);
}

/* Returns whether no other operator encloses an operator. */
static inline bool tp_cpu_is_outer(const struct tp_advisor *a, uint32_t op)
{
    return a->model->operators.parent[op] == TP_NO_ID;
}

/* Returns whether an operator is a node of the backward pass. */
static inline bool tp_cpu_is_backward(const struct tp_model *model, uint32_t op)
{
    return (model->marks[tp_operator_event(model, op)->name] & TP_MARK_BACKWARD_NODE) != 0;
}

/* Returns the sequence number of an operator's autograd node, which is also the number of the node's backward pass;
 * TP_NULL_INT: there is none. */
int64_t tp_cpu_sequence(const struct tp_model *model, uint32_t op);

/* Computes the least work of an operator (section 19). Returns false if it is unknown. */
bool tp_cpu_cost(struct tp_cost *cost, const struct tp_advisor *a, uint32_t op);

/* Calls `visit` for each annotation of the main thread that starts within W and has this mark or this kind. */
void tp_cpu_visit_annotations(struct tp_advisor *a, uint64_t mark, enum tp_range_kind kind,
                              void (*visit)(void *context, uint32_t event), void *context);

/* Returns the times in `forward`, and the times of the backward pass of the operators that start in them. */
struct tp_intervals tp_cpu_with_backward(struct tp_advisor *a, struct tp_intervals forward);

/* Reports a finding like tp_advisor_add, and removes its time from H5 and H6, because one cause must be one finding. */
bool tp_cpu_add(struct tp_advisor *a, const struct tp_candidate *candidate);

/* Returns whether so much of the host's work is unrecorded that a rule about idle time cannot be evaluated; then notes
 * that for the rule. */
bool tp_cpu_lacks_record(struct tp_advisor *a, enum tp_rule_id rule);

/* Finds the cost of recording along the main thread, and sets judged_ns without this cost (rules_recorded.c). */
void tp_rules_count_recorded(struct tp_advisor *a);

/* Returns the times of cpu->pauses (rules_pauses.c). */
struct tp_intervals tp_cpu_find_pauses(struct tp_advisor *a);

/* Returns the percentage of the judged time in a set, both without pauses. A rule compares this value with its
 * threshold. The share that a finding shows is a percentage of the judged time with pauses. */
double tp_cpu_percent_without_pauses(struct tp_advisor *a, struct tp_intervals set);

/* Returns the time that a finding about `set` claims if the code in `set` needs no new memory. A pause may occur in any
 * code, so a pause in this code is not its cost. The result is `set` without pauses, and of the pauses in `set` only
 * the same share that `set` has of the judged time. */
struct tp_intervals tp_cpu_claimable_time(struct tp_advisor *a, struct tp_intervals set);

/* Lowers the least gain of a candidate whose time contains pauses, because pauses may be its own cost (new pages) or
 * not. The least gain then uses the share of its time without pauses. If that share is below the rule's threshold
 * `least`, in percent, the confidence drops by one level. The detail reports the share of pauses. */
void tp_cpu_lower_gain_of_pauses(struct tp_advisor *a, struct tp_candidate *c, const char *least);

/* Calls `visit` for each segment of the main thread's stack within `time`. */
void tp_walk_main_thread(struct tp_advisor *a, struct tp_intervals time, tp_stack_visit visit, void *context);

/* Returns `time` without the times of findings that tp_cpu_add reported. */
struct tp_intervals tp_cpu_without_claimed(struct tp_advisor *a, struct tp_intervals time);

/* Finds one function of the project that takes at least half of the main thread's Python time and least_percent of the
 * judged time. The function runs at most twice a step, calls no module, and mostly runs Python. Fills *c with its time,
 * evidence and cause, and returns true. Returns false if there is none. python: the set of Python times.
 * (rules_stretch.c) */
bool tp_cpu_find_long_function(struct tp_advisor *a, struct tp_intervals python, double least_percent,
                               struct tp_candidate *c);

/* Returns the cause of most of the loading time, found by the frames inside of it: "input.transform" or
 * "input.collate". Adds the longest frames to *picks. NULL: another cause, or unknown. loading: set of times of the
 * thread.
 *
 * For "input.collate", *collation gets the time in which batches are assembled, without operators and waiting. It also
 * excludes making tensors if the samples are not tensors, or if less than a fifth of the time is anything else.
 * *python_ns gets the time that does not make tensors. (rules_loader.c) */
const char *tp_loader_cause(struct tp_advisor *a, uint32_t thread, struct tp_intervals loading, struct tp_picks *picks,
                            struct tp_intervals *collation, int64_t *python_ns);

#endif
