/* Finds new memory pages of the processor that are a cost of recording.
 *
 * A recorder puts its data for each operator between the tensors, into memory of freed blocks. The next tensor of the
 * same size therefore gets pages that no block had before, and the system must make each page at its first write.
 * Without a recorder, the allocator returns the same block in every step.
 *
 * Memory records with addresses show which pages of a block are new. Operators that do little except write show the
 * cost of a new page. */
#ifndef TP_WEBREPORT_MEASURE_RULES_NEW_PAGES_H
#define TP_WEBREPORT_MEASURE_RULES_NEW_PAGES_H

#include "webreport/model/facts.h"

/* Returns by operator the part of its own time in which the system made new pages, ns; NULL if no address was recorded.
 * page_bytes: page size of the machine that recorded, > 0. The array is in the arena. */
uint32_t *tp_new_pages_find(const struct tp_model *model, struct tp_arena *arena, int64_t page_bytes);

#endif
