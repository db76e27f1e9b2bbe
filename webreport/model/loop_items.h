/* Collects the outermost work of the main thread, from which steps are inferred (section 5 of docs/definitions.md). */
#ifndef TP_WEBREPORT_MODEL_LOOP_ITEMS_H
#define TP_WEBREPORT_MODEL_LOOP_ITEMS_H

#include "webreport/model/facts.h"

/* An item of outermost work: a module call, operator, loading of data or user range of the main thread, or a whole
 * backward pass. */
struct tp_loop_item {
    int64_t start_ns, end_ns;
    uint32_t name;  /* name id of the trace; tp_loop_backward_name for a backward pass */
    uint32_t event; /* index in trace->events; for a backward pass, its first node */
};

struct tp_loop_items {
    struct tp_loop_item *items; /* sorted by start */
    uint32_t count;
};

/* Returns the number that stands for the name of a backward pass: the first number that is not a name id. */
static inline uint32_t tp_loop_backward_name(const struct tp_model *model)
{
    return model->trace->names.count;
}

/* Collects the items of the main thread in `arena`, with the backward passes of all threads. If has_ranges is true, a
 * user range is an item as well, and replaces the items inside the range. */
struct tp_loop_items tp_loop_items_of(const struct tp_model *model, bool has_ranges, struct tp_arena *arena);

#endif
