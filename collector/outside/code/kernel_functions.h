/* Finds the names of kernel functions by address, in one pass over /proc/kallsyms for all wanted addresses. */
#ifndef TP_COLLECTOR_OUTSIDE_CODE_KERNEL_FUNCTIONS_H
#define TP_COLLECTOR_OUTSIDE_CODE_KERNEL_FUNCTIONS_H

#include "collector/outside/code/code_places.h"

/* Returns a name for each frame of `places`; the index is the number of the frame. Frames of the kernel have the name
 * of the function. The name of other frames is absent, and of all frames if the kernel hides its addresses. The names
 * are in the arena, whose guard the caller sets. Returns NULL if no frame is in the kernel. */
const struct tp_str *tp_kernel_functions(const struct tp_code_places *places, struct tp_arena *arena);

/* Returns names as tp_kernel_functions does, but reads the file `path` instead of /proc/kallsyms. A module's function
 * is "NAME [MODULE]". */
const struct tp_str *tp_kernel_functions_by(const struct tp_code_places *places, const char *path,
                                            struct tp_arena *arena);

#endif
