/* Decides whether a repeated sequence of operators is a loop or the layers of one call (section 5 of
 * docs/definitions.md). */
#ifndef TP_WEBREPORT_MODEL_LOOP_BODY_H
#define TP_WEBREPORT_MODEL_LOOP_BODY_H

#include "webreport/model/loop_items.h"

/* The iterations of a repeated sequence. Iteration i has the items from index start[i] - shift to start[i + 1] -
 * shift - 1. */
struct tp_loop_body {
    const struct tp_loop_item *items;
    const uint32_t *start;
    uint32_t count, shift;
    uint32_t first, length; /* the typical iteration: index of its first item, and number of its items */
    uint32_t end;           /* index after the last item of the last iteration */
    uint32_t item_count;
};

/* Returns true if the typical iteration has at least two different operators. */
bool tp_loop_has_two_operators(const struct tp_loop_body *body);
/* Returns true if no iteration can use the output of the previous iteration. Layers of a network, in contrast, use it.
 * Decides by the names of operators and by the shapes of inputs. */
bool tp_loop_has_independent_iterations(const struct tp_model *model, const struct tp_loop_body *body);

#endif
