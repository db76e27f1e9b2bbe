/* Finds the names of kernel functions by address, in one pass over /proc/kallsyms for all wanted addresses. */
#ifndef TP_COLLECTOR_OUTSIDE_CODE_KERNEL_FUNCTIONS_H
#define TP_COLLECTOR_OUTSIDE_CODE_KERNEL_FUNCTIONS_H

#include "collector/outside/code/code_places.h"

/* Returns an array of function names, indexed by the number of a frame of `places`. Only kernel frames have a name, and
 * only if the kernel does not hide its addresses. The array is in the arena, whose guard the caller sets. Returns NULL
 * if no frame is in the kernel. */
const struct tp_str *tp_kernel_functions_read(const struct tp_code_places *places, struct tp_arena *arena);

/* Does the same as tp_kernel_functions_read, but reads the file `path` instead of /proc/kallsyms. A function of a
 * module is named "NAME [MODULE]". */
const struct tp_str *tp_kernel_functions_from_file(const struct tp_code_places *places, const char *path,
                                                   struct tp_arena *arena);

#endif
