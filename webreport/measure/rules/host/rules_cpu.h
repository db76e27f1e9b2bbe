/* State and functions that the rules about programs without a device share. */
#ifndef TP_WEBREPORT_MEASURE_RULES_HOST_RULES_CPU_H
#define TP_WEBREPORT_MEASURE_RULES_HOST_RULES_CPU_H

#include "webreport/measure/rules/rules_eval.h"
#include "webreport/measure/work/cost.h"

struct tp_cpu_program {
    /* indexes of the main thread's operators that start within the window W, including unfinished ones, in the order
     * of the tree */
    uint32_t *ops;
    uint32_t count;
    struct tp_intervals loading; /* times within the window W in which the main thread's data loader runs */
    /* times within the window W in which the main thread paused by accident, without a cause in its code */
    struct tp_intervals pauses;
};

/* Returns whether an operator starts while the data loader runs. */
static inline bool tp_cpu_is_in_loader(const struct tp_advisor *a, uint32_t op)
{
    return tp_intervals_contain(a->cpu->loading, tp_operator_event(a->model, op)->ts_ns);
}

/* Returns whether an operator is outermost: no other operator encloses it. */
static inline bool tp_cpu_is_outermost(const struct tp_advisor *a, uint32_t op)
{
    return a->model->operators.parent[op] == TP_NO_ID;
}

/* Returns whether an operator is a node of the backward pass. */
static inline bool tp_cpu_is_backward(const struct tp_model *model, uint32_t op)
{
    return (model->marks[tp_operator_event(model, op)->name] & TP_MARK_BACKWARD_NODE) != 0;
}

/* Returns the sequence number of an operator's autograd node; TP_NULL_INT without one. The node's backward pass has the
 * same number. */
int64_t tp_cpu_sequence(const struct tp_model *model, uint32_t op);

/* Computes the least work of an operator (section 19). Returns false if the work is unknown. */
bool tp_cpu_find_cost(struct tp_cost *cost, const struct tp_advisor *a, uint32_t op);

/* Calls `visit` for annotations of the main thread that start within the window W. kind: required kind of the
 * annotations, or 0 for annotations with one of the bits in `mark`. */
void tp_cpu_visit_annotations(struct tp_advisor *a, uint64_t mark, enum tp_range_kind kind,
                              void (*visit)(void *context, uint32_t event), void *context);

/* Returns the times in `forward`, together with the backward pass of the operators that start in these times. */
struct tp_intervals tp_cpu_add_backward_time(struct tp_advisor *a, struct tp_intervals forward);

/* Adds a finding as tp_advisor_add does. Also removes its time from rules H5 and H6, because one cause must be one
 * finding. */
bool tp_cpu_add_candidate(struct tp_advisor *a, const struct tp_candidate *candidate);

/* Returns whether too much of the host's work is unrecorded to evaluate a rule about idle time. In that case,
 * records that the rule was not evaluated. */
bool tp_cpu_lacks_record(struct tp_advisor *a, enum tp_rule_id rule);

/* Fills a->recorded with the cost of recording along the main thread, and sets judged_ns without this cost
 * (rules_recording_cost.c). */
void tp_rules_measure_recording(struct tp_advisor *a);

/* Returns the accidental pauses of the main thread (rules_pauses.c). */
struct tp_intervals tp_cpu_find_pauses(struct tp_advisor *a);

/* Returns the percentage of the analysed time that a set covers. Pauses count neither in the time nor in the set.
 * Rules compare this value with their thresholds. The share that a finding shows includes pauses. */
double tp_cpu_pause_free_percent(struct tp_advisor *a, struct tp_intervals set);

/* Returns the time that a finding about `set` claims if its code needs no new memory. Pauses may occur in any code,
 * so pauses in `set` are not caused by this code. The result contains `set` without its pauses, and a part of these
 * pauses: the same share that `set` has of the analysed time. */
struct tp_intervals tp_cpu_claimable_time(struct tp_advisor *a, struct tp_intervals set);

/* Lowers the least gain of a candidate whose time contains pauses, because the candidate's code may or may not cause
 * them (new pages). The least gain then uses only the share of its time without pauses. If this share is below the
 * rule's threshold `least`, in percent, the confidence drops by one level. The detail reports the share of pauses. */
void tp_cpu_lower_gain_of_pauses(struct tp_advisor *a, struct tp_candidate *c, const char *least);

/* Calls `visit` for each segment of the main thread's stack within `time`. */
void tp_walk_main_thread(struct tp_advisor *a, struct tp_intervals time, tp_stack_visit visit, void *context);

/* Returns `time` without the times of findings that tp_cpu_add_candidate has added. */
struct tp_intervals tp_cpu_subtract_claimed(struct tp_advisor *a, struct tp_intervals time);

/* Finds one function of the project that takes at least half of the main thread's Python time, and least_percent of
 * the analysed time. The function runs at most twice per step, calls no module, and mostly runs Python. Fills *c
 * with its time, evidence and cause. Returns false if there is no such function. python: all Python times.
 * (rules_long_function.c) */
bool tp_cpu_find_long_function(struct tp_advisor *a, struct tp_intervals python, double least_percent,
                               struct tp_candidate *c);

/* Returns the cause of most of the loading time: "input.transform", "input.collate", or NULL for another or unknown
 * cause. The frames inside the loading time show the cause. Appends the longest frames to *picks. loading: loading
 * times of the thread.
 *
 * For "input.collate", sets *collation to the time in which batches are assembled, without operators and waits.
 * Making tensors does not count if the samples are no tensors, or if it takes more than four fifths of the time.
 * Sets *python_ns to the time that does not make tensors. (rules_loader.c) */
const char *tp_find_loader_cause(struct tp_advisor *a, uint32_t thread, struct tp_intervals loading,
                                 struct tp_picks *picks, struct tp_intervals *collation, int64_t *python_ns);

#endif
