/* Events that contradict other events of the file, counted in trace->reading. The recorder writes many facts twice: a
 * link repeats the start of its call, ids ascend with time, streams run in the order of their launches. A damaged value
 * disagrees with its copy.
 *
 * A rule counts only when nearly all events keep it. A writer that breaks a rule often does not know it. */
#ifndef TP_WEBREPORT_MODEL_CONFLICTS_H
#define TP_WEBREPORT_MODEL_CONFLICTS_H

#include "webreport/model/order.h"
#include "webreport/trace/trace.h"

/* Fills conflicts, cut_names, without_member, lone_devices and memory_gaps of trace->reading. */
void tp_conflicts_note(struct tp_trace *trace, const struct tp_order *order, struct tp_arena *arena);

/* Returns the number of records that contradict the totals or the order of the device's other records. Internal to
 * conflicts*.c, as the next two. */
uint64_t tp_conflicts_of_memory(const struct tp_trace *trace, const struct tp_order *order, struct tp_arena *arena);

/* Events by name: how many, and of which kinds. Arrays by id of the name. */
struct tp_name_use {
    uint32_t *count;
    uint16_t *kinds; /* bit k: an event of kind k (enum tp_kind) has the name */
};

/* Returns the number of events whose name lost its end, or whose name another name contradicts. */
uint64_t tp_conflicts_of_names(const struct tp_trace *trace, const struct tp_name_use *use, struct tp_arena *arena);

/* Returns `odd` when few of `count` events break a rule, else 0. */
static inline uint64_t tp_conflicts_if_few(uint64_t odd, uint64_t count)
{
    enum { ONE_IN = 20 };
    return odd * ONE_IN < count ? odd : 0;
}

#endif
