/* What the operators that launched device work had to do at least, and how long the device worked on it: units.
 *
 * A unit is a call of an operator: the innermost one around a kernel that has a cost (cost.h). All kernels under it
 * share that cost; it is booked on the longest of them, the earliest of equal ones. Definitions: docs/definitions.md,
 * section 19. */
#ifndef TP_WEBREPORT_MEASURE_WORK_COSTS_H
#define TP_WEBREPORT_MEASURE_WORK_COSTS_H

#include "webreport/measure/cost.h"
#include "webreport/measure/work_kinds.h"

struct tp_unit {
    uint32_t op;   /* the operator */
    uint32_t main; /* device operation that its cost is booked on */
    int64_t ns;    /* sum of the durations of its kernels */
    uint32_t cost; /* index in costs */
};

struct tp_units {
    struct tp_unit *items; /* in order of their first kernel */
    uint32_t count;
    const struct tp_cost *costs;     /* of calls that differ */
    int64_t known_ns[TP_WORK_COUNT]; /* by kind: durations of the operations that belong to a unit */
};

/* In `arena` (guard set by the caller; what is needed meanwhile is given back when large). Communication, copies and
 * waits are no work that has a cost. */
void tp_units_build(struct tp_units *units, const struct tp_work_kinds *kinds, struct tp_arena *arena);

#endif
