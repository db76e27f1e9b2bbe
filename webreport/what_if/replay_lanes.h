/* Defines replays of a graph. Each lane is a replay under one change; one pass computes all lanes. */
#ifndef TP_WEBREPORT_WHAT_IF_REPLAY_LANES_H
#define TP_WEBREPORT_WHAT_IF_REPLAY_LANES_H

#include "webreport/what_if/change.h"

enum tp_what_if_replay_mode {
    TP_REPLAY_KEPT,  /* with residuals: without a change, this replay gives the measured times */
    TP_REPLAY_BARE,  /* without residuals */
    TP_REPLAY_PACED, /* with residuals; batches of worker processes arrive when they were measured to arrive */
};

/* Where the begin or the end of a step on the host is: at the start (or end) of a node, plus a distance. */
struct tp_step_point {
    uint32_t node;
    bool is_end;
    int64_t distance_ns;
};

/* How the analysed steps follow from the times of nodes. Made once per graph. */
struct tp_step_frame {
    const struct tp_replay_graph *graph;
    struct tp_step_point *begins, *ends; /* for each step of the model; NULL: trace without markers or host events */
    bool has_operations;                 /* true if a step launched operations */
    bool begins_on_host;    /* trace without markers: true if the window begins with the main thread of the host */
    int64_t first_start_ns; /* start of the first operation of the first step, ns; INT64_MIN: no such operation */
    /* node whose residual the bare replay keeps, because the window begins with it; TP_NO_ID: none */
    uint32_t first_node;
};

/* One replay of a pass. */
struct tp_replay_lane {
    const struct tp_what_if_change *change;
    enum tp_what_if_replay_mode mode;
    /* true for a lane that was not replayed: its times are the measured ones, which a replay without a change gives */
    bool is_measured;
    bool wants_path; /* true if the critical path of this replay is needed; such lanes come before all others */
    /* results */
    int64_t ns;                /* length of the analysed steps */
    struct tp_interval *steps; /* the analysed steps */
    uint32_t step_count;
    uint32_t last_node; /* node with which the last step ends; TP_NO_ID: none */
};

/* Adds a lane for a replay of a change. lanes: vector of struct tp_replay_lane. Returns the index of the lane. */
static inline uint32_t tp_replay_lane_add(struct tp_vec *lanes, const struct tp_what_if_change *change,
                                          enum tp_what_if_replay_mode mode)
{
    *(struct tp_replay_lane *)tp_vec_push(lanes) = (struct tp_replay_lane){.change = change, .mode = mode};
    return (uint32_t)lanes->count - 1;
}

/* Replays of one graph. */
struct tp_what_if_replay {
    const struct tp_step_frame *frame;
    struct tp_replay_lane *lanes;
    uint32_t lane_count, path_count; /* path_count: number of lanes with wants_path */
    uint64_t wrong_nodes;            /* nodes to which the first lane does not give their measured times */
    /* for each edge of the array: binding_bytes bytes, with a bit for each path lane. The bit is set if the edge
     * delayed the start of its target more than the edges before it: see tp_what_if_binding. */
    uint8_t *bindings;
    uint32_t binding_bytes;
};

/* The edge that decided the start of a node: an edge of the array, or the edge from the previous node of the thread. */
struct tp_binding {
    const struct tp_replay_edge *edge; /* NULL: the edge from the previous node, or no edge */
    uint32_t source;                   /* TP_NO_ID: no edge decided the start */
    enum tp_edge_reason reason;
    bool from_start, is_inferred;
};

/* Returns the edge that decided the start of a node in a path lane. */
static inline struct tp_binding tp_what_if_binding(const struct tp_what_if_replay *replay, uint32_t lane, uint32_t node)
{
    const struct tp_replay_graph *graph = replay->frame->graph;
    const struct tp_replay_node *n = &graph->nodes[node];
    for (uint32_t k = n[1].first_edge; k-- > n->first_edge;)
        if (replay->bindings[(size_t)k * replay->binding_bytes + lane / 8] >> lane % 8 & 1) {
            const struct tp_replay_edge *e = &graph->edges[k];
            return (struct tp_binding){e, e->source, (enum tp_edge_reason)e->reason, e->from_start, e->is_inferred};
        }
    return (struct tp_binding){NULL, tp_node_previous(graph, node), TP_EDGE_PROGRAM, false, false};
}

#endif
