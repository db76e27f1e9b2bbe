/* Stretches of addresses that may lie in each other or cross, and which of them an address is in: by halving. */
#ifndef TP_WRITER_SPOOL_SPANS_H
#define TP_WRITER_SPOOL_SPANS_H

#include <stddef.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/sort.h"

struct tp_span {
    uint64_t start, end; /* [start, end) */
    uint32_t beyond;     /* tp_spans_order: 1 + the last span before it that ends behind it; 0: none */
    uint32_t item;       /* what it is a span of */
};

struct tp_spans {
    const struct tp_span *items; /* by start, longer ones first, then as `tie` says */
    size_t count;
};

/* Sorts a vector of struct tp_span in place. tie: the order of two (struct tp_span) with equal ends, the one to be
 * found last; NULL: by item. The spans are the vector's, whose arena's guard is set. */
struct tp_spans tp_spans_order(struct tp_vec *spans, tp_compare tie, const void *context);

/* Spans that begin at an address or before it. */
size_t tp_spans_begun(struct tp_spans spans, uint64_t address);

/* The span that begins last of those that contain an address; NULL: none. *reach (may be NULL): where none does, the
 * highest end of those that begin before it, 0: none. */
const struct tp_span *tp_spans_find(struct tp_spans spans, uint64_t address, uint64_t *reach);

#endif
