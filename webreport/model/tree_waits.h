/* Waits of a recording from outside that need more than the cause in the file: those for a lock of the recorder, and those
 * for children whose cause nobody saw. docs/definitions.md section 23.
 *
 * Everything lives in the arena given or borrows from the trace. */
#ifndef TP_WEBREPORT_MODEL_TREE_WAITS_H
#define TP_WEBREPORT_MODEL_TREE_WAITS_H

#include "webreport/model/process_tree.h"

/* Which stacks wait for a lock of the recorder, asked once each. */
struct tp_own_waits {
    const struct tp_trace *trace;
    uint8_t *known; /* by id in stack_texts: 0: not asked, 1: no, 2: yes; NULL: the recorder marks its own waits */
};

void tp_own_waits_init(struct tp_own_waits *own, const struct tp_trace *trace, struct tp_arena *arena);

/* Is a wait for a lock with this stack the recorder's? stack: id in stack_texts, or TP_NO_ID. */
bool tp_own_waits_has(struct tp_own_waits *own, uint32_t stack);

/* Gives waits without a known cause that end as a child of their process exits to the child, and those before them in
 * the child's life. Of several threads it is the one whose wait ends next to the exit. */
void tp_child_waits_mark(struct tp_process_tree *tree, struct tp_arena *arena);

#endif
