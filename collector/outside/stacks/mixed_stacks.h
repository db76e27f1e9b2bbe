/* One stack of a native one and of Python's of the same moment, or nearly the same. */
#ifndef TP_COLLECTOR_OUTSIDE_STACKS_MIXED_STACKS_H
#define TP_COLLECTOR_OUTSIDE_STACKS_MIXED_STACKS_H

#include "collector/outside/code/code_places.h"

/* The node of both. Each native frame of the interpreter's loop is one call of it, and Python's frames are cut into
 * the same calls: as many of both, and each loop is replaced by its frames, with the native callers in between. Else
 * the stacks are of two moments, or the native one is cut: what is inside of the innermost loop comes first, then
 * Python's frames; *is_aligned is false then. native, python: nodes of places, 0: none. */
uint32_t tp_mixed_stack(struct tp_code_places *places, uint32_t native, uint32_t python, bool *is_aligned);

#endif
