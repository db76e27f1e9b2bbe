/* Finds new pages of host memory. The cost of new pages is a part of the cost of recording.
 *
 * For each operator, a recorder stores data in the memory of freed blocks, between the tensors. The next tensor of the
 * same size therefore gets pages that no block contained before. The system must make each such page at its first
 * write. Without a recorder, the allocator returns the same block in every step.
 *
 * Memory records with addresses show which pages of a block are new. Operators that do little except write show the
 * cost of a new page. */
#ifndef TP_WEBREPORT_MEASURE_RULES_NEW_PAGES_H
#define TP_WEBREPORT_MEASURE_RULES_NEW_PAGES_H

#include "webreport/model/facts.h"

/* Returns, for each operator, the part of the operator's self time in which the system made new pages, ns. Returns
 * NULL if the trace has no addresses. page_bytes: page size of the recorded machine, > 0. The array is in `arena`. */
uint32_t *tp_find_new_page_times(const struct tp_model *model, struct tp_arena *arena, int64_t page_bytes);

#endif
