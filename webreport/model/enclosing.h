/* Finds the innermost of many intervals around a moment. In the order (start, end descending), this is the last
 * interval that starts at or before the moment and ends after it. */
#ifndef TP_WEBREPORT_MODEL_ENCLOSING_H
#define TP_WEBREPORT_MODEL_ENCLOSING_H

#include <stddef.h>
#include <stdint.h>

#include "writer/base/arena.h"

struct tp_enclosing {
    const int64_t *starts; /* starts of the intervals, ns, ascending; owned by the caller */
    /* binary tree: for each node, the highest end in its subtree, ns; leaves start at index `leaves` */
    int64_t *highest;
    size_t count, leaves;
};

/* Builds the tree for `count` intervals. starts: ascending, ns. If several intervals have equal starts, the preferred
 * interval must be the last of them. */
void tp_enclosing_init(struct tp_enclosing *tree, const int64_t *starts, const int64_t *ends, size_t count,
                       struct tp_arena *arena);
/* Returns the index of the last interval with start <= at and end >= reach; SIZE_MAX if there is no such interval. */
size_t tp_enclosing_find(const struct tp_enclosing *tree, int64_t at, int64_t reach);

#endif
