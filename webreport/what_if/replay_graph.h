/* Defines the replay graph of one trace: what the host and the devices did, and what each activity waited for. A joined
 * graph (joined_graph.h) has the nodes of several ranks of a job.
 *
 * A node is an activity on one thread or stream, with its measured start and end. The duration of a node is the sum of
 * its parts. An edge sets a lower bound of the start of its target:
 *
 *     start(target) = max over the edges of (start or end of the source + latency + residual)
 *
 * The residual is the time by which the target started later than all known reasons allow. docs/definitions.md, section
 * "What if", defines nodes, edges and all rules. tp_replay_graph_build (replay_graph_build.h) makes the graph;
 * afterwards the graph does not change, and any thread may read it.
 *
 * Times are int64 nanoseconds as in the file. Absent indexes are TP_NO_ID. */
#ifndef TP_WEBREPORT_WHAT_IF_GRAPH_H
#define TP_WEBREPORT_WHAT_IF_GRAPH_H

#include "webreport/model/facts.h"
#include "writer/base/id_map.h"
#include "writer/base/saturate.h"

/* Kinds of parts of nodes and of the critical path. The first five are work of the host. */
enum tp_path_kind {
    TP_PATH_OPERATOR,
    TP_PATH_PYTHON, /* time of a thread outside of operators and calls */
    TP_PATH_CALL,   /* call of the runtime or driver that neither launches nor waits */
    TP_PATH_LAUNCH,
    TP_PATH_WAIT,  /* time that a call for waiting costs if it finds nothing to wait for */
    TP_PATH_INPUT, /* time inside a range that loads data */
    TP_PATH_COMPUTE,
    TP_PATH_COMMUNICATION,
    TP_PATH_COPY,
    TP_PATH_LATENCY, /* usual delay between an activity and the activity that waits for it */
    TP_PATH_UNEXPLAINED,
    TP_PATH_OUTSIDE, /* time before the first activity */
    TP_PATH_KINDS
};

enum tp_path_group {
    TP_GROUP_HOST,
    TP_GROUP_INPUT,
    TP_GROUP_COMPUTE,
    TP_GROUP_COMMUNICATION,
    TP_GROUP_COPY,
    TP_GROUP_LATENCY,
    TP_GROUP_UNEXPLAINED,
    TP_GROUPS
};

enum tp_node_kind {
    TP_NODE_HOST,
    TP_NODE_LAUNCH,
    TP_NODE_WAIT,    /* own work of a call that waits */
    TP_NODE_WAKE,    /* end of a wait, of length 0 */
    TP_NODE_INPUT,   /* call of a loader with worker processes */
    TP_NODE_ARRIVAL, /* end of such a call, of length 0 */
    TP_NODE_ARRIVE,  /* start of a collective on one of several joined ranks, of length 0 */
    TP_NODE_COMPUTE,
    TP_NODE_COMMUNICATION,
    TP_NODE_COPY,
    TP_NODE_KINDS
};

/* Reasons of edges. */
enum tp_edge_reason {
    TP_EDGE_PROGRAM,  /* order of a thread */
    TP_EDGE_LAUNCH,   /* the call that launched the operation */
    TP_EDGE_STREAM,   /* order of a stream */
    TP_EDGE_EVENT,    /* a stream waits for an event of another stream */
    TP_EDGE_WAIT,     /* a call waits for an operation */
    TP_EDGE_QUEUE,    /* a launch waits for a place in the queue of the device */
    TP_EDGE_HANDOVER, /* a thread gives work to another thread */
    TP_EDGE_RETURN,   /* a thread continues after work of another thread */
    TP_EDGE_GRAPH,    /* order of the streams of one graph launch */
    TP_EDGE_FOLLOWS,  /* a thread moves with the reference thread, because no record names its reason */
    TP_EDGE_ARRIVAL,  /* a batch of a worker process arrives when it was measured to arrive */
    TP_EDGE_PEER,     /* a collective waits for another rank */
    TP_EDGE_REASONS
};

struct tp_replay_edge {
    int64_t latency_ns, residual_ns;
    uint32_t source;  /* index in nodes */
    uint8_t reason;   /* enum tp_edge_reason */
    bool from_start;  /* true if the latency counts from the start of the source, false if from its end */
    bool is_inferred; /* true if no record of the trace names the edge */
};

