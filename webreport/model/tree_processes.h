/* Finds the processes in a trace of `record --outside` and their parents, for tree_threads.c. */
#ifndef TP_WEBREPORT_MODEL_TREE_PROCESSES_H
#define TP_WEBREPORT_MODEL_TREE_PROCESSES_H

#include "webreport/model/process_tree.h"

/* Fills the members trace, processes, process_count and by_pid of the tree. Sets the recorded data, the parent and the
 * depth of each process. tree_threads.c adds the thread counts and times later. Allocates from `arena`, whose guard
 * must be set. */
void tp_tree_processes_build(struct tp_process_tree *tree, const struct tp_trace *trace, struct tp_arena *arena);

#endif
