/* Joins the graphs of ranks: see joined_graph.h.
 *
 * The nodes of the ranks follow each other. Then come the arrivals: for each collective, one node for each rank. An
 * arrival has the edges that the kernel of the collective had. The kernel becomes the transfer, which waits for the
 * arrivals of all ranks. */
#include "webreport/what_if/joined_graph.h"

#include "webreport/what_if/graph_add.h"
#include "webreport/what_if/replay_graph_build.h"
#include "writer/base/saturate.h"

/* State while graphs are joined. */
struct joining {
    struct tp_graph_build build; /* nodes, edges, parts and labels of the joined graph */
    const struct tp_joined_ranks *joined;
    const struct tp_joined_collectives *collectives;
    struct tp_id_map collective_of; /* node of the joined graph: its collective; only for kernels of collectives */
    uint32_t rank;                  /* rank whose nodes are added */
};

static uint32_t first_node_of(const struct joining *j, uint32_t rank)
{
    return j->build.graph->ranks[rank].first_node;
}

/* Returns the arrival of a rank at a collective. */
static uint32_t arrive_node(const struct joining *j, uint32_t collective, uint32_t rank)
{
    return j->build.graph->first_arrive + collective * j->joined->count + rank;
}

static const struct tp_replay_node *kernel_of(const struct joining *j, uint32_t collective, uint32_t rank)
{
    uint32_t node = j->collectives->nodes[(size_t)collective * j->joined->count + rank];
    return &j->joined->graphs[rank].nodes[node];
}

/* Returns the measured time at which a rank arrives at a collective, by the clock of the first rank. */
static int64_t arrive_ns(const struct joining *j, uint32_t collective, uint32_t rank)
{
    return tp_sat_add(kernel_of(j, collective, rank)->start_ns, j->collectives->shift_ns[rank]);
}

/* Copies the edges of a node of the current rank. An edge from the start of a collective counts from the arrival. */
static void copy_edges(struct joining *j, uint32_t node)
{
    const struct tp_replay_graph *from = &j->joined->graphs[j->rank];
    for (uint32_t i = from->nodes[node].first_edge; i < from->nodes[node + 1].first_edge; i++) {
        struct tp_replay_edge edge = from->edges[i];
        edge.source += first_node_of(j, j->rank);
        uint32_t collective = edge.from_start ? tp_id_map_get(&j->collective_of, edge.source) : TP_NO_ID;
        if (collective != TP_NO_ID)
            edge.source = arrive_node(j, collective, j->rank);
        *(struct tp_replay_edge *)tp_vec_push(&j->build.edges) = edge;
    }
}

/* Adds the edges of a transfer that starts at `start`: from its own arrival, then from those of the other ranks. The
 * first of the edges that allow the latest start gets the residual. */
static void add_edges_of_transfer(struct joining *j, uint32_t collective, int64_t start)
{
    size_t first = j->build.edges.count, best = first;
    int64_t latest = INT64_MIN;
    for (uint32_t i = 0; i < j->joined->count; i++) {
        uint32_t rank = i == 0 ? j->rank : i - (i <= j->rank);
        int64_t at = arrive_ns(j, collective, rank), distance = tp_sat_sub(start, at);
        int64_t latency = i && distance < 0 ? distance : 0;
        *(struct tp_replay_edge *)tp_vec_push(&j->build.edges) =
            (struct tp_replay_edge){.latency_ns = latency,
                                    .source = arrive_node(j, collective, rank),
                                    .reason = i ? TP_EDGE_PEER : TP_EDGE_PROGRAM};
        if (i == 0 || tp_sat_add(at, latency) > latest) {
            latest = tp_sat_add(at, latency);
            best = first + i;
        }
    }
    TP_AT(&j->build.edges, struct tp_replay_edge, best)->residual_ns = tp_sat_sub(start, latest);
}

