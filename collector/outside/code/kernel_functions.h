/* Functions of the kernel by address, from one pass over /proc/kallsyms for all addresses that are wanted. */
#ifndef TP_COLLECTOR_OUTSIDE_CODE_KERNEL_FUNCTIONS_H
#define TP_COLLECTOR_OUTSIDE_CODE_KERNEL_FUNCTIONS_H

#include "collector/outside/code/code_places.h"

/* A name for each frame of places, by its number: of frames of the kernel, its function; absent for others, and where
 * the kernel hides its addresses. The names are the arena's, whose guard the caller sets. NULL: no frame is the
 * kernel's. */
const struct tp_str *tp_kernel_functions(const struct tp_code_places *places, struct tp_arena *arena);

/* The same by another file than /proc/kallsyms. A function of a module is "NAME [MODULE]". */
const struct tp_str *tp_kernel_functions_by(const struct tp_code_places *places, const char *path, struct tp_arena *arena);

#endif
