/* Determines whether a repeated sequence of operators is a loop or the layers of one call (docs/definitions.md, section
 * 5). */
#ifndef TP_WEBREPORT_MODEL_LOOP_BODY_H
#define TP_WEBREPORT_MODEL_LOOP_BODY_H

#include "webreport/model/loop_items.h"

/* The iterations of a repeated sequence. Iteration i consists of the items from index start[i] - shift to start[i + 1]
 * - shift - 1. */
struct tp_loop_body {
    const struct tp_loop_item *items;
    const uint32_t *start;
    uint32_t count, shift;
    uint32_t first, length; /* the typical iteration. first: index of its first item; length: number of its items */
    uint32_t end;           /* index after the last item of the last iteration */
    uint32_t item_count;
};

/* Returns true if the typical iteration has at least two different operators. */
bool tp_loop_has_two_operators(const struct tp_loop_body *body);
/* Returns true if no iteration can use the output of the previous iteration. In contrast, a layer of a network uses the
 * output of the previous layer. The result depends on the names of operators and on the shapes of inputs. */
bool tp_loop_has_independent_iterations(const struct tp_model *model, const struct tp_loop_body *body);

#endif
