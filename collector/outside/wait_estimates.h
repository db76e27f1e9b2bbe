/* Causes of waits whose stack was not told, because there were too many: those of the other waits of their thread, in
 * proportion of time. */
#ifndef TP_COLLECTOR_OUTSIDE_WAIT_ESTIMATES_H
#define TP_COLLECTOR_OUTSIDE_WAIT_ESTIMATES_H

#include "collector/outside/outside_tree.h"

/* The cause that each change of the ended tree is estimated to have, by its number; absent: it is known, is no wait, or
 * no wait of its thread has one. causes: by node (wait_causes.h). The arena's, whose guard the caller sets. */
const struct tp_str *tp_wait_estimates(const struct tp_outside_tree *tree, const struct tp_str *causes,
                                       struct tp_arena *arena);

#endif
