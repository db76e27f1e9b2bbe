/* Builds the replay graph: calls the stages in their order, then groups the edges by target and sorts the nodes. */
#include "webreport/what_if/replay_graph_build.h"

#include "webreport/what_if/graph_add.h"
#include "webreport/what_if/graph_stages.h"
#include "webreport/what_if/lane_search.h"
#include "webreport/what_if/streams.h"

/* Adds the edges of host nodes from `first` to `end` - 1 after those of the device operations. Edges of one node keep
 * the order in which they were added. */
static void group_edges(struct tp_graph_build *build)
{
    struct tp_replay_graph *graph = build->graph;
    uint32_t device_count = build->model->devices.count, device_edges = (uint32_t)build->edges.count;
    const struct tp_draft_edge *drafts = build->drafts.data;
    *(struct tp_replay_node *)tp_vec_push(&build->nodes) =
        (struct tp_replay_node){.event = TP_NO_ID, .first_part = (uint32_t)build->parts.count};
    graph->nodes = build->nodes.data;
    graph->node_count = (uint32_t)build->nodes.count - 1;
    graph->edge_count = device_edges + (uint32_t)build->drafts.count;
    for (size_t i = 0; i < build->drafts.count; i++)
        tp_vec_push(&build->edges);
    graph->edges = build->edges.count ? build->edges.data : tp_arena_alloc(build->arena, sizeof *graph->edges);
    /* host nodes come before the device operations, inserted nodes after them; so the edges move apart */
    uint32_t *next = tp_arena_array(build->arena, (size_t)graph->node_count + 1, sizeof *next), host_edges = 0;
    for (size_t i = 0; i < build->drafts.count; i++) {
        next[drafts[i].target]++;
        host_edges += drafts[i].target < graph->first_device;
    }
    if (device_edges)
        memmove(graph->edges + host_edges, graph->edges, device_edges * sizeof *graph->edges);
    uint32_t at = 0;
    for (uint32_t n = 0; n <= graph->node_count; n++) {
        bool is_device = n >= graph->first_device && n < graph->first_device + device_count;
        uint32_t count = next[n], own = is_device ? graph->nodes[n].first_edge + host_edges : at;
        graph->nodes[n].first_edge = next[n] = own;
        at = n + 1 == graph->first_device + device_count ? host_edges + device_edges : is_device ? own : at + count;
    }
    for (size_t i = 0; i < build->drafts.count; i++)
        graph->edges[next[drafts[i].target]++] = drafts[i].edge;
    tp_arena_free_item(build->arena, next, ((size_t)graph->node_count + 1) * sizeof *next);
    tp_arena_free_item(build->arena, build->drafts.data, build->drafts.capacity * sizeof(struct tp_draft_edge));
}

void tp_replay_graph_sort(struct tp_replay_graph *graph, struct tp_arena *arena)
{
    /* first: for each node, the index in targets of its first target; program edges are no part of it */
    uint32_t *first = tp_arena_array(arena, (size_t)graph->node_count + 2, sizeof *first);
    uint32_t *targets = tp_arena_array(arena, graph->edge_count, sizeof *targets);
    uint32_t *missing = tp_arena_array(arena, graph->node_count, sizeof *missing);
    uint32_t *next = tp_arena_array(arena, graph->node_count, sizeof *next); /* next node of the thread */
    graph->order = tp_arena_array(arena, graph->node_count, sizeof *graph->order);
    memset(next, 0xFF, graph->node_count * sizeof *next);
    for (uint32_t i = 0; i < graph->edge_count; i++)
        first[graph->edges[i].source + 2]++;
    for (uint32_t n = 0; n < graph->node_count; n++)
        first[n + 2] += first[n + 1];
    for (uint32_t n = 0; n < graph->node_count; n++) {
        uint32_t previous = tp_node_previous(graph, n);
        missing[n] = graph->nodes[n + 1].first_edge - graph->nodes[n].first_edge + (previous != TP_NO_ID);
        for (uint32_t i = graph->nodes[n].first_edge; i < graph->nodes[n + 1].first_edge; i++)
            targets[first[graph->edges[i].source + 1]++] = n;
        if (previous != TP_NO_ID)
            next[previous] = n;
        if (!missing[n])
            graph->order[graph->order_count++] = n;
    }
    for (uint32_t i = 0; i < graph->order_count; i++) {
        uint32_t n = graph->order[i];
        for (uint32_t k = first[n]; k < first[n + 1]; k++)
            if (!--missing[targets[k]])
                graph->order[graph->order_count++] = targets[k];
        if (next[n] != TP_NO_ID && !--missing[next[n]])
            graph->order[graph->order_count++] = next[n];
    }
    tp_arena_free_item(arena, first, ((size_t)graph->node_count + 2) * sizeof *first);
    tp_arena_free_item(arena, targets, graph->edge_count * sizeof *targets);
    tp_arena_free_item(arena, missing, graph->node_count * sizeof *missing);
    tp_arena_free_item(arena, next, graph->node_count * sizeof *next);
}

