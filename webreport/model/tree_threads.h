/* Builds the tree of processes in a trace of `record --outside` (process_tree.h). */
#ifndef TP_WEBREPORT_MODEL_TREE_THREADS_H
#define TP_WEBREPORT_MODEL_TREE_THREADS_H

#include "webreport/model/process_tree.h"

/* Builds the tree of processes in `arena`, whose guard must be set. `trace` must outlive the tree. For a trace
 * without states of threads, is_present is false and the tree is empty. */
void tp_process_tree_build(struct tp_process_tree *tree, const struct tp_trace *trace, struct tp_arena *arena);

/* Returns the name of a cause as the recorder writes it: "disk", "page fault" .. Returns "?" for TP_WAIT_UNKNOWN.
 * Static text. */
const char *tp_wait_cause_text(enum tp_wait_cause cause);

#endif
