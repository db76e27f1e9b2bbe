/* Fits the latency of each edge from the starts that nothing else explains, and sets the residual of each node: the
 * time by which the node started later than its edges explain. */
#include <stdio.h>

#include "webreport/what_if/graph_stages.h"
#include "writer/base/saturate.h"
#include "writer/base/stats.h"

/* Kinds of typical latencies. */
enum fit { FIT_LAUNCH, FIT_STREAM, FIT_WAKE, FIT_NONE };

static const char *const fit_texts[] = {"launch", "stream", "wake"};

/* Key of the wakes after a wait for the queue, which belong to no name of a call. */
#define QUEUE_KEY (UINT32_MAX - 1)

/* A distance between a node and its source that no other edge explains. */
struct sample {
    int64_t ns;
    uint32_t group;
};

struct fitting {
    struct tp_graph_build *build;
    struct tp_id_map groups; /* (kind of latency, name or device): group */
    struct tp_vec keys;      /* key of each group; elements: uint64_t */
    struct tp_vec samples;   /* elements: struct sample */
    int64_t *typical_ns;     /* for each group */
    /* group that was found last for each kind, and its key; most neighbours have equal keys */
    uint64_t last_key[FIT_NONE];
    uint32_t last_group[FIT_NONE];
};

static struct tp_replay_edge *edges_of(const struct fitting *fitting, uint32_t node, uint32_t *count)
{
    const struct tp_replay_graph *graph = fitting->build->graph;
    *count = graph->nodes[node + 1].first_edge - graph->nodes[node].first_edge;
    return graph->edges + graph->nodes[node].first_edge;
}

/* Returns the kind of latency of an edge into `node`, with its key; FIT_NONE if its latency is the measured distance.
 */
static enum fit fit_of_edge(const struct fitting *fitting, uint32_t node, const struct tp_replay_edge *edge,
                            uint32_t *key)
{
    const struct tp_replay_graph *graph = fitting->build->graph;
    const struct tp_model *model = fitting->build->model;
    const struct tp_replay_node *n = &graph->nodes[node];
    switch (edge->reason) {
    case TP_EDGE_LAUNCH:
        *key = tp_graph_launch_event(fitting->build, node - graph->first_device)->name;
        return edge->is_inferred ? FIT_NONE : FIT_LAUNCH;
    case TP_EDGE_STREAM:
    case TP_EDGE_EVENT:
        *key = model->devices.gpu[node - graph->first_device];
        return edge->from_start ? FIT_NONE : FIT_STREAM;
    case TP_EDGE_WAIT:
        *key = model->trace->events[n->event].name;
        return FIT_WAKE;
    case TP_EDGE_QUEUE:
        *key = QUEUE_KEY;
        return FIT_WAKE;
    default:
        return FIT_NONE;
    }
}

static void add_sample(struct fitting *fitting, enum fit kind, uint32_t key, int64_t ns)
{
    uint64_t whole = tp_id_pair(kind, key);
    if (fitting->last_key[kind] != whole) {
        uint32_t *group = tp_id_map_find_or_add(&fitting->groups, whole);
        if (*group == TP_NO_ID) {
            *group = (uint32_t)fitting->keys.count;
            *(uint64_t *)tp_vec_push(&fitting->keys) = whole;
        }
        fitting->last_key[kind] = whole;
        fitting->last_group[kind] = *group;
    }
    *(struct sample *)tp_vec_push(&fitting->samples) = (struct sample){ns, fitting->last_group[kind]};
}

/* Adds what the edges from its launch and its stream show about an operation. */
static void sample_operation(struct fitting *fitting, uint32_t node)
{
    const struct tp_replay_graph *graph = fitting->build->graph;
    int64_t start = graph->nodes[node].start_ns, latest = INT64_MIN;
    uint32_t count, key;
    const struct tp_replay_edge *edges = edges_of(fitting, node, &count), *launch = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (edges[i].reason == TP_EDGE_LAUNCH && !launch)
            launch = &edges[i];
        if (fit_of_edge(fitting, node, &edges[i], &key) == FIT_STREAM && tp_edge_from(graph, &edges[i]) > latest)
            latest = tp_edge_from(graph, &edges[i]);
    }
    int64_t launched = launch ? tp_edge_from(graph, launch) + launch->latency_ns : 0;
    if (launch && !launch->is_inferred && latest <= launched) {
        fit_of_edge(fitting, node, launch, &key);
        add_sample(fitting, FIT_LAUNCH, key, tp_sat_sub(start, launched));
        return;
    }
    if (launch && graph->nodes[launch->source].end_ns > latest)
        return;
    for (uint32_t i = 0; i < count; i++)
        if (fit_of_edge(fitting, node, &edges[i], &key) == FIT_STREAM && tp_edge_from(graph, &edges[i]) == latest)
            add_sample(fitting, FIT_STREAM, key, tp_sat_sub(start, latest));
}

