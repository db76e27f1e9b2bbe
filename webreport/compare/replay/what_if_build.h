/* Replays a job and finds the causes of its lost time with the rules of what_if_parts.h. */
#ifndef TP_WEBREPORT_COMPARE_REPLAY_WHAT_IF_BUILD_H
#define TP_WEBREPORT_COMPARE_REPLAY_WHAT_IF_BUILD_H

#include "webreport/compare/replay/what_if.h"

/* Replays the graph and fills `result` with the causes. Allocates from the graph's arena. */
void tp_what_if_build(struct tp_what_if *result, const struct tp_graph *graph);

/* Discards the causes if the error of the replay is above TP_MOST_REPLAY_ERROR. The other results do not change. */
void tp_what_if_reject_if_inexact(struct tp_what_if *result);

#endif
