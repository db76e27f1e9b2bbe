/* Units: operators that launched device work, with their least work and the time that the device spent on it
 * (docs/definitions.md, section 19).
 *
 * A unit is a call of an operator: the innermost one around a kernel that has a cost (cost.h). All kernels below it
 * share that cost; it is assigned to the longest of them, or to the first of several. A unit that is faster than its
 * device can be is left out, because its shape, its type, its time or the peak is wrong. */
#ifndef TP_WEBREPORT_MEASURE_WORK_WORK_COSTS_H
#define TP_WEBREPORT_MEASURE_WORK_WORK_COSTS_H

#include "webreport/measure/work/cost.h"
#include "webreport/measure/work/peaks_file.h"
#include "webreport/measure/work/work_kinds.h"

struct tp_work_unit {
    uint32_t op;    /* number of the operator */
    uint32_t event; /* event whose arguments determine the cost: the operator's own event, or the event folded into it
                     * that did the work */
    uint32_t main;  /* device operation to which the cost is assigned */
    int64_t ns;     /* sum of the durations of the unit's kernels, ns */
    uint32_t cost;  /* index in costs */
    uint32_t call;  /* number of the call; calls with equal name, shapes and types have equal numbers */
};

struct tp_work_units {
    struct tp_work_unit *items; /* in order of their first kernel */
    uint32_t count;
    const struct tp_cost *costs;     /* costs of distinct calls */
    int64_t known_ns[TP_WORK_COUNT]; /* by kind: total duration of the operations that belong to a unit, ns */
    uint32_t *of_device;             /* by device operation: its unit; TP_NO_ID: it has none */
    uint32_t device_count, call_count;
    uint32_t untyped_count; /* number of distinct calls around device work that have shapes but no types, and therefore
                             * no cost */
    int64_t impossible_ns[TP_WORK_COUNT]; /* by kind: total duration of the operations of impossibly fast units, ns */
    const struct tp_peaks **peaks;        /* by device of the model: peaks; NULL: unknown */
    struct tp_str *device_names;          /* by device of the model: name from the driver; "": unknown */
};

/* The least time of a unit by the peaks of its device, ns. */
struct tp_work_floor {
    double compute_ns; /* time to compute: 0 without operations; -1: the peak of the type is unknown */
    double memory_ns;  /* time to move the bytes: 0 if the rate of the memory is unknown */
};

/* Builds the units in `arena` (guard set by the caller). Returns large temporary memory to the arena. Communication,
 * copies and waits have no cost. measured: peaks from the user, or NULL. */
void tp_work_units_build(struct tp_work_units *units, const struct tp_work_kinds *kinds,
                         const struct tp_peaks_file *measured, struct tp_arena *arena);
/* Returns the memory of the units to the arena early. */
void tp_work_units_drop(struct tp_work_units *units, struct tp_arena *arena);

/* Returns the least time of a unit. peaks: peaks of its device, not NULL. */
struct tp_work_floor tp_work_floor_of(const struct tp_model *model, const struct tp_work_units *units,
                                      const struct tp_work_unit *unit, const struct tp_peaks *peaks);

/* Returns the unit of a device operation; NULL: it has none. */
static inline const struct tp_work_unit *tp_work_unit_of(const struct tp_work_units *units, uint32_t device)
{
    return units->of_device[device] == TP_NO_ID ? NULL : &units->items[units->of_device[device]];
}

#endif
