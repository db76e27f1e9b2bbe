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
    int64_t low;                         /* start of the window */
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

/* The last step of a path: it reaches the end of a node, or only its start if the edge to it was from start. */
struct position {
    uint32_t node; /* TP_NO_ID: the path has ended */
    bool has_run;  /* true if the path contains the parts of the node */
    int64_t t;     /* time that the path has reached */
};

/* Follows the edge that decided the start of the current node. */
static inline void follow_edge(struct path *path, struct position *at)
{
    bool is_measured = path->replay->lanes[path->lane].is_measured;
    struct tp_binding edge = is_measured ? tp_measured_binding(path->graph, at->node)
                                         : tp_what_if_binding(path->replay, path->lane, at->node);
    if (edge.source != TP_NO_ID)
        at->t = follow_latency(path, at->node, &edge, follow_residual(path, at->node, &edge, at->t));
    at->has_run = !edge.from_start;
    at->node = edge.source;
}

/* Adds the parts of the current node, and follows the edge that decided its start. */
static inline void follow_step(struct path *path, struct position *at)
{
    if (at->has_run)
        at->t = follow_node(path, at->node, at->t);
    follow_edge(path, at);
}

/* Prepares the path of a lane. Returns its position at the end of the window. */
static struct position begin_path(struct path *path, const struct tp_what_if_replay *replay, uint32_t lane_index,
                                  struct tp_path_sums *sums, struct tp_arena *arena)
{
    const struct tp_replay_lane *lane = &replay->lanes[lane_index];
    struct tp_vec window = TP_VEC(arena, struct tp_interval);
    struct tp_interval last = {INT64_MIN, INT64_MIN};
    *path = (struct path){.replay = replay,
                          .graph = replay->frame->graph,
                          .change = lane->change,
                          .sums = sums,
                          .lane = lane_index,
                          .low = INT64_MAX,
                          .arena = arena};
    for (uint32_t i = 0; i < lane->step_count; i++) {
        struct tp_interval step = lane->steps[i];
        if (step.a > last.a || (step.a == last.a && step.b > last.b))
            last = step;
        path->low = tp_ns_min(path->low, step.a);
        tp_intervals_push(&window, step.a, step.b);
    }
    path->window = tp_intervals_from_vec(&window);
    path->at = path->window.count;
    return (struct position){lane->step_count ? lane->last_node : TP_NO_ID, true, last.b};
}

/* Adds the time before the path, and sums the groups of kinds. begin: time at which the path begins. */
static void finish_path(struct path *path, int64_t begin)
{
    if (begin > path->low)
        add_stretch(path, &(struct stretch){path->low, begin, TP_NO_ID, TP_PATH_OUTSIDE, NULL},
                    (struct tp_path_name){TP_NAME_OUTSIDE, 0});
    for (unsigned kind = 0; kind < TP_PATH_KINDS; kind++) {
        int64_t *group = &path->sums->group_ns[tp_path_group_of((enum tp_path_kind)kind)];
        *group = tp_sat_add(*group, path->sums->kind_ns[kind]);
    }
}

void tp_critical_path(const struct tp_what_if_replay *replay, uint32_t lane, struct tp_path_sums *sums,
                      struct tp_path_details *details, struct tp_arena *keep, struct tp_arena *arena)
{
    struct path path;
    struct position at = begin_path(&path, replay, lane, sums, arena);
    if (!replay->lanes[lane].step_count)
        return;
    if (details)
        path.collector = tp_path_collector_make(path.graph, path.window, keep, arena);
    while (at.node != TP_NO_ID && at.t > path.low)
        follow_step(&path, &at);
    finish_path(&path, at.t);
    if (details)
        tp_path_collector_finish(path.collector, details);
}

/* ---- the sums of many lanes ----
 *
 * The paths of most lanes visit the same nodes. So lanes at the same node go together, and add times that are equal for
 * all of them only once. */

enum { MOST_TOGETHER = 64 /* bits of a mask of lanes */ };

/* Lanes whose paths are followed together. Bit i of a mask is lane first + i. */
struct together {
    const struct tp_what_if_replay *replay;
    const struct tp_replay_graph *graph;
    uint32_t first, count;
    struct path paths[MOST_TOGETHER];
    struct position at[MOST_TOGETHER];
    uint64_t special;         /* lanes whose changes depend on the node */
    unsigned prompt;          /* reasons of edges whose latency a lane drops */
    uint64_t *lanes_of_label; /* for each label: lanes whose change gives it another factor */
    bool has_slower;          /* true if a factor is larger than 1 */
    bool is_kept;             /* true if all lanes have residuals */
    /* the lanes that go together now */
    uint64_t lanes;
    int64_t slack_ns;           /* more than this time later, a lane may leave its interval of the window */
    int64_t passed_ns;          /* time since the lanes go together */
    struct tp_path_sums passed; /* sums of this time, without group_ns */
};

