/* Which of many intervals encloses a point most tightly: the last one by (start, end desc) that starts before and ends
 * after. */
#ifndef TP_WEBREPORT_MODEL_ENCLOSING_H
#define TP_WEBREPORT_MODEL_ENCLOSING_H

#include <stddef.h>
#include <stdint.h>

#include "writer/base/arena.h"

struct tp_enclosing {
    const int64_t *starts; /* ascending; borrowed */
    int64_t *highest;      /* tree of the highest end below each node; leaves from `leaves` */
    size_t count, leaves;
};

/* starts and ends of `count` intervals; starts ascending, the preferred one of equal starts last. */
void tp_enclosing_init(struct tp_enclosing *tree, const int64_t *starts, const int64_t *ends, size_t count,
                       struct tp_arena *arena);
/* Index of the last interval with start <= at and end >= reach; SIZE_MAX when there is none. */
size_t tp_enclosing_find(const struct tp_enclosing *tree, int64_t at, int64_t reach);

#endif
