/* The counters of devices, such as power and clocks: statistics by device and name, and the energy of a step
 * (docs/definitions.md, section 7). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_COUNTER_VIEW_H
#define TP_WEBREPORT_MEASURE_VIEWS_COUNTER_VIEW_H

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

/* beginnings of the names of counters */
#define TP_POWER_COUNTER "Power (W)"
#define TP_CLOCK_COUNTER "SM Clock (MHz)"
#define TP_HEAT_COUNTER "Temperature (C)"

enum tp_device_counter_column {
    TP_DEVICE_COUNTER_DEVICE,
    TP_DEVICE_COUNTER_NAME,
    TP_DEVICE_COUNTER_SAMPLES,
    TP_DEVICE_COUNTER_MIN,
    TP_DEVICE_COUNTER_MEAN,
    TP_DEVICE_COUNTER_MAX,
    TP_DEVICE_COUNTER_COLUMNS
};

enum tp_counter_step_column {
    TP_COUNTER_STEP_DEVICE,
    TP_COUNTER_STEP_NAME,
    TP_COUNTER_STEP_LENGTH,
    TP_COUNTER_STEP_ENERGY, /* null for steps below 200 ms, and for those that samples of the power do not cover */
    TP_COUNTER_STEP_WATTS,
    TP_COUNTER_STEP_HIGH_CLOCK, /* this and the columns below: null without busy time with a known clock */
    TP_COUNTER_STEP_LOW_CLOCK,
    TP_COUNTER_STEP_POWER_LIMIT, /* null without samples of the power */
    TP_COUNTER_STEP_HEAT_LIMIT,  /* null without samples of the temperature */
    TP_COUNTER_STEP_COLUMNS
};

struct tp_counter_view {
    bool is_present;          /* true if the trace has counters of devices */
    struct tp_table counters; /* sorted by device, then by name */
    /* a row for each analysed step of each device with samples of power or clock; no rows above TP_MAX_COUNTER_STEPS */
    struct tp_table steps;
    /* indexes of the samples in trace->input.counters, by row of `counters`, then by time */
    uint32_t *samples;
    uint32_t *first_samples;  /* for each row: its first position in `samples`; one more item ends the last row */
    double energy_per_step_j; /* energy of all devices in a step, joules; NaN if unknown */
    bool energy_is_at_least;  /* true: the samples cover only a part of the analysed steps */
};

/* Builds the view in `arena`, whose guard the caller has set. The second function leaves out the steps and the energy.
 */
void tp_counter_view_build(struct tp_counter_view *view, const struct tp_model *model, struct tp_arena *arena);
void tp_counter_view_build_counters(struct tp_counter_view *view, const struct tp_model *model, struct tp_arena *arena);

extern const struct tp_fields tp_counter_view_fields;

#endif
