/* State and functions that the rules about programs without a device share. */
#ifndef TP_WEBREPORT_MEASURE_RULES_HOST_RULES_CPU_H
#define TP_WEBREPORT_MEASURE_RULES_HOST_RULES_CPU_H

#include "webreport/measure/rules/rules_eval.h"
#include "webreport/measure/work/cost.h"

struct tp_cpu_program {
    /* indexes of the main thread's operators that start within the window of analysed steps, including unfinished ones,
     * in the order of the tree */
    uint32_t *ops;
    uint32_t count;
    struct tp_intervals
        loading; /* times within the window of analysed steps in which the main thread's data loader runs */
    /* times within the window of analysed steps in which the main thread paused by accident, without a cause in its
     * code */
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

/* Returns the sequence number of an operator's autograd node; TP_NULL_INT if it has none. The backward pass of the node
 * has the same number. */
int64_t tp_cpu_sequence_number(const struct tp_model *model, uint32_t op);

/* Computes the least work of an operator (docs/definitions.md, section 19). Returns false if the work is unknown. */
bool tp_cpu_find_cost(struct tp_cost *cost, const struct tp_advisor *a, uint32_t op);

/* Calls `visit` for annotations of the main thread that start within the window of analysed steps. kind: required kind
 * of the annotations, or 0 for annotations with one of the bits in `mark`. */
void tp_cpu_visit_annotations(struct tp_advisor *a, uint64_t mark, enum tp_range_kind kind,
                              void (*visit)(void *context, uint32_t event), void *context);

/* Returns the times in `forward`, together with the backward pass of the operators that start in these times. */
struct tp_intervals tp_cpu_add_backward_time(struct tp_advisor *a, struct tp_intervals forward);

/* Adds a finding as tp_advisor_add_finding does. Also removes its time from the findings of rules H5 and H6, because
 * one cause must be one finding. */
bool tp_advisor_add_cpu_finding(struct tp_advisor *a, const struct tp_candidate *candidate);

/* Returns whether too much of the host's work is unrecorded to evaluate a rule about idle time. In that case, notes
 * that the rule was not evaluated. */
bool tp_cpu_lacks_record(struct tp_advisor *a, enum tp_rule_id rule);

/* Computes the cost of recording on the main thread into a->recorded. Sets a->judged_ns to the analysed time minus this
 * cost (rules_recording_cost.c). */
void tp_rules_compute_recording_cost(struct tp_advisor *a);

/* Returns the accidental pauses of the main thread (rules_pauses.c). */
struct tp_intervals tp_cpu_find_pauses(struct tp_advisor *a);

/* Returns the percentage of the analysed time that a set covers. Pauses are subtracted from the analysed time and from
 * the set. Rules compare this value with their thresholds. In contrast, the share that a finding shows includes
 * pauses. */
double tp_cpu_pause_free_percent(struct tp_advisor *a, struct tp_intervals set);

/* Returns the ceiling of a finding about `set` whose code needs no new memory. Pauses may occur in any code, so this
 * code does not cause the pauses in `set`. The result contains `set` without pauses, and a part of these pauses: the
 * same share that `set` has of the analysed time. */
struct tp_intervals tp_cpu_claimable_time(struct tp_advisor *a, struct tp_intervals set);

/* Lowers the least gain of a candidate whose time contains pauses, because it is unknown whether the candidate's code
 * causes the pauses (new pages). The least gain then uses only the share of the candidate's time without pauses. If
 * this share is below the rule's threshold `least`, in percent, the confidence drops by one level. The detail reports
 * the share of pauses. */
void tp_cpu_lower_gain_of_pauses(struct tp_advisor *a, struct tp_candidate *c, const char *least);

/* Calls `visit` for each segment of the main thread's stack within `time`. */
void tp_walk_main_thread(struct tp_advisor *a, struct tp_intervals time, tp_stack_visit visit, void *context);

/* Returns `time` without the times of findings that tp_advisor_add_cpu_finding has added. */
struct tp_intervals tp_cpu_subtract_claimed(struct tp_advisor *a, struct tp_intervals time);

/* Finds one function of the project that takes at least half of the main thread's Python time, and at least
 * least_percent of the analysed time. The function runs at most twice per step, calls no module, and mostly runs
 * Python. Fills *c with the function's time, evidence and cause. Returns false if there is no such function. python:
 * all Python times. (rules_long_function.c) */
bool tp_cpu_find_long_function(struct tp_advisor *a, struct tp_intervals python, double least_percent,
                               struct tp_candidate *c);

/* The cause of most of the loading time, as the Python frames in the loading time show it. */
struct tp_loader_cause {
    const char *name; /* "input.transform", "input.collate", or NULL for another or unknown cause */
    /* time of the cause, without operators and waits. For "input.transform": transforming samples. For "input.collate":
     * assembling batches, without making tensors if the samples are no tensors, or if making tensors takes more than
     * four fifths of the time. */
    struct tp_intervals part;
    int64_t python_ns, making_ns; /* for "input.collate": time of assembling without making tensors, time of making */
};

/* Finds the cause of most of the loading time. Appends the longest frames to *picks. loading: loading times of the
 * thread. (rules_loader.c) */
struct tp_loader_cause tp_find_loader_cause(struct tp_advisor *a, uint32_t thread, struct tp_intervals loading,
                                            struct tp_picks *picks);

#endif
