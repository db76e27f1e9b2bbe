/* Adds the edges of device operations: their launch, the order of their stream, waits for events of other streams, and
 * the order of the streams of one graph launch. */
#include "webreport/what_if/graph_add.h"
#include "webreport/what_if/graph_stages.h"
#include "webreport/what_if/lane_search.h"
#include "webreport/what_if/stream_waits.h"
#include "writer/base/saturate.h"

/* State while the operations are visited in order of (start, position in the file). */
struct visit {
    struct tp_graph_build *build;
    uint32_t *previous; /* for each stream: last operation so far; TP_NO_ID: none */
    /* for each launch of a graph: first operation so far, and operation that ended last among those that have ended
     * before the current operation starts; TP_NO_ID: none */
    uint32_t *first_of_graph, *ended_of_graph;
    struct tp_keyed *ends; /* operations of graphs by (end, index) */
    uint32_t end_count, next_end;
    struct tp_vec waits; /* elements: struct tp_stream_wait */
    size_t next_wait;
};

/* Returns the launch of an operation that a graph launch started; TP_NO_ID for all others. */
static uint32_t graph_launch_of(const struct tp_model *model, uint32_t k)
{
    return tp_is_graph_launched(model, k) ? model->devices.launch[k] : TP_NO_ID;
}

static void add_device_edge(struct visit *visit, struct tp_replay_edge edge)
{
    *(struct tp_replay_edge *)tp_vec_push(&visit->build->edges) = edge;
}

/* Adds the edge from the call that launched an operation. If the operation was recorded before its call, the edge keeps
 * the measured distance. */
static void add_launch_edge(struct visit *visit, uint32_t k)
{
    struct tp_graph_build *build = visit->build;
    const struct tp_event *call = tp_graph_launch_event(build, k);
    int64_t start = tp_device_event(build->model, k)->ts_ns;
    uint32_t node = build->launch_node[build->model->devices.launch[k]];
    if (node == TP_NO_ID || tp_graph_node(build, node)->start_ns == tp_graph_node(build, node)->end_ns)
        node = tp_graph_node_at(build, call->thread, call->ts_ns);
    bool is_before = start < call->ts_ns;
    build->graph->counts.before_launch += is_before;
    if (node == TP_NO_ID)
        return;
    int64_t from = tp_graph_node(build, node)->start_ns, distance = (is_before ? start : call->ts_ns) - from;
    if (distance >= 0)
        add_device_edge(visit, (struct tp_replay_edge){distance, 0, node, TP_EDGE_LAUNCH, true, is_before});
}

/* Notes for each graph launch which of its operations ended last before operation k starts. */
static void advance_ends(struct visit *visit, uint32_t k)
{
    const struct tp_model *model = visit->build->model;
    int64_t start = tp_device_event(model, k)->ts_ns;
    for (; visit->next_end < visit->end_count; visit->next_end++) {
        const struct tp_keyed *x = &visit->ends[visit->next_end];
        if (x->key > start || x->item >= k)
            return;
        uint32_t *best = &visit->ended_of_graph[model->devices.launch[x->item]];
        if (*best == TP_NO_ID || tp_event_end(tp_device_event(model, *best)) < x->key)
            *best = x->item;
    }
}

/* Adds the edge of the first operation that a graph launch runs on a further stream. */
static void add_graph_edge(struct visit *visit, uint32_t k, uint32_t graph)
{
    const struct tp_model *model = visit->build->model;
    uint32_t source =
        visit->ended_of_graph[graph] != TP_NO_ID ? visit->ended_of_graph[graph] : visit->first_of_graph[graph];
    const struct tp_event *e = tp_device_event(model, source);
    int64_t start = tp_device_event(model, k)->ts_ns;
    bool runs = tp_event_end(e) > start;
    int64_t distance = runs && start > e->ts_ns ? start - e->ts_ns : 0;
    uint32_t node = visit->build->graph->first_device + source;
    add_device_edge(visit, (struct tp_replay_edge){distance, 0, node, TP_EDGE_GRAPH, runs, true});
}

static void add_stream_edge(struct visit *visit, uint32_t k, uint32_t before)
{
    const struct tp_event *e = tp_device_event(visit->build->model, before);
    int64_t start = tp_device_event(visit->build->model, k)->ts_ns;
    bool overlaps = tp_event_end(e) > start;
    uint32_t node = visit->build->graph->first_device + before;
    visit->build->graph->counts.overlaps += overlaps;
    add_device_edge(
        visit, (struct tp_replay_edge){overlaps ? start - e->ts_ns : 0, 0, node, TP_EDGE_STREAM, overlaps, overlaps});
}