enum tp_node_flag {
    TP_NODE_ANCHORED = 1,         /* the measured start is a lower bound of the start in each replay */
    TP_NODE_HAS_OPERATIONS = 2,   /* end of a call that waits, if the call also started operations */
    TP_NODE_HAS_PREVIOUS = 4,     /* an edge of order leads from the previous node of the thread to this node */
    TP_NODE_AFTER_INSERTED = 8,   /* the previous node of the thread has another number than this node - 1 */
    TP_NODE_FOLLOWS_PREVIOUS = 16 /* the edge from the previous node is the one that decided the measured start */
};

/* Besides the edges in the array, a node has an edge TP_EDGE_PROGRAM of latency 0 from the previous node of its thread,
 * which is the first of its edges (tp_node_previous). */
struct tp_replay_node {
    int64_t start_ns, end_ns; /* measured start and end */
    uint32_t event;           /* event of the call or operation, index in trace->events; TP_NO_ID for TP_NODE_HOST */
    uint32_t first_edge;      /* index in edges; the next node's first_edge is the end */
    uint32_t first_part;      /* index in parts; the next node's first_part is the end */
    uint8_t kind;             /* enum tp_node_kind */
    uint8_t flags;            /* bits of enum tp_node_flag */
};

/* What a part of a node was: a kind, and the name of an operator, call, line, range or operation. */
struct tp_replay_label {
    struct tp_str name;
    uint32_t rank; /* position of the label in the order (text of the kind, name) */
    uint8_t kind;  /* enum tp_path_kind */
};

/* A part of a node. Use tp_part_ns for its time. */
struct tp_replay_part {
    uint32_t label;    /* index in labels */
    uint32_t short_ns; /* time, ns; UINT32_MAX: the time is in long_parts */
};

/* Nodes of a thread: indexes first .. end - 1, in order of time. */
struct tp_graph_lane {
    uint32_t first, end;
};

/* Counts of things that the edges do not show. */
struct tp_graph_counts {
    uint64_t follows, handovers;
    uint64_t before_launch;  /* operations recorded before their call */
    uint64_t without_launch; /* operations without a recorded call */
    uint64_t overlaps;       /* operations that overlap the operation before them on their stream */
    uint64_t events, inferred_events;
    uint64_t contradicted_events; /* waits for an event that the recorded times contradict */
    uint64_t unresolved_waits;    /* waits of streams for which no source was found */
    uint64_t queue_depth;         /* operations for which the queue of a device has room; 0 if it was never full */
};

/* A typical latency. kind: "launch", "stream", "wake" or "own"; name: name of the call, or number of the device. */
struct tp_typical_latency {
    const char *kind;
    struct tp_str name;
    int64_t ns;
};

/* A rank of a joined graph. Its nodes and labels follow those of the rank before. */
struct tp_replay_rank {
    const struct tp_model *model;
    uint32_t first_node, first_label; /* indexes in nodes and labels */
};

struct tp_replay_graph {
    const struct tp_model *model; /* of a joined graph: model of its first rank */
    struct tp_replay_node *nodes; /* host nodes by thread and time, device operations, ends of waits for the queue; then
                                   * one more element with the ends of the edges and parts */
    struct tp_replay_edge *edges; /* edges by target */
    struct tp_replay_part *parts; /* parts by node */
    struct tp_id_map long_parts;  /* index of a part of 4.3 s or more: index in long_ns */
    int64_t *long_ns;
    struct tp_replay_label *labels;
    uint32_t node_count, edge_count, part_count, label_count;
    uint32_t *order;       /* node indexes; each node comes after the sources of its edges */
    uint32_t order_count;  /* less than node_count if the edges have a cycle */
    uint32_t first_device; /* node of device operation k: first_device + k */
    /* thread of the step markers, or the thread that all other threads follow; TP_NO_ID: no host events */
    uint32_t reference;
    struct tp_id_map inserted; /* previous node of the thread, for nodes with TP_NODE_AFTER_INSERTED */
    uint32_t *reference_nodes; /* nodes of the reference thread in order of time */
    uint32_t reference_count;
    struct tp_graph_lane *lanes; /* for each thread of the trace */
    uint32_t main_first;         /* first node of the main thread of the host; TP_NO_ID: none */
    struct tp_graph_counts counts;
    struct tp_typical_latency *typicals; /* sorted by kind and name */
    uint32_t typical_count;
    uint32_t *wakes; /* nodes of the ends of calls that wait for a device; the node before each is its own work */
    uint32_t wake_count;
    uint32_t
        *waiting_events; /* events of all calls that wait, also of those inside of other calls, which have no node */
    uint32_t waiting_count;
    /* ranks of a joined graph; NULL: the graph of one trace. After the nodes of the last rank, each collective has a
     * node TP_NODE_ARRIVE for each rank. */
    struct tp_replay_rank *ranks;
    uint32_t rank_count, first_arrive; /* first_arrive: first of the nodes TP_NODE_ARRIVE */
};

