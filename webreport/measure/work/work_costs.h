/* What the operators that launched device work had to do at least, and how long the device worked on it: units.
 *
 * A unit is a call of an operator: the innermost one around a kernel that has a cost (cost.h). All kernels under it
 * share that cost; it is booked on the longest of them, the earliest of equal ones. A unit that is faster than its
 * device can be is no unit: its shape, its type, its time or the peak is wrong. Definitions: docs/definitions.md,
 * section 19. */
#ifndef TP_WEBREPORT_MEASURE_WORK_WORK_COSTS_H
#define TP_WEBREPORT_MEASURE_WORK_WORK_COSTS_H

#include "webreport/measure/work/cost.h"
#include "webreport/measure/work/peaks_file.h"
#include "webreport/measure/work/work_kinds.h"

struct tp_work_unit {
    uint32_t op;    /* the operator */
    uint32_t event; /* its event that the cost is of: its own, or that of the one folded into it which did the work */
    uint32_t main;  /* device operation that its cost is booked on */
    int64_t ns;     /* sum of the durations of its kernels */
    uint32_t cost;  /* index in costs */
    uint32_t call;  /* number of the call: equal ones have name, shapes and types in common */
};

struct tp_work_units {
    struct tp_work_unit *items; /* in order of their first kernel */
    uint32_t count;
    const struct tp_cost *costs;     /* of calls that differ */
    int64_t known_ns[TP_WORK_COUNT]; /* by kind: durations of the operations that belong to a unit */
    uint32_t *of_device;             /* by device operation: its unit; TP_NO_ID: none */
    uint32_t device_count, call_count;
    uint32_t untyped_count; /* different calls around device work that have shapes but no types, so no cost */
    int64_t impossible_ns[TP_WORK_COUNT]; /* by kind: operations of units left out because they are impossibly fast */
    const struct tp_peaks **peaks; /* of each of the model's devices: what it can do at most; NULL: nobody knows */
    struct tp_str *device_names;   /* of each of them, as the driver gives it; "" when unknown */
};

/* Least time that a unit needs by the peaks of its device, ns. */
struct tp_work_floor {
    double compute_ns; /* 0 without operations; -1: no peak of the type is known */
    double memory_ns;  /* 0 without a known rate of the memory */
};

/* In `arena` (guard set by the caller; what is needed meanwhile is given back when large). Communication, copies and
 * waits are no work that has a cost. measured: peaks of the user's, or NULL. */
void tp_work_units_build(struct tp_work_units *units, const struct tp_work_kinds *kinds,
                         const struct tp_peaks_file *measured, struct tp_arena *arena);
/* Gives its memory back early. */
void tp_work_units_drop(struct tp_work_units *units, struct tp_arena *arena);

/* Returns the least time of a unit. peaks: of its device, not NULL. */
struct tp_work_floor tp_work_floor_of(const struct tp_model *model, const struct tp_work_units *units,
                                      const struct tp_work_unit *unit, const struct tp_peaks *peaks);

/* The unit that a device operation belongs to; NULL: it has none. */
static inline const struct tp_work_unit *tp_work_unit_of(const struct tp_work_units *units, uint32_t device)
{
    return units->of_device[device] == TP_NO_ID ? NULL : &units->items[units->of_device[device]];
}

#endif
