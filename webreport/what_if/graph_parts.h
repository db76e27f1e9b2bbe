/* State that the stages of replay_graph_build.c share while they build a graph. Each stage reads what earlier stages
 * filled.
 */
#ifndef TP_WEBREPORT_WHAT_IF_GRAPH_PARTS_H
#define TP_WEBREPORT_WHAT_IF_GRAPH_PARTS_H

#include "webreport/model/stack_walk.h"
#include "webreport/what_if/replay_graph.h"
#include "writer/base/sort.h"

enum {
    TP_HOLE_NS = 100000,       /* silence of a thread from this length on is no work */
    TP_HANDOVER_NS = 10000,    /* shorter gaps of the reference thread are no hand-over */
    TP_LATENCY_CAP_NS = 20000, /* a typical latency is at most this long */
    TP_OWN_DEFAULT_NS = 5000   /* own cost of a wait if no call of its name went without waiting */
};

/* A device stream. Streams are sorted by device and number. */
struct tp_graph_stream {
    uint32_t gpu;
    int64_t number;
    /* operations with a launch, in the order of their launches: indexes in the model's devices */
    uint32_t *launched;
    uint32_t launched_count;
};

/* A call that waits, and the operations for which it waits: `count` items of tp_graph_build.waited_operations from
 * `first` on. is_blocked: an operation was still running when the call began. */
struct tp_waiting_call {
    uint32_t launch; /* index in the model's launches */
    uint32_t first, count;
    bool is_inferred, is_blocked;
};

/* The end of a call that waits: its node, and the call's index in tp_graph_build.waiting. */
struct tp_graph_wake {
    uint32_t node, waiting;
};

/* A hand-over of work from the reference thread to a worker, which works in [first_ns, last_ns). [hull_start_ns,
 * hull_end_ns): time of all workers in the same gap of the reference thread. */
struct tp_handover {
    uint32_t worker;
    int64_t first_ns, last_ns, hull_start_ns, hull_end_ns, gap_ns;
};

/* An edge, with its target, before the edges are grouped. */
struct tp_draft_edge {
    struct tp_replay_edge edge;
    uint32_t target;
};

struct tp_part_sum {
    int64_t ns;
    uint32_t label;
};

struct tp_graph_build {
    struct tp_replay_graph *graph;
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_id_map syncs; /* correlation of a call: index in trace->syncs */
    struct tp_graph_stream *streams;
    uint32_t stream_count;
    uint32_t *stream_of;             /* for each device operation: its stream */
    struct tp_vec waiting;           /* elements: struct tp_waiting_call, in order of time */
    struct tp_vec waited_operations; /* elements: uint32_t, device operations */
    uint32_t *waiting_of;            /* for each launch: index in waiting; TP_NO_ID: the call does not wait */
    struct tp_vec handovers;         /* elements: struct tp_handover */
    struct tp_intervals *holes;      /* for each thread: times without work */
    uint32_t *threads;               /* threads with host events: the reference thread, then the others by text */
    uint32_t thread_count;
    struct tp_vec nodes;             /* elements: struct tp_replay_node */
    struct tp_vec wakes;             /* elements: struct tp_graph_wake */
    struct tp_vec parts;             /* elements: struct tp_replay_part */
    struct tp_vec labels;            /* elements: struct tp_replay_label */
    struct tp_vec drafts;            /* edges of host nodes; elements: struct tp_draft_edge */
    struct tp_vec edges;             /* edges of device operations in order; elements: struct tp_replay_edge */
    struct tp_id_map next_on_thread; /* node that was inserted after a node of a thread */
    uint32_t *launch_node;           /* for each launch: its node; TP_NO_ID if it is inside of another node */
    struct tp_vec typicals;          /* elements: struct tp_typical_latency */
    struct tp_id_map own_costs;      /* name of a call: index in typicals of its own cost */
    struct tp_id_map label_of_name[TP_PATH_KINDS]; /* name, or for TP_PATH_PYTHON hash of a text: label */
    struct tp_id_map label_of_fold;
    uint32_t *last_label;            /* for each name: label that was found last; TP_NO_ID: none */
    struct tp_vec part_slots;        /* for each label: index of its last item in sums; elements: uint32_t */
    struct tp_vec sums;              /* time of the parts of the current node; elements: struct tp_part_sum */
    struct tp_vec long_ns;           /* elements: int64_t */
    struct tp_intervals collectives; /* times of collectives, only for a program without devices */
    struct tp_stack_walk walk;
};

static inline struct tp_replay_node *tp_graph_node(const struct tp_graph_build *build, uint32_t node)
{
    return TP_AT(&build->nodes, struct tp_replay_node, node);
}

/* Returns the event of the launch of an operation that has one. */
static inline const struct tp_event *tp_graph_launch_event(const struct tp_graph_build *build, uint32_t device)
{
    return tp_launch_event(build->model, build->model->devices.launch[device]);
}

#endif
