/* Collects the outermost work of the main thread, from which steps are inferred (section 5 of docs/definitions.md). */
#ifndef TP_WEBREPORT_MODEL_LOOP_ITEMS_H
#define TP_WEBREPORT_MODEL_LOOP_ITEMS_H

#include "webreport/model/facts.h"

/* An item of outermost work: on the main thread, a module call, an operator, data loading or a user range; on any
 * thread, a whole backward pass. */
struct tp_loop_item {
    int64_t start_ns, end_ns;
    uint32_t name;  /* name id in the trace; tp_loop_backward_name for a backward pass */
    uint32_t event; /* event of the item, index in trace->events; for a backward pass, the event of its first node */
};

struct tp_loop_items {
    struct tp_loop_item *items; /* items sorted by start */
    uint32_t count;
};

/* Returns the number that represents the name of backward passes: the lowest number that is not a name id. */
static inline uint32_t tp_loop_backward_name(const struct tp_model *model)
{
    return model->trace->names.count;
}

/* Collects the items of the main thread and the backward passes of all threads, in `arena`. If has_ranges is true, each
 * user range becomes one item that replaces the items inside the range. */
struct tp_loop_items tp_loop_items_collect(const struct tp_model *model, bool has_ranges, struct tp_arena *arena);

#endif
