/* Finds the address range that contains an address, by binary search. Ranges may nest or overlap. */
#ifndef TP_WRITER_SPOOL_SPANS_H
#define TP_WRITER_SPOOL_SPANS_H

#include <stddef.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/sort.h"

struct tp_span {
    uint64_t start, end; /* start: first address of the range; end: first address after the range */
    /* set by tp_spans_sort: 1 + index of the last earlier span that ends after this one; 0: no such span */
    uint32_t beyond;
    uint32_t item; /* index of the item to which this span belongs */
};

struct tp_spans {
    const struct tp_span *items; /* sorted by start, longer spans first, then by `tie` */
    size_t count;
};

/* Sorts a vector of struct tp_span in place. tie: compares two spans with equal ends; a search finds the one that is
 * last. tie NULL: compares the item numbers. The result uses the vector's memory. The guard of the vector's arena must
 * be set. */
struct tp_spans tp_spans_sort(struct tp_vec *spans, tp_compare tie, const void *context);

/* Returns the number of spans that begin at `address` or before. */
size_t tp_spans_count_begun(struct tp_spans spans, uint64_t address);

/* Returns the span with the highest start among the spans that contain an address, or NULL. If no span contains it,
 * sets *reach to the highest end of the spans that begin before the address, or to 0. reach: may be NULL. */
const struct tp_span *tp_spans_find(struct tp_spans spans, uint64_t address, uint64_t *reach);

#endif
