/* Finds units: operator calls that launched device work, with their least work and their device time
 * (docs/definitions.md, section 19).
 *
 * A kernel belongs to the innermost operator around it that has a cost (cost.h); this operator call is a unit. All
 * kernels of a unit share its cost, which is assigned to the longest of them. If a unit is faster than the device can
 * be, its shape, type, time or peak must be wrong. Such a unit is left out. */
#ifndef TP_WEBREPORT_MEASURE_WORK_WORK_COSTS_H
#define TP_WEBREPORT_MEASURE_WORK_WORK_COSTS_H

#include "webreport/measure/work/cost.h"
#include "webreport/measure/work/peaks_file.h"
#include "webreport/measure/work/work_kinds.h"

struct tp_work_unit {
    uint32_t op; /* index of the operator */
    /* index of the event whose arguments determine the cost: the operator's own event, or the event of an identical
     * inner call that was merged into the operator */
    uint32_t event;
    uint32_t main; /* index of the device operation to which the cost is assigned */
    int64_t ns;    /* total duration of the unit's kernels, ns */
    uint32_t cost; /* index in tp_work_units.costs */
    uint32_t call; /* index of the distinct call; all calls with the same name, shapes and types have this index */
};

struct tp_work_units {
    struct tp_work_unit *items; /* the units, in the order of their first kernels */
    uint32_t count;
    const struct tp_cost *costs; /* costs of the distinct calls */
    /* for each kind of work: total duration of the operations that belong to units, ns */
    int64_t known_ns[TP_WORK_COUNT];
    uint32_t *of_device; /* index of each device operation's unit; TP_NO_ID without a unit */
    uint32_t device_count, call_count;
    /* number of distinct calls around device work that have no cost because they have shapes but no types */
    uint32_t untyped_count;
    /* for each kind of work: operations of these calls, and total duration of their kernels, ns */
    int64_t untyped_flops[TP_WORK_COUNT], untyped_ns[TP_WORK_COUNT];
    /* for each device operation: operations of such a call if this is its longest kernel; otherwise 0. NULL if there
     * are no such calls */
    int64_t *untyped_flops_of_device;
    /* for each kind of work: total duration of the operations of impossibly fast units, ns */
    int64_t impossible_ns[TP_WORK_COUNT];
    const struct tp_peaks **peaks; /* for each device of the model: its peaks; NULL if unknown */
    struct tp_str *device_names;   /* for each device of the model: name from the driver; empty if unknown */
};

/* least time in which the device can do a unit's work at its peaks, ns */
struct tp_work_floor {
    double compute_ns; /* time to compute; 0 without operations; -1 if the peak for the type is unknown */
    double memory_ns;  /* time to move the bytes; 0 if the memory bandwidth is unknown */
};

/* Builds the units in `arena`, whose guard the caller has set. Releases large temporary memory to the arena.
 * Communication, copies and waits have no cost. measured: peaks from the user's file, or NULL. */
void tp_work_units_build(struct tp_work_units *units, const struct tp_work_kinds *kinds,
                         const struct tp_peaks_file *measured, struct tp_arena *arena);
/* Releases the memory of the units to the arena before the arena is freed. */
void tp_work_units_release(struct tp_work_units *units, struct tp_arena *arena);

/* Returns the least time of a unit. peaks: peaks of the unit's device, not NULL. */
struct tp_work_floor tp_work_floor_of_unit(const struct tp_model *model, const struct tp_work_units *units,
                                           const struct tp_work_unit *unit, const struct tp_peaks *peaks);

/* Returns the unit of a device operation; NULL if the operation has no unit. */
static inline const struct tp_work_unit *tp_work_unit_of(const struct tp_work_units *units, uint32_t device)
{
    return units->of_device[device] == TP_NO_ID ? NULL : &units->items[units->of_device[device]];
}

#endif
