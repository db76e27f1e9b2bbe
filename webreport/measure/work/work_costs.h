/* The least work of the operators that launched device work, and the time that the device spent on it: units.
 *
 * A unit is a call of an operator: the innermost one around a kernel that has a cost (cost.h). All kernels below it
 * share that cost; it is assigned to the longest of them, ties: the earliest. A unit that is faster than its device can
 * be is left out: its shape, its type, its time or the peak is wrong. Definitions: docs/definitions.md, section 19. */
#ifndef TP_WEBREPORT_MEASURE_WORK_WORK_COSTS_H
#define TP_WEBREPORT_MEASURE_WORK_WORK_COSTS_H

#include "webreport/measure/work/cost.h"
#include "webreport/measure/work/peaks_file.h"
#include "webreport/measure/work/work_kinds.h"

struct tp_work_unit {
    uint32_t op;    /* the operator */
    uint32_t event; /* the event whose arguments give the cost: its own, or the event folded into it that did the
                     * work */
    uint32_t main;  /* device operation that the cost is assigned to */
    int64_t ns;     /* sum of the durations of its kernels */
    uint32_t cost;  /* index in costs */
    uint32_t call;  /* number of the call: calls with equal name, shapes and types have the same number */
};

struct tp_work_units {
    struct tp_work_unit *items; /* in order of their first kernel */
    uint32_t count;
    const struct tp_cost *costs;     /* costs of different calls */
    int64_t known_ns[TP_WORK_COUNT]; /* by kind: durations of the operations that belong to a unit */
    uint32_t *of_device;             /* by device operation: its unit; TP_NO_ID: none */
    uint32_t device_count, call_count;
    uint32_t untyped_count; /* different calls around device work with shapes but without types, so without a cost */
    int64_t impossible_ns[TP_WORK_COUNT]; /* by kind: durations of the operations of units that were left out as
                                           * impossibly fast */
    const struct tp_peaks **peaks;        /* by device of the model: its peaks; NULL: unknown */
    struct tp_str *device_names;          /* by device of the model: name from the driver; "": unknown */
};

/* Least time that a unit needs by the peaks of its device, ns. */
struct tp_work_floor {
    double compute_ns; /* 0 without operations; -1: no peak is known for the type */
    double memory_ns;  /* 0 if the rate of the memory is unknown */
};

/* Builds the units in `arena` (guard set by the caller; large temporary memory is given back). Communication, copies
 * and waits have no cost. measured: peaks from the user, or NULL. */
void tp_work_units_build(struct tp_work_units *units, const struct tp_work_kinds *kinds,
                         const struct tp_peaks_file *measured, struct tp_arena *arena);
/* Gives its memory back early. */
void tp_work_units_drop(struct tp_work_units *units, struct tp_arena *arena);

/* Returns the least time of a unit. peaks: of its device, not NULL. */
struct tp_work_floor tp_work_floor_of(const struct tp_model *model, const struct tp_work_units *units,
                                      const struct tp_work_unit *unit, const struct tp_peaks *peaks);

/* Returns the unit that a device operation belongs to; NULL: there is none. */
static inline const struct tp_work_unit *tp_work_unit_of(const struct tp_work_units *units, uint32_t device)
{
    return units->of_device[device] == TP_NO_ID ? NULL : &units->items[units->of_device[device]];
}

#endif
