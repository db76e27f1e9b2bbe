/* Finds the times of the trace that changes shorten, to show where they act. */
#ifndef TP_WEBREPORT_WHAT_IF_CHANGE_TIMES_H
#define TP_WEBREPORT_WHAT_IF_CHANGE_TIMES_H

#include "webreport/what_if/change.h"

enum { TP_MOST_CHANGE_TIMES = 128 };

/* Returns for each change the recorded times of the nodes that it changes, joined, in order of time; of more than
 * TP_MOST_CHANGE_TIMES, the longest. changes: `count` changes of the graph of one trace. The result is in `keep`;
 * temporary: working memory. Both guards must be set. */
struct tp_intervals *tp_change_times(const struct tp_what_if_change *changes, uint32_t count,
                                     const struct tp_replay_graph *graph, struct tp_arena *temporary,
                                     struct tp_arena *keep);

#endif
