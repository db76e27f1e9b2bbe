/* Finds the innermost of many intervals around a moment: the last interval, by (start, end descending), that starts at
 * or before the moment and ends after it. */
#ifndef TP_WEBREPORT_MODEL_ENCLOSING_H
#define TP_WEBREPORT_MODEL_ENCLOSING_H

#include <stddef.h>
#include <stdint.h>

#include "writer/base/arena.h"

struct tp_enclosing {
    const int64_t *starts; /* starts of the intervals, ascending, ns; borrowed */
    int64_t *highest;      /* tree with the highest end below each node, ns; the leaves begin at index `leaves` */
    size_t count, leaves;
};

/* Builds the tree of `count` intervals. starts: ascending; the preferred one of equal starts must be last. */
void tp_enclosing_init(struct tp_enclosing *tree, const int64_t *starts, const int64_t *ends, size_t count,
                       struct tp_arena *arena);
/* Returns the index of the last interval with start <= at and end >= reach, or SIZE_MAX. */
size_t tp_enclosing_find(const struct tp_enclosing *tree, int64_t at, int64_t reach);

#endif
