/* Aligns two sequences: finds the shortest edit script of removals and insertions (Myers 1986, O(ND)). A script longer
 * than TP_ALIGN_EDITS is found in parts. The search keeps the path that reaches furthest, and continues from the end of
 * this path. The time is bounded by length times TP_ALIGN_EDITS. */
#ifndef TP_WEBREPORT_COMPARE_WORK_WORK_ALIGN_H
#define TP_WEBREPORT_COMPARE_WORK_WORK_ALIGN_H

#include <stdint.h>

#include "writer/base/arena.h"

enum { TP_ALIGN_EDITS = 256 };

/* A difference: items a to end_in_a - 1 of one sequence are replaced by items b to end_in_b - 1 of the other. One of
 * the ranges may be empty. */
struct tp_align_block {
    uint32_t a, end_in_a, b, end_in_b;
};

/* A sequence of numbers; equal items have equal numbers. depth: nesting depth of each item, since blocks begin at
 * the lowest depth. */
struct tp_align_sequence {
    const uint32_t *items, *depth;
    uint32_t count;
};

/* Appends the blocks (struct tp_align_block) in which the sequences differ, in order. Scratch memory comes from the
 * arena of the vector. */
void tp_align_sequences(struct tp_vec *blocks, const struct tp_align_sequence *a, const struct tp_align_sequence *b);

#endif
