/* Processes that are over, and how they ended is not told yet: the kernel tells the end of the events of a process before
 * it takes its memory back, and then how it ended. One thread; the list is the arena's, whose guard the caller sets. */
#ifndef TP_COLLECTOR_OUTSIDE_TREE_LATE_ENDS_H
#define TP_COLLECTOR_OUTSIDE_TREE_LATE_ENDS_H

#include "collector/outside/processes/exit_codes.h"
#include "collector/outside/tree/outside_tree.h"

struct tp_late_ends {
    struct tp_vec items;
    uint32_t missed; /* it was not told in time */
};

void tp_late_ends_init(struct tp_late_ends *ends, struct tp_arena *arena);

/* process: its number in the tree; it is asked for until `until_ns`. */
void tp_late_ends_add(struct tp_late_ends *ends, uint32_t process, int64_t until_ns);

/* Asks for all of them, at now_ns; INT64_MAX: for the last time. */
void tp_late_ends_ask(struct tp_late_ends *ends, struct tp_outside_tree *tree, struct tp_exit_codes *codes,
                      int64_t now_ns);

#endif
