/* Estimates causes of waits that have neither a stack nor a known system call.
 *
 * A wait that ends just after a child exits was for that child. A short wait gets a cause of the other waits of its
 * thread in the same second, in proportion to their time. All other waits stay unknown. */
#ifndef TP_COLLECTOR_OUTSIDE_TREE_WAIT_ESTIMATES_H
#define TP_COLLECTOR_OUTSIDE_TREE_WAIT_ESTIMATES_H

#include "collector/outside/tree/outside_tree.h"

/* Shortest wait that is never estimated, in ns, because the system call of such waits is read while they last. */
enum { TP_WAIT_LONG_NS = 20000000 };

struct tp_wait_guess {
    struct tp_str cause; /* absent: the change is no wait, its cause is known, or it stays unknown */
    bool is_child;       /* the wait was for a child that exited; otherwise the cause is estimated */
};

/* Returns a guess for each change of an ended tree, by the number of the change. causes: by node (wait_causes.h). The
 * result is in the arena, whose guard the caller sets. */
const struct tp_wait_guess *tp_wait_guesses(const struct tp_outside_tree *tree, const struct tp_str *causes,
                                            struct tp_arena *arena);

#endif
