/* Aligns two sequences: finds the shortest edit script of removals and insertions (Myers 1986, O(ND)).
 * Scripts longer than TP_ALIGN_EDITS are found piece by piece: the search keeps the path that got furthest and
 * continues from there, so the time is bounded by length times TP_ALIGN_EDITS. */
#ifndef TP_WEBREPORT_COMPARE_WORK_WORK_ALIGN_H
#define TP_WEBREPORT_COMPARE_WORK_WORK_ALIGN_H

#include <stdint.h>

#include "writer/base/arena.h"

enum { TP_ALIGN_EDITS = 256 };

/* Items a .. a_end of one sequence replace b .. b_end of the other; one of them may be empty. */
struct tp_align_block {
    uint32_t a, a_end, b, b_end;
};

/* A sequence; equal items have equal numbers. depth: nesting depth of each item; blocks begin at the lowest depth. */
struct tp_align_sequence {
    const uint32_t *items, *depth;
    uint32_t count;
};

/* Appends the differing blocks (struct tp_align_block) in order. Scratch memory comes from the arena of the vector. */
void tp_align(struct tp_vec *blocks, const struct tp_align_sequence *a, const struct tp_align_sequence *b);

#endif
