/* Merges a native stack and a Python stack that were sampled at about the same time. */
#ifndef TP_COLLECTOR_OUTSIDE_STACKS_MIXED_STACKS_H
#define TP_COLLECTOR_OUTSIDE_STACKS_MIXED_STACKS_H

#include "collector/outside/code/code_places.h"

/* Returns the node of the merged stack. Each native frame of the interpreter's loop is one call of the loop, and Python
 * frames are grouped by these calls. If both counts of calls are equal, the Python frames of each call replace its loop
 * frame, between the native callers. Otherwise the stacks are from different moments, or the native stack is cut, and
 * *is_aligned becomes false. Then the native frames inside the innermost loop come first, followed by all Python
 * frames. native, python: nodes of places; 0: no frames. */
uint32_t tp_mixed_stack(struct tp_code_places *places, uint32_t native, uint32_t python, bool *is_aligned);

#endif
