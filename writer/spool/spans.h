/* Finds the address range that contains an address, by binary search. Ranges may nest or overlap. */
#ifndef TP_WRITER_SPOOL_SPANS_H
#define TP_WRITER_SPOOL_SPANS_H

#include <stddef.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/sort.h"

struct tp_span {
    uint64_t start, end; /* start: first address of the range; end: first address after the range */
    /* set by tp_spans_sort: 1 + index of the last earlier range that ends after this one; 0: none */
    uint32_t enclosing_range;
    uint32_t item; /* number that the caller assigns to the range, such as an index in a list */
};

struct tp_spans {
    const struct tp_span
        *items; /* sorted by start; at the same start, longer ranges first, then by `tie` of tp_spans_sort */
    size_t count;
};

/* Sorts a vector of struct tp_span in place. tie: compares two ranges with equal start and end, of which a search finds
 * the last; NULL: compares `item`. The result uses the vector's memory. The guard of the vector's arena must be set. */
struct tp_spans tp_spans_sort(struct tp_vec *spans, tp_compare tie, const void *context);

/* Returns the number of ranges that begin at or before `address`. */
size_t tp_spans_count_begun(struct tp_spans spans, uint64_t address);

/* Returns the range with the highest start among those that contain the address, or NULL. *reach: if no range contains
 * the address, the highest end of the ranges that begin before it, or 0. reach may be NULL. */
const struct tp_span *tp_spans_find(struct tp_spans spans, uint64_t address, uint64_t *reach);

#endif
