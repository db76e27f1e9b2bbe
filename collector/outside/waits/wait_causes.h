/* Finds out what a blocked thread waits for from the kernel functions in its stack. */
#ifndef TP_COLLECTOR_OUTSIDE_WAITS_WAIT_CAUSES_H
#define TP_COLLECTOR_OUTSIDE_WAITS_WAIT_CAUSES_H

#include "collector/outside/code/code_places.h"

/* Returns the cause of each stack of places, by its node: "disk", "lock" ..; absent if no function shows it. kernel:
 * names by frame (kernel_functions.h), or NULL. The result is in the arena. */
const struct tp_str *tp_wait_causes(const struct tp_code_places *places, const struct tp_str *kernel,
                                    struct tp_arena *arena);

/* Returns the cause that one kernel function shows. Any thread. */
struct tp_str tp_wait_cause_of(struct tp_str name);

#endif