static int compare_labels(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_replay_label *labels = context, *a = &labels[x], *b = &labels[y];
    int order = strcmp(tp_path_kind_text(a->kind), tp_path_kind_text(b->kind));
    return order ? order : tp_str_compare(a->name, b->name);
}

/* Ranks the labels. */
static void sort_labels(struct tp_graph_build *build)
{
    struct tp_replay_graph *graph = build->graph;
    graph->labels = build->labels.data;
    graph->label_count = (uint32_t)build->labels.count;
    graph->parts = build->parts.data;
    graph->part_count = (uint32_t)build->parts.count;
    graph->long_ns = build->long_ns.data;
    uint32_t *sorted = tp_arena_array(build->arena, graph->label_count, sizeof *sorted);
    for (uint32_t i = 0; i < graph->label_count; i++)
        sorted[i] = i;
    tp_sort_rows(sorted, graph->label_count, compare_labels, graph->labels, build->arena);
    for (uint32_t i = 0; i < graph->label_count; i++)
        graph->labels[sorted[i]].rank = i;
}

/* Lists the nodes of the reference thread, with the ends of launches that were added later. */
static void list_reference_nodes(struct tp_graph_build *build)
{
    struct tp_replay_graph *graph = build->graph;
    const struct tp_model *model = build->model;
    struct tp_vec nodes = TP_VEC(build->arena, uint32_t);
    if (graph->reference != TP_NO_ID && graph->lanes[graph->reference].first < graph->lanes[graph->reference].end)
        for (uint32_t n = graph->lanes[graph->reference].first; n != TP_NO_ID; n = tp_graph_next_on_thread(build, n))
            *(uint32_t *)tp_vec_push(&nodes) = n;
    graph->reference_nodes = nodes.data;
    graph->reference_count = (uint32_t)nodes.count;
    bool has_main =
        model->host_main != TP_NO_ID && graph->lanes[model->host_main].first < graph->lanes[model->host_main].end;
    graph->main_first = has_main ? graph->lanes[model->host_main].first : TP_NO_ID;
}

static void list_wakes(struct tp_graph_build *build)
{
    struct tp_replay_graph *graph = build->graph;
    graph->wake_count = (uint32_t)build->wakes.count;
    graph->wakes = tp_arena_array(build->arena, graph->wake_count, sizeof *graph->wakes);
    for (uint32_t i = 0; i < graph->wake_count; i++)
        graph->wakes[i] = TP_AT(&build->wakes, struct tp_graph_wake, i)->node;
    graph->waiting_count = (uint32_t)build->waiting.count;
    graph->waiting_events = tp_arena_array(build->arena, graph->waiting_count, sizeof *graph->waiting_events);
    for (uint32_t i = 0; i < graph->waiting_count; i++)
        graph->waiting_events[i] =
            build->model->launches.event[TP_AT(&build->waiting, struct tp_waiting_call, i)->launch];
}

static int compare_typicals(const void *x, const void *y, const void *context)
{
    const struct tp_typical_latency *a = x, *b = y;
    (void)context;
    int order = strcmp(a->kind, b->kind);
    return order ? order : tp_str_compare(a->name, b->name);
}