static void add_event_edges(struct visit *visit, uint32_t k)
{
    struct tp_graph_counts *counts = &visit->build->graph->counts;
    for (; visit->next_wait < visit->waits.count; visit->next_wait++) {
        const struct tp_stream_wait *wait = TP_AT(&visit->waits, struct tp_stream_wait, visit->next_wait);
        if (wait->target != k)
            return;
        uint32_t node = visit->build->graph->first_device + wait->source;
        add_device_edge(
            visit, (struct tp_replay_edge){.source = node, .reason = TP_EDGE_EVENT, .is_inferred = wait->is_inferred});
        *(wait->is_inferred ? &counts->inferred_events : &counts->events) += 1;
    }
}

static void add_edges_of_operation(struct visit *visit, uint32_t k)
{
    struct tp_graph_build *build = visit->build;
    const struct tp_devices *devices = &build->model->devices;
    size_t edges_before = build->edges.count;
    tp_graph_node(build, build->graph->first_device + k)->first_edge = (uint32_t)edges_before;
    uint32_t graph = graph_launch_of(build->model, k), *previous = &visit->previous[build->stream_of[k]];
    bool is_inside = graph != TP_NO_ID && *previous != TP_NO_ID && devices->launch[*previous] == graph;
    bool has_begun = graph != TP_NO_ID && visit->first_of_graph[graph] != TP_NO_ID;
    if (devices->launch[k] == TP_NO_ID)
        build->graph->counts.without_launch++;
    else if (!is_inside && !has_begun)
        add_launch_edge(visit, k);
    advance_ends(visit, k);
    if (has_begun && !is_inside)
        add_graph_edge(visit, k, graph);
    if (*previous != TP_NO_ID)
        add_stream_edge(visit, k, *previous);
    add_event_edges(visit, k);
    if (build->edges.count == edges_before)
        tp_graph_node(build, build->graph->first_device + k)->flags |= TP_NODE_ANCHORED;
    if (graph != TP_NO_ID && !has_begun)
        visit->first_of_graph[graph] = k;
    *previous = k;
}

/* Lists the operations of graphs by (end, index). */
static void sort_ends_of_graphs(struct visit *visit)
{
    const struct tp_model *model = visit->build->model;
    struct tp_arena *arena = visit->build->arena;
    visit->ends = tp_arena_array(arena, model->devices.count, sizeof *visit->ends);
    for (uint32_t k = 0; k < model->devices.count; k++)
        if (graph_launch_of(model, k) != TP_NO_ID)
            visit->ends[visit->end_count++] = (struct tp_keyed){tp_event_end(tp_device_event(model, k)), k, k};
    tp_sort_keyed(visit->ends, visit->end_count, arena);
    visit->first_of_graph = tp_arena_array(arena, model->launches.count, sizeof *visit->first_of_graph);
    visit->ended_of_graph = tp_arena_array(arena, model->launches.count, sizeof *visit->ended_of_graph);
    memset(visit->first_of_graph, 0xFF, model->launches.count * sizeof *visit->first_of_graph);
    memset(visit->ended_of_graph, 0xFF, model->launches.count * sizeof *visit->ended_of_graph);
}

void tp_graph_add_device_edges(struct tp_graph_build *build)
{
    const struct tp_model *model = build->model;
    struct visit visit = {.build = build, .waits = tp_graph_find_stream_waits(build)};
    visit.previous = tp_arena_array(build->arena, build->stream_count, sizeof *visit.previous);
    memset(visit.previous, 0xFF, build->stream_count * sizeof *visit.previous);
    sort_ends_of_graphs(&visit);
    for (uint32_t k = 0; k < model->devices.count; k++)
        add_edges_of_operation(&visit, k);
    tp_arena_free_item(build->arena, visit.ends, model->devices.count * sizeof *visit.ends);
    tp_arena_free_item(build->arena, visit.first_of_graph, model->launches.count * sizeof *visit.first_of_graph);
    tp_arena_free_item(build->arena, visit.ended_of_graph, model->launches.count * sizeof *visit.ended_of_graph);
}