/* Adds the time from the end of the last operation that a call waited for to the end of the call. */
static void sample_wake(struct fitting *fitting, uint32_t node)
{
    const struct tp_replay_graph *graph = fitting->build->graph;
    int64_t late = INT64_MIN;
    uint32_t count, key = 0, first = 0;
    const struct tp_replay_edge *edges = edges_of(fitting, node, &count);
    uint32_t previous = tp_node_previous(graph, node);
    for (uint32_t i = count; i-- > 0;)
        if (fit_of_edge(fitting, node, &edges[i], &key) == FIT_WAKE) {
            first = key;
            late = tp_edge_from(graph, &edges[i]) > late ? tp_edge_from(graph, &edges[i]) : late;
        }
    if (previous != TP_NO_ID && late > graph->nodes[previous].end_ns)
        add_sample(fitting, FIT_WAKE, first, tp_sat_sub(graph->nodes[node].start_ns, late));
}

static struct tp_str name_of_group(const struct fitting *fitting, uint64_t key)
{
    const struct tp_model *model = fitting->build->model;
    uint32_t id = (uint32_t)key;
    if (key >> 32 == FIT_STREAM) {
        char digits[24];
        int n = snprintf(digits, sizeof digits, "%lld", (long long)model->gpus[id].id);
        return (struct tp_str){tp_arena_copy(fitting->build->arena, digits, (size_t)n), (size_t)n};
    }
    return id == QUEUE_KEY ? TP_STR("queue") : tp_strings_get(&model->trace->names, id);
}

/* The typical latency of a group is the lower median of its samples, between 0 and TP_LATENCY_CAP_NS. */
static void find_typicals(struct fitting *fitting)
{
    struct tp_arena *arena = fitting->build->arena;
    size_t groups = fitting->keys.count, count = fitting->samples.count;
    uint32_t *end = tp_arena_array(arena, groups + 1, sizeof *end);
    int64_t *values = tp_arena_array(arena, count, sizeof *values);
    fitting->typical_ns = tp_arena_array(arena, groups, sizeof *fitting->typical_ns);
    for (size_t i = 0; i < count; i++)
        end[TP_AT(&fitting->samples, struct sample, i)->group + 1]++;
    for (size_t g = 0; g < groups; g++)
        end[g + 1] += end[g];
    for (size_t i = 0; i < count; i++) {
        const struct sample *sample = TP_AT(&fitting->samples, struct sample, i);
        values[end[sample->group]++] = sample->ns;
    }
    for (size_t g = 0; g < groups; g++) {
        size_t first = g ? end[g - 1] : 0;
        int64_t ns = tp_lower_median(values + first, end[g] - first);
        fitting->typical_ns[g] = ns < 0 ? 0 : ns > TP_LATENCY_CAP_NS ? TP_LATENCY_CAP_NS : ns;
        uint64_t key = *TP_AT(&fitting->keys, uint64_t, g);
        *(struct tp_typical_latency *)tp_vec_push(&fitting->build->typicals) =
            (struct tp_typical_latency){fit_texts[key >> 32], name_of_group(fitting, key), fitting->typical_ns[g]};
    }
    tp_arena_free_item(arena, values, count * sizeof *values);
    tp_arena_free_item(arena, fitting->samples.data, fitting->samples.capacity * sizeof(struct sample));
}

/* A latency is at most the measured distance, so that no edge makes its target later than it was. */
static void set_latencies(struct fitting *fitting, uint32_t node)
{
    const struct tp_replay_graph *graph = fitting->build->graph;
    uint32_t count, key;
    struct tp_replay_edge *edges = edges_of(fitting, node, &count);
    for (uint32_t i = 0; i < count; i++) {
        enum fit kind = fit_of_edge(fitting, node, &edges[i], &key);
        if (kind == FIT_NONE)
            continue;
        if (fitting->last_key[kind] != tp_id_pair(kind, key)) {
            fitting->last_key[kind] = tp_id_pair(kind, key);
            fitting->last_group[kind] = tp_id_map_get(&fitting->groups, fitting->last_key[kind]);
        }
        uint32_t group = fitting->last_group[kind];
        int64_t typical = group == TP_NO_ID ? 0 : fitting->typical_ns[group];
        int64_t distance = tp_sat_sub(graph->nodes[node].start_ns, tp_edge_from(graph, &edges[i]));
        int64_t latency = tp_sat_add(edges[i].latency_ns, typical);
        latency = latency < distance ? latency : distance;
        int64_t least = distance < 0 ? distance : 0;
        edges[i].latency_ns = latency > least ? latency : least;
    }
}

