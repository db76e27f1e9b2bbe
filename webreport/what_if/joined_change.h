/* Makes changes of a joined graph: changes that apply to all ranks, and the change "rank:N" of one rank
 * (docs/definitions.md, section 37, "Several ranks"). */
#ifndef TP_WEBREPORT_WHAT_IF_JOINED_CHANGE_H
#define TP_WEBREPORT_WHAT_IF_JOINED_CHANGE_H

#include "webreport/what_if/change_make.h"
#include "webreport/what_if/joined_graph.h"

/* Reads a change from its text, as tp_change_parse does, or "rank:N". A name in the change may be missing on some of
 * the ranks. joined: ranks that were joined in `graph`. text: need not live longer than the call. source: as for
 * tp_change_parse; the result is in its arena. Returns 0, or TP_EUSAGE with a message that says what to write. */
int tp_joined_change_parse(struct tp_what_if_change *change, const struct tp_joined_ranks *joined,
                           const struct tp_replay_graph *graph, struct tp_str text,
                           const struct tp_change_source *source, struct tp_error *err);

/* Makes the change "rank:N": the work of the host and the compute of a rank take the lower median of all ranks. rank:
 * index in joined->ranks. The result is in `arena`. */
void tp_joined_change_of_rank(struct tp_what_if_change *change, const struct tp_joined_ranks *joined,
                              const struct tp_replay_graph *graph, uint32_t rank, struct tp_arena *arena);

/* Makes the second end of the range of a change that applies to all ranks: whole calls of an operator, kernels without
 * communication next to them, or the smaller gain of another device. Returns false if the change has none. */
bool tp_joined_change_second_end(struct tp_what_if_change *out, const struct tp_what_if_change *change,
                                 const struct tp_joined_ranks *joined, const struct tp_replay_graph *graph,
                                 struct tp_arena *arena);

#endif
