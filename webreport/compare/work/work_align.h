/* Two sequences aligned: the shortest way from one to the other by taking out and putting in items (Myers 1986, O(ND)).
 *
 * Ways longer than TP_ALIGN_EDITS are found piece by piece: the way that got furthest is kept, and the search goes on
 * from there, so the time is bounded by length times TP_ALIGN_EDITS. */
#ifndef TP_WEBREPORT_COMPARE_WORK_WORK_ALIGN_H
#define TP_WEBREPORT_COMPARE_WORK_WORK_ALIGN_H

#include <stdint.h>

#include "writer/base/arena.h"

enum { TP_ALIGN_EDITS = 256 };

/* Items a .. a_end of one sequence stand where b .. b_end of the other do; one of both may be empty. */
struct tp_align_block {
    uint32_t a, a_end, b, b_end;
};

/* A sequence: what is equal has one number. depth: how deep each item is nested; blocks begin where that is least. */
struct tp_align_sequence {
    const uint32_t *items, *depth;
    uint32_t count;
};

/* Appends the differing blocks (struct tp_align_block) in order; scratch memory is the vector's arena's. */
void tp_align(struct tp_vec *blocks, const struct tp_align_sequence *a, const struct tp_align_sequence *b);

#endif
