/* Finds the critical path by following the edges that decided each start, from the end of the window to its start: see
 * critical_path.h. */
#include "webreport/what_if/critical_path.h"

#include "webreport/model/numbers.h"
#include "webreport/what_if/change_duration.h"
#include "webreport/what_if/measured_lane.h"
#include "webreport/what_if/path_details.h"
#include "writer/base/sort.h"

/* State while a path is followed. */
struct path {
    const struct tp_what_if_replay *replay;
    const struct tp_replay_graph *graph;
    const struct tp_what_if_change *change;
    struct tp_arena *arena;
    struct tp_path_sums *sums;
    struct tp_path_collector *collector; /* NULL: only sums are wanted */
    struct tp_intervals window;          /* union of the replayed steps */
    size_t at;                           /* number of intervals of the window that may overlap further spans */
    uint32_t lane;
};

/* A span before it is added: [start, end) of one kind. edge: the edge whose time this is; NULL for work of the node. */
struct stretch {
    int64_t start, end;
    uint32_t node;
    enum tp_path_kind kind;
    const struct tp_binding *edge;
};

/* Adds a span in the window. */
static void add_inside(struct path *path, const struct stretch *stretch, int64_t a, int64_t b, struct tp_path_name name)
{
    path->sums->kind_ns[stretch->kind] = tp_sat_add(path->sums->kind_ns[stretch->kind], tp_sat_sub(b, a));
    if (stretch->edge && stretch->edge->is_inferred)
        path->sums->inferred_ns = tp_sat_add(path->sums->inferred_ns, tp_sat_sub(b, a));
    if (!path->collector)
        return;
    struct tp_path_span span = {.start_ns = a, .end_ns = b, .node = stretch->node, .kind = (uint8_t)stretch->kind};
    if (stretch->edge) {
        span.is_edge = true;
        span.reason = (uint8_t)stretch->edge->reason;
        span.is_inferred = stretch->edge->is_inferred;
    }
    tp_path_collect(path->collector, &span, name);
}

/* Adds the part of a span that is in the window. Spans come in descending order of time. */
static void add_stretch(struct path *path, const struct stretch *stretch, struct tp_path_name name)
{
    int64_t a = stretch->start, b = stretch->end;
    while (path->at && path->window.items[path->at - 1].a >= b)
        path->at--;
    for (size_t i = path->at; i > 0 && path->window.items[i - 1].b > a && a < b; i--) {
        int64_t from = tp_ns_max(a, path->window.items[i - 1].a), to = tp_ns_min(b, path->window.items[i - 1].b);
        if (from < to)
            add_inside(path, stretch, from, to, name);
    }
}

/* Compares two parts by descending rank of their labels. */
static int compare_parts(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_replay_graph *graph = context;
    uint32_t a = graph->labels[graph->parts[x].label].rank, b = graph->labels[graph->parts[y].label].rank;
    return a > b ? -1 : a < b;
}

static int64_t add_part(struct path *path, uint32_t node, uint32_t part, int64_t end)
{
    const struct tp_replay_graph *graph = path->graph;
    uint32_t label = graph->parts[part].label;
    int64_t start = tp_sat_sub(end, tp_change_part_ns(path->change, graph, node, part));
    enum tp_path_kind kind = (enum tp_path_kind)graph->labels[label].kind;
    add_stretch(path, &(struct stretch){start, end, node, kind, NULL}, (struct tp_path_name){TP_NAME_LABEL, label});
    return start;
}

/* Adds the parts of a node that ends at `end`. Returns the start of the node. The order of the parts matters only for a
 * node that is partly outside of the window. */
static int64_t add_parts(struct path *path, uint32_t node, int64_t end)
{
    const struct tp_replay_graph *graph = path->graph;
    uint32_t first = graph->nodes[node].first_part, last = graph->nodes[node + 1].first_part;
    bool may_fit = path->at && path->window.items[path->at - 1].b >= end;
    int64_t low = path->at ? path->window.items[path->at - 1].a : 0, start = end;
    for (uint32_t p = first; p < last && may_fit && last - first > 1; p++)
        start = tp_sat_sub(start, tp_change_part_ns(path->change, graph, node, p));
    if ((may_fit && start >= low) || last - first < 2) {
        for (uint32_t p = first; p < last; p++)
            end = add_part(path, node, p, end);
        return end;
    }
    uint32_t *sorted = tp_arena_array(path->arena, last - first, sizeof *sorted);
    for (uint32_t p = first; p < last; p++)
        sorted[p - first] = p;
    tp_sort_rows(sorted, last - first, compare_parts, graph, path->arena);
    for (uint32_t p = 0; p < last - first; p++)
        end = add_part(path, node, sorted[p], end);
    tp_arena_free_item(path->arena, sorted, (last - first) * sizeof *sorted);
    return end;
}