/* Returns the measured time of a lane's position; INT64_MIN if its path has ended. */
static int64_t measured_time(struct together *all, unsigned i)
{
    struct position *at = &all->at[i];
    if (at->t <= all->paths[i].low)
        at->node = TP_NO_ID;
    return at->node == TP_NO_ID ? INT64_MIN : all->graph->nodes[at->node].start_ns;
}

/* Returns the time for which a lane stays in its interval of the window, ns; -1 if it is in none. */
static int64_t slack_of(struct path *path, int64_t t)
{
    while (path->at && path->window.items[path->at - 1].a >= t)
        path->at--;
    return path->at && path->window.items[path->at - 1].b >= t ? t - path->window.items[path->at - 1].a : -1;
}

/* Chooses the lanes with the latest position. Returns false if all paths have ended. */
static bool choose_lanes(struct together *all)
{
    int64_t latest = INT64_MIN;
    unsigned leader = 0;
    for (unsigned i = 0; i < all->count; i++) {
        int64_t time = measured_time(all, i);
        if (time > latest) {
            latest = time;
            leader = i;
        }
    }
    all->lanes = 0;
    all->passed_ns = 0;
    all->slack_ns = INT64_MAX;
    memset(&all->passed, 0, sizeof all->passed);
    for (unsigned i = 0; i < all->count && latest != INT64_MIN; i++)
        if (all->at[i].node == all->at[leader].node && all->at[i].has_run == all->at[leader].has_run) {
            all->lanes |= UINT64_C(1) << i;
            all->slack_ns = tp_ns_min(all->slack_ns, slack_of(&all->paths[i], all->at[i].t));
        }
    return latest != INT64_MIN;
}

/* Gives each lane its position and the sums of the time that the lanes went together. */
static void part_lanes(struct together *all, struct position at)
{
    for (uint64_t rest = all->lanes; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctzll(rest);
        struct tp_path_sums *sums = all->paths[i].sums;
        all->at[i] = (struct position){at.node, at.has_run, all->at[i].t - all->passed_ns};
        sums->inferred_ns += all->passed.inferred_ns;
        for (unsigned kind = 0; kind < TP_PATH_KINDS; kind++)
            sums->kind_ns[kind] += all->passed.kind_ns[kind];
    }
}

/* Adds a time that is equal for all lanes. Returns false if a lane may leave its interval of the window. */
static inline bool pass(struct together *all, enum tp_path_kind kind, int64_t ns, bool is_inferred)
{
    if (ns < 0 || ns >= all->slack_ns)
        return false;
    all->slack_ns -= ns;
    all->passed_ns += ns;
    all->passed.kind_ns[kind] += ns;
    all->passed.inferred_ns += is_inferred ? ns : 0;
    return true;
}

/* Corrects the sum of a kind for the lanes in which the parts with a label take another time. */
static void correct_lanes(struct together *all, uint64_t lanes, uint32_t label, int64_t ns)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(lanes);
        int64_t less = ns - tp_fraction_of(ns, all->paths[i].change->of_label[label]);
        all->paths[i].sums->kind_ns[all->graph->labels[label].kind] -= less;
        all->at[i].t += less;
    }
}

/* Adds the parts of a node. Returns false, and adds nothing, if the lanes cannot do this together. */
static inline bool pass_node(struct together *all, uint32_t node)
{
    const struct tp_replay_graph *graph = all->graph;
    uint32_t first = graph->nodes[node].first_part, last = graph->nodes[node + 1].first_part;
    for (uint64_t rest = all->lanes & all->special; rest; rest &= rest - 1)
        if (tp_change_is_special(all->paths[__builtin_ctzll(rest)].change, node))
            return false;
    if (tp_node_duration(graph, node) >= all->slack_ns)
        return false;
    for (uint32_t p = first; p < last && all->has_slower; p++)
        if (all->lanes_of_label[graph->parts[p].label] & all->lanes)
            return false;
    for (uint32_t p = first; p < last; p++) {
        uint32_t label = graph->parts[p].label;
        int64_t ns = tp_part_ns(graph, p);
        pass(all, (enum tp_path_kind)graph->labels[label].kind, ns, false);
        if (all->lanes_of_label[label] & all->lanes)
            correct_lanes(all, all->lanes_of_label[label] & all->lanes, label, ns);
    }
    return true;
}

