/* Merges a native stack and a Python stack that were sampled at about the same time. */
#ifndef TP_COLLECTOR_OUTSIDE_STACKS_MIXED_STACKS_H
#define TP_COLLECTOR_OUTSIDE_STACKS_MIXED_STACKS_H

#include "collector/outside/code/code_places.h"

/* Merges two stacks and returns the node of the result. native, python: stack nodes; 0: no frames. Each native frame of
 * the interpreter's loop is one call of the loop, and Python frames are grouped by these calls. If both stacks have the
 * same number of calls, the Python frames of each call replace its loop frame. Otherwise the stacks are from different
 * moments, or outer frames of the native stack are missing. Then *is_aligned becomes false, and the result contains the
 * Python frames and, as their callees, the native frames of the innermost call. */
uint32_t tp_mixed_stack_merge(struct tp_code_places *places, uint32_t native, uint32_t python, bool *is_aligned);

#endif