/* Returns the label of the longest part of a node; of equal parts the last by kind and name. TP_NO_ID: no parts. */
static uint32_t longest_label(const struct tp_replay_graph *graph, uint32_t node)
{
    uint32_t best = TP_NO_ID;
    for (uint32_t p = graph->nodes[node].first_part; p < graph->nodes[node + 1].first_part; p++) {
        int64_t more = best == TP_NO_ID ? 1 : tp_part_ns(graph, p) - tp_part_ns(graph, best);
        if (more > 0 ||
            (!more && graph->labels[graph->parts[p].label].rank > graph->labels[graph->parts[best].label].rank))
            best = p;
    }
    return best == TP_NO_ID ? TP_NO_ID : graph->parts[best].label;
}

/* Adds the latency [a, b) of an edge. The latency of a launch inside of its call is work of the call. A thread that
 * follows the reference thread does so inside of the node that it follows. */
static void add_latency(struct path *path, uint32_t node, const struct tp_binding *edge, int64_t a, int64_t b)
{
    const struct tp_replay_graph *graph = path->graph;
    struct stretch stretch = {a, b, node, TP_PATH_LATENCY, edge};
    struct tp_path_name name = {TP_NAME_REASON, edge->reason};
    uint32_t followed = edge->reason == TP_EDGE_FOLLOWS ? longest_label(graph, edge->source) : TP_NO_ID;
    uint32_t event = graph->nodes[edge->source].event;
    if (followed != TP_NO_ID) {
        stretch.kind = (enum tp_path_kind)graph->labels[followed].kind;
        name = (struct tp_path_name){TP_NAME_LABEL, followed};
    } else if (edge->reason == TP_EDGE_LAUNCH && event != TP_NO_ID) {
        int64_t returned = tp_sat_add(a, tp_change_node_ns(path->change, graph, edge->source));
        stretch.start = tp_ns_min(b, returned);
        add_stretch(path, &stretch, name);
        stretch.end = stretch.start;
        stretch.start = a;
        stretch.kind = TP_PATH_LAUNCH;
        name = (struct tp_path_name){TP_NAME_EVENT, edge->source};
    }
    add_stretch(path, &stretch, name);
}

/* Returns the residual of an edge in a lane with or without residuals, ns. */
static inline int64_t residual_of(const struct path *path, uint32_t node, const struct tp_binding *edge)
{
    bool is_bare = path->replay->lanes[path->lane].mode == TP_REPLAY_BARE && node != path->replay->frame->first_node;
    return is_bare ? 0 : edge->edge ? edge->edge->residual_ns : tp_node_program_residual(path->graph, node);
}

/* ---- nodes and latencies: without details, nearly all only add to a sum ---- */

/* Returns whether [a, b) only adds to a sum: no details are wanted, and it is inside of the interval of the window that
 * the path has reached. */
static inline bool is_only_sum(const struct path *path, int64_t a, int64_t b)
{
    const struct tp_interval *within = path->at ? &path->window.items[path->at - 1] : NULL;
    return !path->collector && within && within->a <= a && a <= b && b <= within->b;
}

/* Adds the parts of a node that ends at `end`. Returns the start of the node. */
static inline int64_t follow_node(struct path *path, uint32_t node, int64_t end)
{
    const struct tp_replay_graph *graph = path->graph;
    uint32_t first = graph->nodes[node].first_part, last = graph->nodes[node + 1].first_part;
    if (last - first != 1)
        return add_parts(path, node, end);
    int64_t start = tp_sat_sub(end, tp_change_part_ns(path->change, graph, node, first));
    unsigned kind = graph->labels[graph->parts[first].label].kind;
    if (!is_only_sum(path, start, end))
        return add_parts(path, node, end);
    path->sums->kind_ns[kind] += end - start;
    return start;
}

