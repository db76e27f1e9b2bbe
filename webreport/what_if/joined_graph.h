/* Joins the replay graphs of several ranks of a job at their collectives (docs/definitions.md, section 37, "Several
 * ranks"). The result is one graph, in which all replays and the critical path work as in the graph of one trace. The
 * analysed steps are those of the first rank. */
#ifndef TP_WEBREPORT_WHAT_IF_JOINED_GRAPH_H
#define TP_WEBREPORT_WHAT_IF_JOINED_GRAPH_H

#include "webreport/what_if/joined_collectives.h"

/* A rank of a job: its number, and the facts of its trace. */
struct tp_rank_model {
    const struct tp_model *model;
    int64_t number;
};

/* The ranks of a joined graph. */
struct tp_joined_ranks {
    const struct tp_rank_model *ranks;
    struct tp_replay_graph
        *graphs;    /* graph of each rank, with the times of its own clock and without edges and parts */
    uint32_t count; /* number of ranks; 0: one trace, which is not joined */
    uint32_t collective_count;
    bool is_matched; /* false: the ranks have different collectives, and the result is the graph of the first rank */
};

/* Builds the graphs of at least two ranks, and joins them. joined: receives the ranks. graph: receives the joined
 * graph. The models must outlive the graph. All memory comes from `arena`, whose guard must be set; jumps to the guard
 * with TP_ELIMIT if the graph has too many nodes or edges for their numbers. Returns false if a trace has more streams
 * than TP_MAX_REPLAY_STREAMS. */
bool tp_joined_graph_build(struct tp_joined_ranks *joined, struct tp_replay_graph *graph,
                           const struct tp_rank_model *ranks, uint32_t count, struct tp_arena *arena);

#endif
