/* The counters of devices, such as power and clocks: statistics by device and name, and the energy of a step
 * (docs/definitions.md, section 7). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_COUNTER_VIEW_H
#define TP_WEBREPORT_MEASURE_VIEWS_COUNTER_VIEW_H

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum tp_device_counter_column {
    TP_DEVICE_COUNTER_DEVICE,
    TP_DEVICE_COUNTER_NAME,
    TP_DEVICE_COUNTER_SAMPLES,
    TP_DEVICE_COUNTER_MIN,
    TP_DEVICE_COUNTER_MEAN,
    TP_DEVICE_COUNTER_MAX,
    TP_DEVICE_COUNTER_COLUMNS
};

struct tp_counter_view {
    bool is_present;          /* true if the trace has counters of devices */
    struct tp_table counters; /* sorted by device, then by name */
    /* indexes of the samples in trace->input.counters, by row of `counters`, then by time */
    uint32_t *samples;
    uint32_t *first_samples;  /* for each row: its first position in `samples`; one more item ends the last row */
    double energy_per_step_j; /* energy of all devices in a step, joules; NaN if unknown */
};

/* Builds the view in `arena`, whose guard the caller has set. */
void tp_counter_view_build(struct tp_counter_view *view, const struct tp_model *model, struct tp_arena *arena);

/* Returns the row of the first counter of the device whose name begins with `name`; SIZE_MAX if none exists or it has
 * no samples. */
size_t tp_counter_view_find(const struct tp_counter_view *view, int64_t device, const char *name);

extern const struct tp_fields tp_counter_view_fields;

#endif
