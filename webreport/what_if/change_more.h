/* Makes the second ends of ranges of answers from a change. */
#ifndef TP_WEBREPORT_WHAT_IF_CHANGE_MORE_H
#define TP_WEBREPORT_WHAT_IF_CHANGE_MORE_H

#include "webreport/what_if/change.h"

/* Make the second ends of ranges from a change; the result shares the memory of `change`. more_ns: result of
 * tp_operator_more. */
void tp_change_whole_call(struct tp_what_if_change *out, const struct tp_what_if_change *change,
                          const struct tp_replay_graph *graph, int64_t *more_ns);
/* Kernels that ran next to communication take the time that the same kernel takes alone. */
void tp_change_uncontended(struct tp_what_if_change *out, const struct tp_what_if_change *change,
                           const struct tp_replay_graph *graph, struct tp_arena *arena);
/* Computes, for up to 64 operators, the time of each node that goes with calls of the operator in addition to the
 * operator's own time: what it calls, and the Python code right before and after its outermost calls. names: `count`
 * name ids. more_ns[i]: array of times for operator i, one for each host node, in `arena`. */
void tp_operator_more(const struct tp_replay_graph *graph, const uint32_t *names, unsigned count, int64_t **more_ns,
                      struct tp_arena *arena);

#endif
