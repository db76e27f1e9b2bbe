/* Classifies collectives by how much data they move (docs/definitions.md, section 12). Pure functions, any thread. */
#ifndef TP_WEBREPORT_TRACE_COLLECTIVE_KINDS_H
#define TP_WEBREPORT_TRACE_COLLECTIVE_KINDS_H

#include <stdbool.h>

#include "writer/base/str.h"

struct tp_collective_kind {
    const char *part, *name; /* part: a part of a call's name, in lower case; name: "all_reduce". Static */
    double a, b;             /* tp_bus_factor */
    bool is_joint;           /* all ranks of the group take part, not only two */
};

/* Returns the kind of a call by its name ("nccl:all_reduce", "c10d::allreduce_"); NULL: another call, such as a
 * barrier. */
const struct tp_collective_kind *tp_collective_kind_of(struct tp_str name);

/* Returns the bytes on the bus per byte of the call, for n ranks (nccl-tests, doc/PERFORMANCE.md): (a n + b) / n, or
 * 1. */
double tp_bus_factor(const struct tp_collective_kind *kind, double n);

#endif