static void sort_typicals(struct tp_graph_build *build)
{
    build->graph->typicals = build->typicals.data;
    build->graph->typical_count = (uint32_t)build->typicals.count;
    tp_merge_sort(build->arena, build->typicals.data, build->typicals.count, sizeof(struct tp_typical_latency),
                  compare_typicals, NULL);
}

static void free_vec(struct tp_vec *vec)
{
    tp_arena_free_item(vec->arena, vec->data, vec->capacity * vec->item_size);
}

/* Gives back the memory that only the stages need, so that the replays use it again. */
static void free_build(struct tp_graph_build *build)
{
    const struct tp_model *model = build->model;
    struct tp_arena *arena = build->arena;
    struct tp_vec *vecs[] = {&build->waiting, &build->waited_operations, &build->wakes, &build->handovers,
                             &build->sums};
    for (size_t i = 0; i < sizeof vecs / sizeof *vecs; i++)
        free_vec(vecs[i]);
    if (build->stream_count)
        tp_arena_free_item(arena, build->streams[0].launched, model->devices.count * sizeof(uint32_t));
    tp_arena_free_item(arena, build->stream_of, model->devices.count * sizeof *build->stream_of);
    tp_arena_free_item(arena, build->waiting_of, model->launches.count * sizeof *build->waiting_of);
    tp_arena_free_item(arena, build->launch_node, model->launches.count * sizeof *build->launch_node);
    tp_arena_free_item(arena, build->last_label, model->trace->names.count * sizeof *build->last_label);
    for (unsigned kind = 0; kind < TP_PATH_KINDS; kind++)
        tp_id_map_release(&build->label_of_name[kind]);
}

bool tp_replay_graph_build(struct tp_replay_graph *graph, const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_graph_build build = {.graph = graph, .model = model, .arena = arena};
    *graph = (struct tp_replay_graph){.model = model, .reference = TP_NO_ID, .main_first = TP_NO_ID};
    build.nodes = TP_VEC(arena, struct tp_replay_node);
    build.parts = TP_VEC(arena, struct tp_replay_part);
    build.labels = TP_VEC(arena, struct tp_replay_label);
    build.drafts = TP_VEC(arena, struct tp_draft_edge);
    build.edges = TP_VEC(arena, struct tp_replay_edge);
    tp_id_map_init(&build.next_on_thread, arena);
    tp_id_map_init(&graph->inserted, arena);
    build.wakes = TP_VEC(arena, struct tp_graph_wake);
    build.typicals = TP_VEC(arena, struct tp_typical_latency);
    build.part_slots = TP_VEC(arena, uint32_t);
    build.sums = TP_VEC(arena, struct tp_part_sum);
    build.long_ns = TP_VEC(arena, int64_t);
    tp_id_map_init(&graph->long_parts, arena);
    build.walk = (struct tp_stack_walk){.model = model, .arena = arena};
    tp_id_map_init(&build.label_of_fold, arena);
    build.last_label = tp_arena_array(arena, model->trace->names.count, sizeof *build.last_label);
    memset(build.last_label, 0xFF, model->trace->names.count * sizeof *build.last_label);
    for (unsigned kind = 0; kind < TP_PATH_KINDS; kind++)
        tp_id_map_init(&build.label_of_name[kind], arena);
    if (!tp_graph_find_streams(&build))
        return false;
    tp_graph_find_waiting_calls(&build);
    tp_graph_find_handovers(&build);
    tp_graph_find_collectives(&build);
    tp_graph_add_host_nodes(&build);
    tp_graph_add_device_nodes(&build);
    tp_graph_add_thread_edges(&build);
    tp_graph_add_device_edges(&build);
    tp_graph_add_wait_edges(&build);
    tp_graph_add_queue_edges(&build);
    tp_graph_add_arrival_edges(&build);
    list_reference_nodes(&build);
    list_wakes(&build);
    group_edges(&build);
    tp_graph_fit_latencies(&build);
    sort_typicals(&build);
    tp_replay_graph_sort(graph, arena);
    sort_labels(&build);
    free_build(&build);
    return true;
}
