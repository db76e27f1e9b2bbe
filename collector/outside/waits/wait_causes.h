/* What a blocked thread waits for, by the functions of the kernel that it waits in. */
#ifndef TP_COLLECTOR_OUTSIDE_WAITS_WAIT_CAUSES_H
#define TP_COLLECTOR_OUTSIDE_WAITS_WAIT_CAUSES_H

#include "collector/outside/code/code_places.h"

/* The cause of each stack of places, by its node: "disk", "lock" ..; absent where no function tells. kernel: names by
 * frame (kernel_functions.h); NULL: there are none. The arena's, whose guard the caller sets. */
const struct tp_str *tp_wait_causes(const struct tp_code_places *places, const struct tp_str *kernel,
                                    struct tp_arena *arena);

/* The same of one function of the kernel. Any thread. */
struct tp_str tp_wait_cause_of(struct tp_str name);

#endif