/* Finds the edge that decided the start of a node in all lanes. Returns false if lanes have different edges. */
static inline bool find_common_edge(const struct together *all, uint32_t node, struct tp_binding *edge)
{
    const struct tp_replay_node *n = &all->graph->nodes[node];
    uint32_t bytes = all->replay->binding_bytes;
    *edge = (struct tp_binding){NULL, tp_node_previous(all->graph, node), TP_EDGE_PROGRAM, false, false};
    for (uint32_t k = n[1].first_edge; k-- > n->first_edge;) {
        const uint8_t *row = all->replay->bindings + (size_t)k * bytes + all->first / 8;
        uint64_t delayed = 0;
        for (unsigned b = 0; b * 8 < all->count; b++)
            delayed |= (uint64_t)row[b] << 8 * b;
        delayed &= all->lanes;
        if (!delayed)
            continue;
        const struct tp_replay_edge *e = &all->graph->edges[k];
        *edge = (struct tp_binding){e, e->source, (enum tp_edge_reason)e->reason, e->from_start, e->is_inferred};
        return delayed == all->lanes;
    }
    return true;
}

/* Follows an edge. Returns false, and follows nothing, if the lanes cannot do this together. */
static inline bool pass_edge(struct together *all, uint32_t node, const struct tp_binding *edge)
{
    int64_t residual = edge->edge ? edge->edge->residual_ns : tp_node_program_residual(all->graph, node);
    int64_t latency = edge->edge ? edge->edge->latency_ns : 0;
    bool is_plain = edge->reason != TP_EDGE_LAUNCH && edge->reason != TP_EDGE_FOLLOWS;
    if (!all->is_kept || residual < 0 || latency < 0 || tp_sat_add(residual, latency) >= all->slack_ns)
        return false;
    if (latency && (!is_plain || all->prompt >> edge->reason & 1))
        return false;
    pass(all, TP_PATH_UNEXPLAINED, residual, edge->is_inferred);
    pass(all, TP_PATH_LATENCY, latency, edge->is_inferred);
    return true;
}

/* Follows the paths of the chosen lanes until they are at different nodes. */
static void follow_lanes(struct together *all)
{
    struct position at = all->at[__builtin_ctzll(all->lanes)];
    struct tp_binding edge;
    bool goes = true, has_edge = true;
    while (goes) {
        goes = !at.has_run || pass_node(all, at.node);
        if (!goes)
            break;
        at.has_run = false; /* the parts are added */
        goes = find_common_edge(all, at.node, &edge) && (has_edge = edge.source != TP_NO_ID) &&
               pass_edge(all, at.node, &edge);
        if (goes)
            at = (struct position){edge.source, !edge.from_start, 0};
    }
    if (!has_edge)
        at.node = TP_NO_ID;
    part_lanes(all, at);
    for (uint64_t rest = all->lanes; rest && has_edge; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctzll(rest);
        follow_step(&all->paths[i], &all->at[i]);
    }
}

/* Finds for each label the lanes that have another factor, and which lanes have changes that depend on the node. */
static void find_differences(struct together *all, struct tp_arena *arena)
{
    all->lanes_of_label = tp_arena_array(arena, (size_t)all->graph->label_count + 1, sizeof *all->lanes_of_label);
    all->is_kept = true;
    for (unsigned i = 0; i < all->count; i++) {
        const struct tp_what_if_change *change = all->paths[i].change;
        uint64_t bit = UINT64_C(1) << i;
        all->special |= change->of_node || change->without_wait || change->more_ns || change->fixes.fixes ? bit : 0;
        all->prompt |= change->prompt;
        all->is_kept &= all->replay->lanes[all->first + i].mode != TP_REPLAY_BARE;
        for (uint32_t label = 0; label < all->graph->label_count && change->of_label; label++) {
            all->lanes_of_label[label] |= change->of_label[label].num != change->of_label[label].den ? bit : 0;
            all->has_slower |= change->of_label[label].num > change->of_label[label].den;
        }
    }
}

void tp_critical_path_sums(const struct tp_what_if_replay *replay, struct tp_path_sums *sums, struct tp_arena *arena)
{
    struct together *all = tp_arena_alloc(arena, sizeof *all);
    for (uint32_t first = 0; first < replay->path_count; first += MOST_TOGETHER) {
        uint32_t rest = replay->path_count - first;
        *all = (struct together){.replay = replay, .graph = replay->frame->graph, .first = first};
        all->count = rest < MOST_TOGETHER ? rest : MOST_TOGETHER;
        for (unsigned i = 0; i < all->count; i++)
            all->at[i] = begin_path(&all->paths[i], replay, first + i, &sums[first + i], arena);
        find_differences(all, arena);
        while (choose_lanes(all))
            follow_lanes(all);
        for (unsigned i = 0; i < all->count; i++)
            finish_path(&all->paths[i], all->at[i].t);
    }
}

enum tp_path_group tp_path_limit(const struct tp_path_sums *sums)
{
    enum tp_path_group best = TP_GROUP_HOST;
    for (unsigned group = 1; group < TP_GROUPS; group++)
        if (sums->group_ns[group] > sums->group_ns[best])
            best = (enum tp_path_group)group;
    return best;
}
