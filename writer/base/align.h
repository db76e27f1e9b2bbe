/* Finds the longest common subsequence of two sequences of numbers (Myers 1986), as pairs of equal items. Common items
 * at both ends are paired first. If several paths are equally short, the result is the path that skips items of the
 * second sequence as late as possible; so equal inputs give equal pairs. */
#ifndef TP_WRITER_BASE_ALIGN_H
#define TP_WRITER_BASE_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"

/* Two equal items: index in the first and in the second sequence. */
struct tp_align_pair {
    uint32_t a, b;
};

/* A sequence of numbers. */
struct tp_align_items {
    const uint32_t *items;
    uint32_t count;
};

/* Appends the pairs of equal items (struct tp_align_pair) to `pairs`; both indexes ascend. limit: maximum number of
 * items of both sequences that have no partner. Returns false, without appending pairs, if more items have no partner.
 * Time: the lengths plus limit^2 steps. Temporary memory: at most 2 * limit^2 bytes, from the arena of `pairs`, to
 * which it is given back. */
bool tp_align(struct tp_vec *pairs, struct tp_align_items a, struct tp_align_items b, uint32_t limit);

#endif
