/* Waits for the exit status of processes that have exited. The kernel reports the end of a process's events before it
 * frees the memory of the process, and the exit status after that. Only one thread may use this module. The list is in
 * the arena, whose guard the caller sets. */
#ifndef TP_COLLECTOR_OUTSIDE_TREE_LATE_EXITS_H
#define TP_COLLECTOR_OUTSIDE_TREE_LATE_EXITS_H

#include "collector/outside/processes/exit_codes.h"
#include "collector/outside/tree/outside_tree.h"

struct tp_late_exits {
    struct tp_vec items;
    uint32_t missed; /* count of processes whose status did not arrive in time */
};

void tp_late_exits_init(struct tp_late_exits *ends, struct tp_arena *arena);

/* Adds a process. process: number of the process in the tree. until_ns: time at which the wait for the exit status
 * ends. */
void tp_late_exits_add(struct tp_late_exits *ends, uint32_t process, int64_t until_ns);

/* Asks for the exit status of all waiting processes. now_ns: current time; INT64_MAX asks for the last time and gives
 * up. */
void tp_late_exits_check(struct tp_late_exits *ends, struct tp_outside_tree *tree, struct tp_exit_codes *codes,
                         int64_t now_ns);

#endif
