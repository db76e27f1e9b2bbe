/* Walks over the samples of one counter of a device in the order of time. A sample counts until the next one, unless
 * the next one is more than a second later (docs/definitions.md, section 7). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_COUNTER_WALK_H
#define TP_WEBREPORT_MEASURE_VIEWS_COUNTER_WALK_H

#include "webreport/measure/views/counter_view.h"
#include "writer/base/saturate.h"

struct tp_counter_walk {
    const uint32_t *samples;                  /* indexes in `counters`, in the order of time; borrowed from the view */
    const struct tp_device_counter *counters; /* all samples of the trace */
    uint32_t at, end;                         /* positions in `samples`; at == end: the counter has no samples */
};

/* Returns a walk over the first counter of the device whose name begins with `name`. Without such a counter, or without
 * its samples, the walk is empty. view: must outlive the walk. */
struct tp_counter_walk tp_counter_walk_start(const struct tp_counter_view *view, const struct tp_model *model,
                                             int64_t device, const char *name);

/* Returns the sample at a position from w->at to w->end - 1. */
static inline const struct tp_device_counter *tp_counter_walk_sample(const struct tp_counter_walk *w, uint32_t at)
{
    return &w->counters[w->samples[at]];
}

/* Returns whether the counter is known between the samples at the positions `at` and at + 1. */
static inline bool tp_counter_walk_is_known(const struct tp_counter_walk *w, uint32_t at)
{
    const int64_t LONGEST_GAP_NS = 1000000000;
    return tp_sat_sub(tp_counter_walk_sample(w, at + 1)->ts_ns, tp_counter_walk_sample(w, at)->ts_ns) <= LONGEST_GAP_NS;
}

/* Returns the value of the last sample at or before a time; NaN without one. Times must ascend from call to call. */
double tp_counter_walk_value(struct tp_counter_walk *w, int64_t ts_ns);

/* Returns the highest value from w->at on; NaN without samples. */
double tp_counter_walk_highest(const struct tp_counter_walk *w);

#endif