/* Adds node `node` of the current rank. `collective` is that of a kernel, or TP_NO_ID. */
static void add_node(struct joining *j, uint32_t node, uint32_t collective)
{
    const struct tp_replay_graph *from = &j->joined->graphs[j->rank];
    const struct tp_replay_node *n = &from->nodes[node];
    int64_t shift = j->collectives->shift_ns[j->rank], end = tp_sat_add(n->end_ns, shift);
    bool is_transfer = collective != TP_NO_ID;
    int64_t transfer = is_transfer ? j->collectives->transfer_ns[collective] : 0;
    int64_t start = is_transfer ? tp_sat_sub(end, transfer) : tp_sat_add(n->start_ns, shift);
    uint32_t added = tp_graph_add_node(&j->build, (enum tp_node_kind)n->kind, start, end, n->event);
    struct tp_replay_node *to = tp_graph_node(&j->build, added);
    to->flags = is_transfer ? n->flags & ~TP_NODE_ANCHORED : n->flags;
    to->first_edge = (uint32_t)j->build.edges.count;
    if (n->flags & TP_NODE_AFTER_INSERTED)
        *tp_id_map_find_or_add(&j->build.graph->inserted, added) =
            tp_node_previous(from, node) + first_node_of(j, j->rank);
    if (is_transfer)
        add_edges_of_transfer(j, collective, start);
    else
        copy_edges(j, node);
    for (uint32_t p = n->first_part; p < n[1].first_part; p++)
        tp_graph_add_part(&j->build, from->parts[p].label + j->build.graph->ranks[j->rank].first_label,
                          is_transfer ? transfer : tp_part_ns(from, p));
}

/* Adds the arrival of the current rank at a collective. */
static void add_arrive_node(struct joining *j, uint32_t collective)
{
    const struct tp_replay_node *kernel = kernel_of(j, collective, j->rank);
    int64_t at = arrive_ns(j, collective, j->rank);
    uint32_t added = tp_graph_add_node(&j->build, TP_NODE_ARRIVE, at, at, TP_NO_ID);
    struct tp_replay_node *to = tp_graph_node(&j->build, added);
    to->flags = kernel->flags & TP_NODE_ANCHORED;
    to->first_edge = (uint32_t)j->build.edges.count;
    copy_edges(j, (uint32_t)(kernel - j->joined->graphs[j->rank].nodes));
}

static void add_labels(struct joining *j)
{
    const struct tp_replay_graph *from = &j->joined->graphs[j->rank];
    for (uint32_t i = 0; i < from->label_count; i++)
        *(struct tp_replay_label *)tp_vec_push(&j->build.labels) = from->labels[i];
}

/* Sets where the nodes and labels of each rank begin, and checks that all numbers fit. */
static void place_ranks(struct joining *j)
{
    const struct tp_joined_ranks *joined = j->joined;
    struct tp_replay_graph *graph = j->build.graph;
    uint64_t nodes = 0, labels = 0, edges = 0, parts = 0, arrivals = (uint64_t)j->collectives->count * joined->count;
    graph->ranks = tp_arena_array(j->build.arena, joined->count, sizeof *graph->ranks);
    graph->rank_count = joined->count;
    for (uint32_t r = 0; r < joined->count; r++) {
        const struct tp_replay_graph *from = &joined->graphs[r];
        graph->ranks[r] = (struct tp_replay_rank){from->model, (uint32_t)nodes, (uint32_t)labels};
        nodes += from->node_count;
        labels += from->label_count;
        edges += from->edge_count;
        parts += from->part_count;
    }
    if (nodes + arrivals >= UINT32_MAX || labels >= UINT32_MAX || parts >= UINT32_MAX ||
        edges + arrivals * joined->count >= UINT32_MAX)
        tp_arena_fail(j->build.arena, TP_ELIMIT);
    graph->first_arrive = (uint32_t)nodes;
}

static void map_collectives(struct joining *j)
{
    tp_id_map_init(&j->collective_of, j->build.arena);
    for (uint32_t c = 0; c < j->collectives->count; c++)
        for (uint32_t r = 0; r < j->joined->count; r++) {
            uint32_t node = j->collectives->nodes[(size_t)c * j->joined->count + r];
            *tp_id_map_find_or_add(&j->collective_of, first_node_of(j, r) + node) = c;
        }
}

