/* Estimates causes of waits that have neither a stack nor a known system call.
 *
 * If a wait ends just after a child exits, its cause is that child. A short wait gets a cause of the other waits of its
 * thread in the same second, in proportion to their time. The cause of all other waits is unknown. */
#ifndef TP_COLLECTOR_OUTSIDE_TREE_WAIT_ESTIMATES_H
#define TP_COLLECTOR_OUTSIDE_TREE_WAIT_ESTIMATES_H

#include "collector/outside/tree/outside_tree.h"

/* Waits of at least this length are never estimated, ns, because their system call is read while they last. */
enum { TP_WAIT_LONG_NS = 20000000 };

struct tp_wait_guess {
    struct tp_str cause; /* text of the cause; absent: the change is not a wait, its cause is already known, or the
                          * cause stays unknown */
    bool is_child;       /* true: the wait was for a child that exited; false: the cause is an estimate */
};

/* Returns an array of estimates for a tree that has ended, indexed by the number of the state change. causes: known
 * causes, indexed by stack node (wait_causes.h). The result is in the arena, whose guard the caller sets. */
const struct tp_wait_guess *tp_wait_estimates_make(const struct tp_outside_tree *tree, const struct tp_str *causes,
                                                   struct tp_arena *arena);

#endif