/* Returns the group of a kind. */
enum tp_path_group tp_path_group_of(enum tp_path_kind kind);

/* Return the words of JSON: "operator" .., "host" .., "program" ... Static text. */
const char *tp_path_kind_text(enum tp_path_kind kind);
const char *tp_path_group_text(enum tp_path_group group);
const char *tp_edge_reason_text(enum tp_edge_reason reason);

/* Returns the measured time from which the latency of an edge counts, ns. */
static inline int64_t tp_edge_from(const struct tp_replay_graph *graph, const struct tp_replay_edge *edge)
{
    const struct tp_replay_node *source = &graph->nodes[edge->source];
    return edge->from_start ? source->start_ns : source->end_ns;
}

/* Returns the time of a part, ns. part: index in parts. */
static inline int64_t tp_part_ns(const struct tp_replay_graph *graph, uint32_t part)
{
    uint32_t ns = graph->parts[part].short_ns;
    return ns != UINT32_MAX ? (int64_t)ns : graph->long_ns[tp_id_map_get(&graph->long_parts, part)];
}

/* Returns the time of all parts of a node, ns. */
static inline int64_t tp_node_duration(const struct tp_replay_graph *graph, uint32_t node)
{
    int64_t ns = 0;
    for (uint32_t i = graph->nodes[node].first_part; i < graph->nodes[node + 1].first_part; i++)
        ns = tp_sat_add(ns, tp_part_ns(graph, i));
    return ns;
}

/* Returns the previous node of the thread; TP_NO_ID if the node does not wait for it. */
static inline uint32_t tp_node_previous(const struct tp_replay_graph *graph, uint32_t node)
{
    unsigned flags = graph->nodes[node].flags;
    if (flags & TP_NODE_AFTER_INSERTED)
        return tp_id_map_get(&graph->inserted, node);
    return flags & TP_NODE_HAS_PREVIOUS ? node - 1 : TP_NO_ID;
}

/* Returns the residual of the edge from the previous node, which must exist, ns. */
static inline int64_t tp_node_program_residual(const struct tp_replay_graph *graph, uint32_t node)
{
    const struct tp_replay_node *n = &graph->nodes[node];
    if (!(n->flags & TP_NODE_FOLLOWS_PREVIOUS))
        return 0;
    return n->start_ns - graph->nodes[tp_node_previous(graph, node)].end_ns;
}

/* Returns the rank of a node as an index in graph->ranks; 0 for the graph of one trace. */
static inline uint32_t tp_node_rank(const struct tp_replay_graph *graph, uint32_t node)
{
    uint32_t rank = graph->rank_count;
    if (!rank)
        return 0;
    if (node >= graph->first_arrive)
        return (node - graph->first_arrive) % graph->rank_count;
    while (graph->ranks[--rank].first_node > node)
        ;
    return rank;
}

/* Returns the model of the trace of a node. */
static inline const struct tp_model *tp_node_model(const struct tp_replay_graph *graph, uint32_t node)
{
    return graph->ranks ? graph->ranks[tp_node_rank(graph, node)].model : graph->model;
}

static inline bool tp_node_is_device(const struct tp_replay_node *node)
{
    return node->kind >= TP_NODE_COMPUTE;
}

#endif
