/* Finds causes of waits that the file does not name: locks of the recorder, and child processes that exit
 * (docs/definitions.md, section 23). Memory is in the given arena or belongs to the trace. */
#ifndef TP_WEBREPORT_MODEL_TREE_WAITS_H
#define TP_WEBREPORT_MODEL_TREE_WAITS_H

#include "webreport/model/process_tree.h"

/* Stacks that wait for a lock of the recorder. Each distinct stack is examined only once. */
struct tp_recorder_waits {
    const struct tp_trace *trace;
    /* for each id in stack_texts: 0: not examined, 1: other stack, 2: stack that waits for the recorder's lock; NULL if
     * the file itself marks such waits */
    uint8_t *known;
};

void tp_recorder_waits_init(struct tp_recorder_waits *own, const struct tp_trace *trace, struct tp_arena *arena);

/* Returns true if a wait for a lock with this stack is a wait for the recorder's lock. stack: id in stack_texts, or
 * TP_NO_ID. */
bool tp_recorder_waits_contain(struct tp_recorder_waits *own, uint32_t stack);

/* Marks waits without a known cause as waits for a child if they end when a child of the process exits. Also marks
 * earlier waits of this kind during the child's life. If several threads wait, the thread whose wait ends closest to
 * the exit is chosen. */
void tp_child_waits_mark(struct tp_process_tree *tree, struct tp_arena *arena);

#endif
