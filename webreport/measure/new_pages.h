/* Memory of the processor that recording makes new.
 *
 * What a recorder keeps of each operator lies between the tensors: blocks that are given back are cut for it, so that
 * the next tensor of the same size gets pages that nobody had before, and the system must make each at its first
 * write. Without a recorder the allocator gives the same block again, step for step. Where records of memory have
 * addresses, they tell which pages of a block no block before had; what such a page costs, the operators that little
 * but write them tell. */
#ifndef TP_WEBREPORT_MEASURE_NEW_PAGES_H
#define TP_WEBREPORT_MEASURE_NEW_PAGES_H

#include "webreport/model/facts.h"

struct tp_new_pages {
    const uint32_t *of_operator; /* by operator: pages that it is the first to write; NULL: no address was recorded */
    int64_t cost_ns;             /* of one; 0: nothing tells that they were made */
};

/* page_bytes: of the machine that recorded, > 0. What is found lives in the arena. */
void tp_new_pages_find(struct tp_new_pages *found, const struct tp_model *model, struct tp_arena *arena,
                       int64_t page_bytes);

#endif
