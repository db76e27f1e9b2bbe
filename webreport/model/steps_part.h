/* Makes some consecutive steps of a trace a trace of their own, for work that is too slow or needs too much memory for
 * the whole trace. docs/definitions.md, section 37, "Parts of a trace".
 *
 * Such a part has the events that `tracepress export --step` keeps for these steps. */
#ifndef TP_WEBREPORT_MODEL_STEPS_PART_H
#define TP_WEBREPORT_MODEL_STEPS_PART_H

#include "webreport/model/facts.h"

/* The times of some steps, ns. */
struct tp_steps_extent {
    int64_t from_ns;       /* first start of a step, on the host or on a device */
    int64_t until_ns;      /* last end of a step, on the host or on a device */
    int64_t host_until_ns; /* last end of a step on the host */
};

/* A part of a trace. It shares all texts and details with the whole trace. */
struct tp_steps_part {
    struct tp_trace trace; /* has the events of the steps only */
    struct tp_order order;
    struct tp_model model; /* the facts of the part */
};

/* Returns an extent without steps. */
struct tp_steps_extent tp_steps_extent_empty(void);

/* Extends an extent by a step. */
void tp_steps_extent_add(struct tp_steps_extent *extent, const struct tp_step *step);

/* Returns whether a call of the steps launched a device operation. k: index of the operation in model->devices. */
bool tp_steps_extent_launched(const struct tp_steps_extent *extent, const struct tp_model *model, uint32_t k);

/* Returns whether a time from start_ns to end_ns overlaps the range from from_ns (included) to until_ns (excluded). A
 * time without length overlaps a range that it is in. */
static inline bool tp_overlaps_range(int64_t start_ns, int64_t end_ns, int64_t from_ns, int64_t until_ns)
{
    return start_ns < until_ns && (end_ns > from_ns || start_ns >= from_ns);
}

/* Makes a part from the steps `first` to `last`, which are indexes in whole->steps. The first steps are left out of the
 * analysis if devices still do work of earlier steps in them. The part is in `arena`, whose guard must be set, and must
 * not outlive `whole`. The model of the part has no stacks for Python frames, because all threads
 * share the stacks of the whole trace. */
void tp_steps_part_build(struct tp_steps_part *part, const struct tp_model *whole, uint32_t first, uint32_t last,
                         struct tp_arena *arena);

#endif
