/* Finds the cause of a blocked thread's wait from the kernel functions in its stack. */
#ifndef TP_COLLECTOR_OUTSIDE_WAITS_WAIT_CAUSES_H
#define TP_COLLECTOR_OUTSIDE_WAITS_WAIT_CAUSES_H

#include "collector/outside/code/code_places.h"

/* Returns an array, indexed by stack node of `places`, with the cause of a wait in this stack: "disk", "lock" .. A
 * cause is absent if no function of the stack shows it. kernel: names of kernel functions, indexed by frame
 * (kernel_functions.h), or NULL. The result is in the arena. */
const struct tp_str *tp_wait_causes_of_stacks(const struct tp_code_places *places, const struct tp_str *kernel,
                                              struct tp_arena *arena);

/* Returns the cause that a kernel function shows by its name. Any thread may call it. */
struct tp_str tp_wait_cause_of_function(struct tp_str name);

#endif
