/* Finds the purpose of a block of memory from the events around its allocation and its release (docs/definitions.md,
 * section 10). */
#ifndef TP_WEBREPORT_MEASURE_MEMORY_MEMORY_CATEGORY_H
#define TP_WEBREPORT_MEASURE_MEMORY_MEMORY_CATEGORY_H

#include "webreport/model/facts.h"

enum tp_memory_category {
    TP_MEMORY_WEIGHTS,
    TP_MEMORY_GRADIENTS,
    TP_MEMORY_OPTIMIZER_STATE,
    TP_MEMORY_ACTIVATIONS,
    TP_MEMORY_INPUTS,
    TP_MEMORY_WORKSPACE,
    TP_MEMORY_NEVER_RELEASED,   /* a block of unknown purpose that the program never releases */
    TP_MEMORY_BEFORE_RECORDING, /* not a block: bytes in use from allocations before the recording */
    TP_MEMORY_RESERVED,         /* not a block: free memory that the allocator reserves */
    TP_MEMORY_CATEGORIES
};

/* Returns the category of a block. made: record of the allocation; freed: record of the release, NULL if never
 * released. Examines the host events on the threads of both records. Never returns TP_MEMORY_BEFORE_RECORDING or
 * TP_MEMORY_RESERVED. */
enum tp_memory_category tp_memory_category_of_block(const struct tp_model *model, const struct tp_memory *made,
                                                    const struct tp_memory *freed);

/* Returns the category as text, such as "optimizer state". Static. */
const char *tp_memory_category_text(enum tp_memory_category category);

#endif
