/* Declares the graph of ranks that wait for each other. Only flight_graph.c, flight_culprits.c and flight_circle.c
 * include this header. */
#ifndef TP_WEBREPORT_MEASURE_FLIGHT_FLIGHT_GRAPH_H
#define TP_WEBREPORT_MEASURE_FLIGHT_FLIGHT_GRAPH_H

#include "webreport/measure/flight/flight_decision.h"

/* The graph of ranks that wait for sets of ranks. Nodes are numbers of ranks. */
struct tp_flight_graph {
    struct tp_flight_decision *d;
    bool *is_node, *waits;   /* waits: the rank has a pending call */
    uint32_t *first, *count; /* for each rank: range in `sets_of`, of the sets that it waits for */
    uint32_t *sets_of;
    struct tp_vec *users;   /* for each set: ranks that wait for it; elements: uint32_t */
    struct tp_vec *members; /* for each rank: sets that contain it, among those with users; elements: uint32_t */
    uint32_t *visited_rank, *visited_set; /* number of the last search that visited it */
    uint32_t search;
};

static inline const struct tp_flight_ranks *tp_flight_set_at(const struct tp_flight_graph *graph, uint32_t set)
{
    return TP_AT(&graph->d->sets, struct tp_flight_ranks, set);
}

/* Builds the graph of the decision graph->d. */
void tp_flight_graph_build(struct tp_flight_graph *graph);

/* Returns the number of ranks that wait for a rank, directly or through others. */
int64_t tp_flight_count_held_up(struct tp_flight_graph *graph, uint32_t rank);

/* Returns the last call of a rank; NULL if it has no dump or no calls. rank: number of the rank. */
const struct tp_flight_entry *tp_flight_last_call_of(const struct tp_flight_job *job, uint32_t rank);

/* Fills in the calls and the names of a culprit, whose rank is set. waits_at_head: scratch with a zero for each number
 * of a rank. */
void tp_flight_describe_culprit(const struct tp_flight_decision *d, struct tp_flight_culprit *culprit,
                                uint32_t *waits_at_head);

/* Returns whether a rank never entered a call, or whether this is unknown. */
static inline bool tp_flight_is_missing(const struct tp_flight_open *open, uint32_t rank)
{
    return tp_flight_ranks_contain(&open->not_joined, rank) || tp_flight_ranks_contain(&open->unsure, rank);
}

/* Finds ranks that wait for each other in a circle, in a job without culprits. */
void tp_flight_find_circle(struct tp_flight_graph *graph);

#endif
