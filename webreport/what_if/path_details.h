/* Collects the parts of a critical path: sums them by kind and name, and draws them as a band. */
#ifndef TP_WEBREPORT_WHAT_IF_PATH_DETAILS_H
#define TP_WEBREPORT_WHAT_IF_PATH_DETAILS_H

#include "webreport/what_if/path_spans.h"

struct tp_path_collector;

/* window: the analysed steps, which must live as long as the collector. keep: receives the details; arena: memory of
 * the collector. */
struct tp_path_collector *tp_path_collector_make(const struct tp_replay_graph *graph, struct tp_intervals window,
                                                 struct tp_arena *keep, struct tp_arena *arena);
/* Adds a span in the window. Spans come in descending order of time. */
void tp_path_collect(struct tp_path_collector *collector, const struct tp_path_span *span, struct tp_path_name name);
void tp_path_collector_finish(struct tp_path_collector *collector, struct tp_path_details *details);

#endif
