/* The processes of a recording from outside and who began whom. For tree_threads.c. */
#ifndef TP_WEBREPORT_MODEL_TREE_PROCESSES_H
#define TP_WEBREPORT_MODEL_TREE_PROCESSES_H

#include "webreport/model/process_tree.h"

/* Fills trace, processes, process_count and by_pid: each has what the file says of it, its parent and depth, and no
 * numbers of threads yet. Memory comes from `arena` (guard set by the caller). */
void tp_tree_processes_build(struct tp_process_tree *tree, const struct tp_trace *trace, struct tp_arena *arena);

#endif
