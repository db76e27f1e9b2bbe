/* What a block of memory is for: told by what ran when it was made and when it was released (section 10). */
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
    TP_MEMORY_KEPT,     /* never released, and nothing says what it is */
    TP_MEMORY_BEFORE,   /* of before the recording: no block, what the total has above the blocks */
    TP_MEMORY_RESERVED, /* no block: what the allocator keeps for later */
    TP_MEMORY_CATEGORIES
};

/* made: the record of the allocation; freed: that of its release, or NULL: it stayed. Looks at the host events around
 * both, on their threads. Not for TP_MEMORY_BEFORE and TP_MEMORY_RESERVED. */
enum tp_memory_category tp_memory_category_of(const struct tp_model *model, const struct tp_memory *made,
                                              const struct tp_memory *freed);

/* "optimizer state". Static text. */
const char *tp_memory_category_text(enum tp_memory_category category);

#endif
