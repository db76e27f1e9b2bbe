/* Computes host time by activity, for verdict and rules: loading, communication, and time without recorded events. Sets
 * cover the whole recording unless a comment says W. All functions allocate from the `arena` parameter. */
#ifndef TP_WEBREPORT_MODEL_MAIN_THREAD_H
#define TP_WEBREPORT_MODEL_MAIN_THREAD_H

#include "webreport/model/facts.h"

/* Returns the times of W in which the main thread is in a range of one of these kinds. kinds: bits of enum
 * tp_range_kind. Of events without a declared kind, only data loaders count. */
struct tp_intervals tp_main_ranges(const struct tp_model *model, unsigned kinds, struct tp_arena *arena);

/* Returns the times of W in which the main thread loads data. */
struct tp_intervals tp_main_loading(const struct tp_model *model, struct tp_arena *arena);

/* Returns the times of W in which the main thread is in no operator, call or loader and no other thread works. The
 * thread then runs Python code or something that is not recorded. loading: the result of tp_main_loading. */
struct tp_intervals tp_main_unrecorded(const struct tp_model *model, struct tp_intervals loading,
                                       struct tp_arena *arena);

/* Returns the times in which some thread computes, in operators and ranges that do not communicate. */
struct tp_intervals tp_computing(const struct tp_model *model, struct tp_arena *arena);

/* Returns the times of host collectives during which no thread runs an operator. */
struct tp_intervals tp_exposed_collectives(const struct tp_model *model, struct tp_arena *arena);

/* Returns whether a host event belongs to a communication backend, so that its time counts as communication. */
static inline bool tp_is_collective(const struct tp_model *model, const struct tp_event *e)
{
    bool may_be = e->kind == TP_KIND_ANNOTATION || e->kind == TP_KIND_OPERATOR;
    return may_be && (tp_event_declared_kind(e) ? tp_event_declared_kind(e) == TP_RANGE_COMMUNICATION
                                                : (model->marks[e->name] & TP_MARK_COLLECTIVE) != 0);
}

/* Returns whether a host event computes: an operator that does not communicate, or a range of the kind compute. */
static inline bool tp_is_computing(const struct tp_model *model, const struct tp_event *e)
{
    return e->kind == TP_KIND_OPERATOR ? tp_range_kind_of(model, e) != TP_RANGE_COMMUNICATION
                                       : e->kind == TP_KIND_ANNOTATION && tp_event_declared_kind(e) == TP_RANGE_COMPUTE;
}

/* Returns whether any name of the trace has one of these marks. */
static inline bool tp_any_name_has(const struct tp_model *model, uint64_t marks)
{
    for (uint32_t i = 0; i < model->trace->names.count; i++)
        if (model->marks[i] & marks)
            return true;
    return false;
}

#endif