/* Sets the members of the joined graph from those that were collected. */
static void finish_graph(struct joining *j)
{
    struct tp_graph_build *build = &j->build;
    struct tp_replay_graph *graph = build->graph;
    *(struct tp_replay_node *)tp_vec_push(&build->nodes) = (struct tp_replay_node){
        .event = TP_NO_ID, .first_edge = (uint32_t)build->edges.count, .first_part = (uint32_t)build->parts.count};
    graph->nodes = build->nodes.data;
    graph->node_count = (uint32_t)build->nodes.count - 1;
    graph->edges = build->edges.data;
    graph->edge_count = (uint32_t)build->edges.count;
    graph->parts = build->parts.data;
    graph->part_count = (uint32_t)build->parts.count;
    graph->long_ns = build->long_ns.data;
    graph->labels = build->labels.data;
    graph->label_count = (uint32_t)build->labels.count;
    tp_replay_graph_sort(graph, build->arena);
}

/* Makes the joined graph. What only the steps and the counts need is that of the first rank. */
static void join(const struct tp_joined_ranks *joined, const struct tp_joined_collectives *collectives,
                 struct tp_replay_graph *graph, struct tp_arena *arena)
{
    struct joining j = {.build = {.graph = graph, .arena = arena}, .joined = joined, .collectives = collectives};
    *graph = joined->graphs[0];
    graph->order_count = graph->wake_count = graph->waiting_count = 0;
    j.build.nodes = TP_VEC(arena, struct tp_replay_node);
    j.build.edges = TP_VEC(arena, struct tp_replay_edge);
    j.build.parts = TP_VEC(arena, struct tp_replay_part);
    j.build.labels = TP_VEC(arena, struct tp_replay_label);
    j.build.long_ns = TP_VEC(arena, int64_t);
    tp_id_map_init(&graph->inserted, arena);
    tp_id_map_init(&graph->long_parts, arena);
    place_ranks(&j);
    map_collectives(&j);
    for (j.rank = 0; j.rank < joined->count; j.rank++) {
        add_labels(&j);
        for (uint32_t n = 0; n < joined->graphs[j.rank].node_count; n++)
            add_node(&j, n, tp_id_map_get(&j.collective_of, first_node_of(&j, j.rank) + n));
    }
    for (uint32_t c = 0; c < collectives->count; c++)
        for (j.rank = 0; j.rank < joined->count; j.rank++)
            add_arrive_node(&j, c);
    finish_graph(&j);
}

/* Gives back what changes of a rank do not need. */
static void free_edges_and_parts(struct tp_replay_graph *graph, struct tp_arena *arena)
{
    tp_arena_free_item(arena, graph->edges, graph->edge_count * sizeof *graph->edges);
    tp_arena_free_item(arena, graph->parts, graph->part_count * sizeof *graph->parts);
    tp_arena_free_item(arena, graph->order, graph->node_count * sizeof *graph->order);
    graph->edges = NULL;
    graph->parts = NULL;
    graph->order = NULL;
    graph->edge_count = graph->part_count = graph->order_count = 0;
}

bool tp_joined_graph_build(struct tp_joined_ranks *joined, struct tp_replay_graph *graph,
                           const struct tp_rank_model *ranks, uint32_t count, struct tp_arena *arena)
{
    struct tp_joined_collectives collectives;
    *joined = (struct tp_joined_ranks){.ranks = ranks, .count = count};
    joined->graphs = tp_arena_array(arena, count, sizeof *joined->graphs);
    for (uint32_t r = 0; r < count; r++)
        if (!tp_replay_graph_build(&joined->graphs[r], ranks[r].model, arena))
            return false;
    tp_joined_collectives_find(&collectives, joined->graphs, count, arena);
    joined->is_matched = collectives.is_matched;
    *graph = joined->graphs[0];
    if (!joined->is_matched)
        return true;
    joined->collective_count = collectives.count;
    join(joined, &collectives, graph, arena);
    for (uint32_t r = 0; r < count; r++)
        free_edges_and_parts(&joined->graphs[r], arena);
    return true;
}