/* Adds the residual of an edge before `end`. Returns the time at which it begins. */
static inline int64_t follow_residual(struct path *path, uint32_t node, const struct tp_binding *edge, int64_t end)
{
    int64_t residual = residual_of(path, node, edge), start = tp_sat_sub(end, residual);
    enum tp_path_kind kind = residual > 0 ? TP_PATH_UNEXPLAINED : TP_PATH_LATENCY;
    if (!residual)
        return end;
    if (is_only_sum(path, start, end)) {
        path->sums->kind_ns[kind] += residual;
        path->sums->inferred_ns += edge->is_inferred ? residual : 0;
    } else {
        add_stretch(path, &(struct stretch){start, end, node, kind, edge}, (struct tp_path_name){TP_NAME_BEFORE, node});
    }
    return start;
}

/* Adds the latency of an edge before `end`. Returns the time from which the latency counts. */
static inline int64_t follow_latency(struct path *path, uint32_t node, const struct tp_binding *edge, int64_t end)
{
    int64_t latency = edge->edge ? tp_change_latency(path->change, edge->edge) : 0, start = tp_sat_sub(end, latency);
    if (!latency)
        return end;
    if (edge->reason == TP_EDGE_STREAM && is_only_sum(path, start, end)) {
        path->sums->kind_ns[TP_PATH_LATENCY] += latency;
        path->sums->inferred_ns += edge->is_inferred ? latency : 0;
    } else {
        add_latency(path, node, edge, start, end);
    }
    return start;
}

/* ---- the path ---- */

/* Follows the path from a node that ends at `end` to the time `low`. Returns the time at which the path begins. */
static int64_t follow(struct path *path, uint32_t node, int64_t end, int64_t low)
{
    bool is_measured = path->replay->lanes[path->lane].is_measured;
    int64_t t = end;
    for (bool has_run = true; node != TP_NO_ID && t > low;) {
        if (has_run)
            t = follow_node(path, node, t);
        struct tp_binding edge =
            is_measured ? tp_measured_binding(path->graph, node) : tp_what_if_binding(path->replay, path->lane, node);
        if (edge.source == TP_NO_ID)
            break;
        t = follow_latency(path, node, &edge, follow_residual(path, node, &edge, t));
        has_run = !edge.from_start;
        node = edge.source;
    }
    return t;
}

void tp_critical_path(const struct tp_what_if_replay *replay, uint32_t lane_index, struct tp_path_sums *sums,
                      struct tp_path_details *details, struct tp_arena *arena)
{
    const struct tp_replay_lane *lane = &replay->lanes[lane_index];
    struct path path = {.replay = replay,
                        .graph = replay->frame->graph,
                        .change = lane->change,
                        .sums = sums,
                        .lane = lane_index,
                        .arena = arena};
    struct tp_vec window = TP_VEC(arena, struct tp_interval);
    struct tp_interval last = {INT64_MIN, INT64_MIN};
    int64_t low = INT64_MAX;
    if (!lane->step_count)
        return;
    for (uint32_t i = 0; i < lane->step_count; i++) {
        struct tp_interval step = lane->steps[i];
        low = tp_ns_min(low, step.a);
        if (step.a > last.a || (step.a == last.a && step.b > last.b))
            last = step;
        tp_intervals_push(&window, step.a, step.b);
    }
    path.window = tp_intervals_from_vec(&window);
    path.at = path.window.count;
    if (details)
        path.collector = tp_path_collector_make(path.graph, path.window, arena);
    int64_t begin = follow(&path, lane->last_node, last.b, low);
    if (begin > low)
        add_stretch(&path, &(struct stretch){low, begin, TP_NO_ID, TP_PATH_OUTSIDE, NULL},
                    (struct tp_path_name){TP_NAME_OUTSIDE, 0});
    for (unsigned kind = 0; kind < TP_PATH_KINDS; kind++) {
        int64_t *group = &sums->group_ns[tp_path_group_of((enum tp_path_kind)kind)];
        *group = tp_sat_add(*group, sums->kind_ns[kind]);
    }
    if (details)
        tp_path_collector_finish(path.collector, details);
}

enum tp_path_group tp_path_limit(const struct tp_path_sums *sums)
{
    enum tp_path_group best = TP_GROUP_HOST;
    for (unsigned group = 1; group < TP_GROUPS; group++)
        if (sums->group_ns[group] > sums->group_ns[best])
            best = (enum tp_path_group)group;
    return best;
}
