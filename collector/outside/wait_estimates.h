/* Causes of waits that nobody saw: the end of a child that a wait was for, and, of short waits, those of the other waits
 * of their thread within the same second, in proportion of time. What neither gives stays unknown. */
#ifndef TP_COLLECTOR_OUTSIDE_WAIT_ESTIMATES_H
#define TP_COLLECTOR_OUTSIDE_WAIT_ESTIMATES_H

#include "collector/outside/outside_tree.h"

/* Waits of this length, ns, and longer are never estimated: their call is asked for while they last. */
enum { TP_WAIT_LONG_NS = 20000000 };

struct tp_wait_guess {
    struct tp_str cause; /* absent: known, no wait, or unknown */
    bool is_child;       /* a child of the process ended as the wait did; else the cause is estimated */
};

/* The guess about each change of the ended tree, by its number. causes: by node (wait_causes.h). The arena's, whose guard
 * the caller sets. */
const struct tp_wait_guess *tp_wait_guesses(const struct tp_outside_tree *tree, const struct tp_str *causes,
                                            struct tp_arena *arena);

#endif
