/* Finds new memory pages of the processor that are a cost of recording.
 *
 *
 * A recorder puts its data for each operator between the tensors: it is cut from freed blocks, so that the next tensor
 * of the same size gets pages that no block had before, and the system must make each page at its first write. Without
 * a recorder the allocator returns the same block again in every step. If records of memory have addresses, they show
 * which pages of a block are new; operators that do little except write show the cost of a new page. */
#ifndef TP_WEBREPORT_MEASURE_RULES_NEW_PAGES_H
#define TP_WEBREPORT_MEASURE_RULES_NEW_PAGES_H

#include "webreport/model/facts.h"

/* Returns, by operator, how much of its own time, in ns, the system took to make new pages; NULL: no address was
 * recorded. page_bytes: of the machine that recorded, > 0. The array lives in the arena. */
uint32_t *tp_new_pages_find(const struct tp_model *model, struct tp_arena *arena, int64_t page_bytes);

#endif