/* Returns the first of the edges that allow the latest start. NULL if this is the edge from the previous node of the
 * thread, or if there is no edge. */
static struct tp_replay_edge *binding_edge(const struct tp_replay_graph *graph, uint32_t node)
{
    struct tp_replay_edge *best = NULL;
    uint32_t previous = tp_node_previous(graph, node);
    bool is_any = previous != TP_NO_ID;
    int64_t latest = is_any ? graph->nodes[previous].end_ns : INT64_MIN;
    for (uint32_t i = graph->nodes[node].first_edge; i < graph->nodes[node + 1].first_edge; i++) {
        int64_t at = tp_sat_add(tp_edge_from(graph, &graph->edges[i]), graph->edges[i].latency_ns);
        if (!is_any || at > latest) {
            is_any = true;
            best = &graph->edges[i];
            latest = at;
        }
    }
    return best;
}

/* What a copy call does after its copy is its own work: the edge from the copy lasts until the call returns. Returns
 * false if the node is not the end of such a call. */
static bool extends_own_copy(const struct fitting *fitting, uint32_t node, struct tp_replay_edge *edges, uint32_t count)
{
    const struct tp_replay_graph *graph = fitting->build->graph;
    const struct tp_replay_node *n = &graph->nodes[node];
    if (n->kind != TP_NODE_WAKE || !(n->flags & TP_NODE_HAS_OPERATIONS))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (edges[i].reason == TP_EDGE_WAIT) {
            edges[i].latency_ns = tp_sat_sub(n->start_ns, tp_edge_from(graph, &edges[i]));
            return true;
        }
    return false;
}

static void set_residual(const struct fitting *fitting, uint32_t node)
{
    const struct tp_replay_graph *graph = fitting->build->graph;
    const struct tp_replay_node *n = &graph->nodes[node];
    uint32_t count;
    struct tp_replay_edge *edges = edges_of(fitting, node, &count), *best = binding_edge(graph, node);
    if (n->flags & TP_NODE_ANCHORED)
        return;
    if (!best) {
        uint32_t previous = tp_node_previous(graph, node);
        bool is_late = previous != TP_NO_ID && n->start_ns != graph->nodes[previous].end_ns;
        if (previous != TP_NO_ID && !(is_late && extends_own_copy(fitting, node, edges, count)))
            graph->nodes[node].flags |= TP_NODE_FOLLOWS_PREVIOUS;
        return;
    }
    int64_t at = tp_edge_from(graph, best);
    best->residual_ns = tp_sat_sub(tp_sat_sub(n->start_ns, at), best->latency_ns);
    if (best->reason == TP_EDGE_LAUNCH &&
        n->start_ns <= tp_event_end(tp_graph_launch_event(fitting->build, node - graph->first_device))) {
        /* the call still worked: it staged data or loaded code */
        best->latency_ns = tp_sat_add(best->latency_ns, best->residual_ns);
        best->residual_ns = 0;
    }
    if (best->residual_ns && extends_own_copy(fitting, node, edges, count))
        best->residual_ns = 0;
}

void tp_graph_fit_latencies(struct tp_graph_build *build)
{
    const struct tp_replay_graph *graph = build->graph;
    struct fitting fitting = {
        .build = build, .keys = TP_VEC(build->arena, uint64_t), .samples = TP_VEC(build->arena, struct sample)};
    tp_id_map_init(&fitting.groups, build->arena);
    memset(fitting.last_key, 0xFF, sizeof fitting.last_key);
    for (uint32_t node = 0; node < graph->node_count; node++) {
        if (tp_node_is_device(&graph->nodes[node]))
            sample_operation(&fitting, node);
        else if (graph->nodes[node].kind == TP_NODE_WAKE)
            sample_wake(&fitting, node);
    }
    find_typicals(&fitting);
    memset(fitting.last_key, 0xFF, sizeof fitting.last_key);
    for (uint32_t node = 0; node < graph->node_count; node++) {
        set_latencies(&fitting, node);
        set_residual(&fitting, node);
    }
}
