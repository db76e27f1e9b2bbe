/* Memory of the processor that recording makes new.
 *
 * What a recorder keeps of each operator lies between the tensors: blocks that are given back are cut for it, so that
 * the next tensor of the same size gets pages that nobody had before, and the system must make each at its first
 * write. Without a recorder the allocator gives the same block again, step for step. Where records of memory have
 * addresses, they tell which pages of a block no block before had; what such a page costs, the operators that little
 * but write them tell. */
#ifndef TP_WEBREPORT_MEASURE_RULES_NEW_PAGES_H
#define TP_WEBREPORT_MEASURE_RULES_NEW_PAGES_H

#include "webreport/model/facts.h"

/* Returns, by operator, how much of its own time, in ns, the system took to make new pages; NULL: no address was
 * recorded. page_bytes: of the machine that recorded, > 0. The array lives in the arena. */
uint32_t *tp_new_pages_find(const struct tp_model *model, struct tp_arena *arena, int64_t page_bytes);

#endif
