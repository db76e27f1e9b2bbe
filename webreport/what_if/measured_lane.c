/* Replays a graph without a change. Each node then has its measured times, if these follow from the measured times of
 * its sources; so this file checks the nodes one by one, and needs no times of a replay. */
#include "webreport/what_if/measured_lane.h"

#include "webreport/model/numbers.h"
#include "webreport/what_if/replay_steps.h"

/* Returns the start that an edge allows by the measured times, ns. */
static int64_t allowed_start(const struct tp_replay_graph *graph, const struct tp_replay_edge *e)
{
    return tp_sat_add(tp_sat_add(tp_edge_from(graph, e), e->latency_ns), e->residual_ns);
}

/* Finds the edge that decides the start of a node by the measured times. start_ns: receives the start that the edges
 * allow; INT64_MIN if nothing bounds it. */
static struct tp_binding find_binding(const struct tp_replay_graph *graph, uint32_t node, int64_t *start_ns)
{
    const struct tp_replay_node *n = &graph->nodes[node];
    uint32_t previous = tp_node_previous(graph, node);
    struct tp_binding binding = {.source = TP_NO_ID};
    bool has_start = n->flags & TP_NODE_ANCHORED;
    int64_t start = n->start_ns;
    if (previous != TP_NO_ID) {
        int64_t at = tp_sat_add(graph->nodes[previous].end_ns, tp_node_program_residual(graph, node));
        if (!has_start || at > start) {
            binding = (struct tp_binding){NULL, previous, TP_EDGE_PROGRAM, false, false};
            start = at;
        }
        has_start = true;
    }
    for (uint32_t i = n->first_edge; i < n[1].first_edge; i++) {
        const struct tp_replay_edge *e = &graph->edges[i];
        if (e->reason == TP_EDGE_ARRIVAL || (has_start && allowed_start(graph, e) <= start))
            continue;
        start = allowed_start(graph, e);
        has_start = true;
        binding = (struct tp_binding){e, e->source, (enum tp_edge_reason)e->reason, e->from_start, e->is_inferred};
    }
    *start_ns = has_start ? start : INT64_MIN;
    return binding;
}

struct tp_binding tp_measured_binding(const struct tp_replay_graph *graph, uint32_t node)
{
    int64_t start;
    return find_binding(graph, node, &start);
}

static bool is_consistent(const struct tp_replay_graph *graph, uint32_t node)
{
    const struct tp_replay_node *n = &graph->nodes[node];
    int64_t start, end = n->start_ns;
    find_binding(graph, node, &start);
    for (uint32_t i = n->first_part; i < n[1].first_part; i++)
        end = tp_sat_add(end, tp_part_ns(graph, i));
    return (start == n->start_ns || start == INT64_MIN) && end == n->end_ns;
}

uint64_t tp_count_contradictions(const struct tp_replay_graph *graph)
{
    uint64_t count = 0;
    for (uint32_t n = 0; n < graph->node_count; n++)
        count += !is_consistent(graph, n);
    return count;
}

void tp_measured_lane(struct tp_replay_lane *lane, const struct tp_step_frame *frame, struct tp_arena *arena)
{
    const struct tp_replay_graph *graph = frame->graph;
    struct tp_what_if_replay replay = {.frame = frame, .lanes = lane, .lane_count = 1, .path_count = 1};
    struct tp_pass p = {.replay = &replay,
                        .frame = frame,
                        .graph = graph,
                        .arena = arena,
                        .lane_count = 1,
                        .path_count = 1,
                        .blocks = 1,
                        .base_ns = graph->model->first_ns};
    tp_pass_prepare_steps(&p);
    for (uint32_t n = 0; n < graph->node_count; n++) {
        struct tp_row start = {{(double)tp_sat_sub(graph->nodes[n].start_ns, p.base_ns)}};
        struct tp_row end = {{(double)tp_sat_sub(graph->nodes[n].end_ns, p.base_ns)}};
        tp_pass_note_times(&p, n, &start, &end);
    }
    tp_pass_finish_steps(&p);
    lane->is_measured = true;
}
