/* Classifies collectives by the amount of data that they move (docs/definitions.md, section 12). Pure functions, any
 * thread. */
#ifndef TP_WEBREPORT_TRACE_COLLECTIVE_KINDS_H
#define TP_WEBREPORT_TRACE_COLLECTIVE_KINDS_H

#include <stdbool.h>

#include "writer/base/str.h"

struct tp_collective_kind {
    /* part: lower-case text in the call's name, by which the kind is recognized; name: name of the kind, such as
     * "all_reduce". Both are static. */
    const char *part, *name;
    double a, b;   /* coefficients of the bus factor: see tp_bus_factor */
    bool is_joint; /* true if all ranks of the group participate; false for a send or a receive */
};

/* Returns the kind of a call by its name ("nccl:all_reduce", "c10d::allreduce_"). Returns NULL for other calls, such as
 * a barrier. */
const struct tp_collective_kind *tp_collective_kind_by_name(struct tp_str name);

/* Returns the number of bytes on the bus per byte of the call, for n ranks: (a n + b) / n, or 1. Source:
 * doc/PERFORMANCE.md of nccl-tests. */
double tp_bus_factor(const struct tp_collective_kind *kind, double n);

#endif
