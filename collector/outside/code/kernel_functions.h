/* Finds the names of kernel functions by address, in one pass over /proc/kallsyms for all wanted addresses. */
#ifndef TP_COLLECTOR_OUTSIDE_CODE_KERNEL_FUNCTIONS_H
#define TP_COLLECTOR_OUTSIDE_CODE_KERNEL_FUNCTIONS_H

#include "collector/outside/code/code_places.h"

/* Returns a name for each frame of `places`, by its number: the function for kernel frames, otherwise absent. Also
 * absent if the kernel hides its addresses. The names are in the arena, whose guard the caller sets. Returns NULL if no
 * frame is in the kernel. */
const struct tp_str *tp_kernel_functions(const struct tp_code_places *places, struct tp_arena *arena);

/* Does the same with another file than /proc/kallsyms. A module's function is "NAME [MODULE]". */
const struct tp_str *tp_kernel_functions_by(const struct tp_code_places *places, const char *path,
                                            struct tp_arena *arena);

#endif
