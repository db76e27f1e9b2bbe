/* Adds the edges between the nodes of threads: order of the thread, hand-overs, and threads that follow the reference
 * thread. Adds the edges of waits and of batches that arrive. */
#include "webreport/what_if/graph_add.h"
#include "webreport/what_if/graph_stages.h"
#include "webreport/what_if/lane_search.h"

/* A call of a loader that took longer than this, ns, had no batch ready. */
enum { ARRIVAL_NS = 1000000 };

/* A node whose reason no record names moves with the reference thread. */
static void follow_reference(struct tp_graph_build *build, uint32_t node)
{
    struct tp_replay_node *n = tp_graph_node(build, node);
    uint32_t count = tp_graph_nodes_before(build, build->graph->reference, n->start_ns, true);
    if (!count) {
        n->flags |= TP_NODE_ANCHORED;
        return;
    }
    uint32_t source = build->graph->lanes[build->graph->reference].first + count - 1;
    int64_t distance = n->start_ns - tp_graph_node(build, source)->start_ns;
    tp_graph_add_edge(build, node, (struct tp_replay_edge){distance, 0, source, TP_EDGE_FOLLOWS, true, true});
    build->graph->counts.follows++;
}

static bool is_handed_over(const struct tp_graph_build *build, uint32_t thread, int64_t at, size_t *near)
{
    const struct tp_handover *list = build->handovers.data;
    while (*near < build->handovers.count && list[*near].first_ns < at)
        ++*near;
    for (size_t i = *near; i < build->handovers.count && list[i].first_ns == at; i++)
        if (list[i].worker == thread)
            return true;
    return false;
}

/* Adds edges for the first node of a thread and for the nodes after holes, unless work was handed over there. */
static void add_follow_edges(struct tp_graph_build *build, uint32_t thread)
{
    struct tp_graph_lane lane = build->graph->lanes[thread];
    size_t near = 0;
    for (uint32_t node = lane.first; node < lane.end; node++) {
        const struct tp_replay_node *n = tp_graph_node(build, node);
        bool is_after_hole = node == lane.first || (n[-1].end_ns < n->start_ns && n->kind != TP_NODE_WAKE);
        if (is_after_hole && !is_handed_over(build, thread, n->start_ns, &near))
            follow_reference(build, node);
    }
}

/* Returns the last of the nodes of a thread that start before `at`, or the first node of the thread. */
static uint32_t node_before(const struct tp_graph_build *build, uint32_t thread, int64_t at)
{
    uint32_t count = tp_graph_nodes_before(build, thread, at, false);
    return build->graph->lanes[thread].first + (count ? count - 1 : 0);
}

static void add_handover(struct tp_graph_build *build, const struct tp_handover *h)
{
    uint32_t reference = build->graph->reference, before = node_before(build, reference, h->hull_start_ns);
    uint32_t target = tp_graph_node_at(build, h->worker, h->first_ns);
    uint32_t after =
        build->graph->lanes[reference].first + tp_graph_nodes_before(build, reference, h->hull_end_ns, false);
    if (target != TP_NO_ID) {
        int64_t distance = tp_graph_node(build, target)->start_ns - tp_graph_node(build, before)->end_ns;
        tp_graph_add_edge(build, target,
                          (struct tp_replay_edge){
                              .latency_ns = distance > 0 ? distance : 0, .source = before, .reason = TP_EDGE_HANDOVER});
    }
    if (after < build->graph->lanes[reference].end) {
        uint32_t source = node_before(build, h->worker, h->last_ns);
        int64_t distance = tp_graph_node(build, after)->start_ns - tp_graph_node(build, source)->end_ns;
        if (distance >= 0)
            tp_graph_add_edge(
                build, after,
                (struct tp_replay_edge){.latency_ns = distance, .source = source, .reason = TP_EDGE_RETURN});
    }
    build->graph->counts.handovers++;
}

void tp_graph_add_thread_edges(struct tp_graph_build *build)
{
    for (uint32_t i = 0; i < build->thread_count; i++) {
        struct tp_graph_lane lane = build->graph->lanes[build->threads[i]];
        if (lane.first == lane.end)
            continue;
        if (i == 0)
            tp_graph_node(build, lane.first)->flags |= TP_NODE_ANCHORED;
        else
            add_follow_edges(build, build->threads[i]);
    }
    for (size_t i = 0; i < build->handovers.count; i++)
        add_handover(build, TP_AT(&build->handovers, struct tp_handover, i));
}

void tp_graph_add_wait_edges(struct tp_graph_build *build)
{
    for (size_t i = 0; i < build->wakes.count; i++) {
        const struct tp_graph_wake *wake = TP_AT(&build->wakes, struct tp_graph_wake, i);
        const struct tp_waiting_call *wait = TP_AT(&build->waiting, struct tp_waiting_call, wake->waiting);
        for (uint32_t k = 0; k < wait->count; k++) {
            uint32_t operation = *TP_AT(&build->waited_operations, uint32_t, wait->first + k);
            tp_graph_add_edge(build, wake->node,
                              (struct tp_replay_edge){.source = build->graph->first_device + operation,
                                                      .reason = TP_EDGE_WAIT,
                                                      .is_inferred = wait->is_inferred});
        }
    }
}

void tp_graph_add_arrival_edges(struct tp_graph_build *build)
{
    if (!build->thread_count ||
        build->graph->lanes[build->graph->reference].first == build->graph->lanes[build->graph->reference].end)
        return;
    uint32_t origin = build->graph->lanes[build->graph->reference].first;
    int64_t start = tp_graph_node(build, origin)->start_ns;
    for (uint32_t node = 0; node < build->graph->first_device; node++) {
        const struct tp_replay_node *n = tp_graph_node(build, node);
        if (n->kind == TP_NODE_ARRIVAL && build->model->trace->events[n->event].dur_ns > ARRIVAL_NS)
            tp_graph_add_edge(
                build, node,
                (struct tp_replay_edge){
                    .latency_ns = n->end_ns - start, .source = origin, .reason = TP_EDGE_ARRIVAL, .from_start = true});
    }
}
