/* Host time that verdict and rules ask for: loading, communication, and time in which nothing is recorded. Sets over
 * the whole recording unless they say W; in the arena given. */
#ifndef TP_WEBREPORT_MODEL_MAIN_THREAD_H
#define TP_WEBREPORT_MODEL_MAIN_THREAD_H

#include "webreport/model/facts.h"

/* Times of W in which the host's main thread is in a range of one of these kinds (bits of enum tp_range_kind). By their
 * name alone only loaders count here: a call or an operator of such a kind has numbers of its own. */
struct tp_intervals tp_main_ranges(const struct tp_model *model, unsigned kinds, struct tp_arena *arena);

/* Times of W in which the host's main thread loads data. */
struct tp_intervals tp_main_loading(const struct tp_model *model, struct tp_arena *arena);

/* Times of W in which the main thread is in no operator, call or loader and no other thread works: Python code, or
 * nothing recorded. loading: what tp_main_loading returns. */
struct tp_intervals tp_main_between(const struct tp_model *model, struct tp_intervals loading, struct tp_arena *arena);

/* Times in which some thread computes: operators and ranges that do not communicate. */
struct tp_intervals tp_computing(const struct tp_model *model, struct tp_arena *arena);

/* Times of collectives on the host that no operator of any thread hides. */
struct tp_intervals tp_exposed_collectives(const struct tp_model *model, struct tp_arena *arena);

/* A host event of a backend itself: its time is that of the communication. */
static inline bool tp_is_collective(const struct tp_model *model, const struct tp_event *e)
{
    bool may_be = e->kind == TP_KIND_ANNOTATION || e->kind == TP_KIND_OPERATOR;
    return may_be && (tp_event_said(e) ? tp_event_said(e) == TP_RANGE_COMMUNICATION
                                       : (model->marks[e->name] & TP_MARK_COLLECTIVE) != 0);
}

/* A host event that computes: operators that do not communicate, and ranges that say so. */
static inline bool tp_is_computing(const struct tp_model *model, const struct tp_event *e)
{
    return e->kind == TP_KIND_OPERATOR ? tp_range_kind_of(model, e) != TP_RANGE_COMMUNICATION
                                       : e->kind == TP_KIND_ANNOTATION && tp_event_said(e) == TP_RANGE_COMPUTE;
}

/* Does any name of the trace have one of these marks? */
static inline bool tp_any_name_is(const struct tp_model *model, uint64_t marks)
{
    for (uint32_t i = 0; i < model->trace->names.count; i++)
        if (model->marks[i] & marks)
            return true;
    return false;
}

#endif
