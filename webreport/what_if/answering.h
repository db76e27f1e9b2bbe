/* State while the replay of a trace is validated and changes are priced. */
#ifndef TP_WEBREPORT_WHAT_IF_ANSWERING_H
#define TP_WEBREPORT_WHAT_IF_ANSWERING_H

#include "webreport/model/numbers.h"
#include "webreport/what_if/joined_change.h"
#include "webreport/what_if/replay_lanes.h"
#include "webreport/what_if/what_if_view.h"

struct tp_answering {
    struct tp_what_if_view *result;
    const struct tp_model *model;
    struct tp_arena *keep, *temporary;
    struct tp_change_source source; /* for changes of the question */
    struct tp_replay_graph graph;
    struct tp_joined_ranks joined; /* ranks of the graph; count 0: the graph of one trace */
    struct tp_step_frame frame;
    struct tp_what_if_change no_change;
    int64_t bare_ns;     /* length of the window in the bare replay without a change, ns */
    bool has_arrivals;   /* true if worker processes load data */
    bool is_host_slowed; /* true if answers about the host are less sure, because of the time that recording took */
    /* operators of the changes: their name ids, and the time that goes with their calls for each node */
    uint32_t *operators;
    int64_t **more_ns;
    uint32_t operator_count;
};

/* Returns the time per step of a time in the window, ns, rounded down. Gains may be negative. */
static inline int64_t tp_answer_per_step(const struct tp_answering *answering, int64_t ns)
{
    return tp_ns_scaled(ns, 1, answering->result->step_count);
}

#endif
