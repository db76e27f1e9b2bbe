/* Computes host time by activity for the verdict and the rules: loading, communication, and time without recorded
 * events. Intervals cover the whole recording unless a comment names the window of analysed steps. All functions
 * allocate from `arena`. */
#ifndef TP_WEBREPORT_MODEL_MAIN_THREAD_H
#define TP_WEBREPORT_MODEL_MAIN_THREAD_H

#include "webreport/model/facts.h"

/* Returns the parts of the window of analysed steps in which the main thread is in a range with one of these kinds.
 * kinds: set of bits 1 << enum tp_range_kind. Ranges without a declared kind are included only if they load data. */
struct tp_intervals tp_main_thread_ranges(const struct tp_model *model, unsigned kinds, struct tp_arena *arena);

/* Returns the parts of the window of analysed steps in which the main thread loads data. */
struct tp_intervals tp_main_thread_loading(const struct tp_model *model, struct tp_arena *arena);

/* Returns the parts of the window of analysed steps in which the main thread is in no operator, call or loader, and no
 * other thread works. In these parts, the main thread runs Python code, or something that is not recorded. loading:
 * result of tp_main_thread_loading. */
struct tp_intervals tp_main_thread_unrecorded(const struct tp_model *model, struct tp_intervals loading,
                                              struct tp_arena *arena);

/* Returns the times in which at least one thread is in an operator or compute range that does not communicate. */
struct tp_intervals tp_computing_times(const struct tp_model *model, struct tp_arena *arena);

/* Returns the times of collectives on the host during which no thread computes. */
struct tp_intervals tp_exposed_collectives(const struct tp_model *model, struct tp_arena *arena);

/* Returns true if a host event is a collective or other call of a communication backend. */
static inline bool tp_is_collective(const struct tp_model *model, const struct tp_event *e)
{
    bool may_be = e->kind == TP_KIND_ANNOTATION || e->kind == TP_KIND_OPERATOR;
    return may_be && (tp_event_declared_kind(e) ? tp_event_declared_kind(e) == TP_RANGE_COMMUNICATION
                                                : (model->marks[e->name] & TP_MARK_COLLECTIVE) != 0);
}

/* Returns true if a host event computes: an operator that does not communicate, or a range with the kind compute. */
static inline bool tp_is_computing(const struct tp_model *model, const struct tp_event *e)
{
    return e->kind == TP_KIND_OPERATOR ? tp_event_range_kind(model, e) != TP_RANGE_COMMUNICATION
                                       : e->kind == TP_KIND_ANNOTATION && tp_event_declared_kind(e) == TP_RANGE_COMPUTE;
}

/* Returns true if at least one name of the trace has one of these marks. */
static inline bool tp_any_name_has_marks(const struct tp_model *model, uint64_t marks)
{
    for (uint32_t i = 0; i < model->trace->names.count; i++)
        if (model->marks[i] & marks)
            return true;
    return false;
}

#endif
