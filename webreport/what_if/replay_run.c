/* Replays a graph for many lanes in one pass: see replay_run.h.
 *
 * Times are doubles, in nanoseconds from the start of the trace, so that the compiler can compute several lanes with
 * one instruction. They are exact for recordings of up to 104 days. The times of a node are kept only until its last
 * target was placed, so that the pass needs little memory. */
#include "webreport/what_if/replay_run.h"

#include <limits.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "webreport/model/numbers.h"
#include "webreport/what_if/change_duration.h"
#include "webreport/what_if/replay_steps.h"

/* Rows that are computed together: more would not fit into the cache of a processor. */
enum { MOST_BLOCKS = 8 };

/* ---- memory of node times ---- */

/* Sets for each node the position in the order after which no node needs its times. */
static void find_last_uses(struct tp_pass *p)
{
    const struct tp_replay_graph *graph = p->graph;
    for (uint32_t i = 0; i < graph->order_count; i++) {
        uint32_t n = graph->order[i], previous = tp_node_previous(graph, n);
        p->last_use[n] = i;
        if (previous != TP_NO_ID)
            p->last_use[previous] = i;
        for (uint32_t k = graph->nodes[n].first_edge; k < graph->nodes[n + 1].first_edge; k++)
            p->last_use[graph->edges[k].source] = i;
    }
}

static void free_slot(struct tp_pass *p, uint32_t node, uint32_t at)
{
    if (node == TP_NO_ID || p->last_use[node] != at)
        return;
    *(uint32_t *)tp_vec_push(&p->free_slots) = p->slot_of[node];
    p->last_use[node] = TP_NO_ID; /* a node with two edges from this source frees the slot once */
}

/* Gives each node a slot for its times. A slot is used again after the last target of its node. */
static void assign_slots(struct tp_pass *p)
{
    const struct tp_replay_graph *graph = p->graph;
    for (uint32_t i = 0; i < graph->order_count; i++) {
        uint32_t n = graph->order[i];
        if (!p->free_slots.count)
            *(uint32_t *)tp_vec_push(&p->free_slots) = p->slot_count++;
        p->slot_of[n] = *TP_AT(&p->free_slots, uint32_t, --p->free_slots.count);
        free_slot(p, tp_node_previous(graph, n), i);
        for (uint32_t k = graph->nodes[n].first_edge; k < graph->nodes[n + 1].first_edge; k++)
            free_slot(p, graph->edges[k].source, i);
        free_slot(p, n, i);
    }
}

/* ---- lanes ---- */

/* Returns the kinds of nodes to which a change may give another duration than their labels, or without edges of waits,
 * as bits 1 << enum tp_node_kind. */
static unsigned special_kinds(const struct tp_what_if_change *change, const struct tp_replay_graph *graph)
{
    const unsigned devices = 1u << TP_NODE_COMPUTE | 1u << TP_NODE_COMMUNICATION | 1u << TP_NODE_COPY;
    const unsigned all = (1u << TP_NODE_KINDS) - 1;
    const unsigned with_more = change->more_count > graph->first_device ? all : all & ~devices;
    return (change->of_node ? all : 0) | (change->more_ns ? with_more : 0) |
           (change->without_wait ? 1u << TP_NODE_WAIT | 1u << TP_NODE_WAKE : 0);
}

/* Sets what is different from lane to lane: which edges and residuals a lane keeps. */
static void set_lanes(struct tp_pass *p)
{
    for (uint32_t i = 0; i < p->lane_count; i++) {
        const struct tp_replay_lane *lane = &p->replay->lanes[p->first_lane + i];
        unsigned dropped = lane->change->dropped | (lane->mode == TP_REPLAY_PACED ? 0 : 1u << TP_EDGE_ARRIVAL);
        unsigned kinds = special_kinds(lane->change, p->graph);
        for (unsigned reason = 0; reason < TP_EDGE_REASONS; reason++) {
            tp_rows_set(p->allows[reason], i, dropped >> reason & 1 ? TP_NEVER : 0);
            p->drops |= dropped & 1u << reason;
        }
        p->drops |= lane->change->prompt & 1u << TP_EDGE_LAUNCH;
        tp_rows_set(p->keeps, i, lane->mode == TP_REPLAY_BARE ? 0 : 1);
        tp_rows_set(p->waits_for_launch, i, lane->change->prompt >> TP_EDGE_LAUNCH & 1 ? 0 : 1);
        for (unsigned kind = 0; kind < TP_NODE_KINDS; kind++)
            if (kinds >> kind & 1)
                p->specials[kind][p->special_count[kind]++] = i;
        if (lane->change->fixes.fixes) {
            p->fixes = lane->change->fixes.fixes;
            p->fixed[p->fixed_count++] = i;
        }
    }
}

/* Lists for each label the lanes whose change gives it another factor. */
static void list_factors(struct tp_pass *p)
{
    const struct tp_replay_graph *graph = p->graph;
    struct tp_vec factors = TP_VEC(p->arena, struct tp_lane_factor);
    for (uint32_t label = 0; label < graph->label_count; label++) {
        p->first_factor[label] = (uint32_t)factors.count;
        for (uint32_t i = 0; i < p->lane_count; i++) {
            const struct tp_what_if_change *change = p->replay->lanes[p->first_lane + i].change;
            struct tp_fraction f = change->of_label ? change->of_label[label] : (struct tp_fraction){1, 1};
            if (f.num != f.den)
                *(struct tp_lane_factor *)tp_vec_push(&factors) = (struct tp_lane_factor){f, i};
        }
    }
    p->first_factor[graph->label_count] = (uint32_t)factors.count;
    p->factors = factors.data;
}

/* ---- placing nodes ---- */

/* Returns a time as a distance from the start of the trace. */
static double relative(const struct tp_pass *p, int64_t ns)
{
    return (double)tp_sat_sub(ns, p->base_ns);
}

/* Returns the fixes that change a node: bits 1 << index of a fix. */
static uint64_t fixes_of_node(const struct tp_pass *p, uint32_t node)
{
    uint64_t fixes = 0;
    for (uint32_t i = p->fixes ? p->fixes->first_of_node[node] : 0; i; i = p->fixes->nodes[i - 1].next)
        fixes |= UINT64_C(1) << p->fixes->nodes[i - 1].fix;
    return fixes;
}

static inline tp_pair *pairs_of(struct tp_row *row)
{
    return (tp_pair *)row;
}

static inline const tp_pair *const_pairs_of(const struct tp_row *row)
{
    return (const tp_pair *)row;
}

/* Sets the ends of a node in all lanes: its start plus its duration. */
static void set_ends(struct tp_pass *p, uint32_t node, const struct tp_row *start, struct tp_row *end)
{
    const struct tp_replay_graph *graph = p->graph;
    const struct tp_replay_node *n = &graph->nodes[node];
    double total = (double)tp_node_duration(graph, node);
    for (uint32_t b = 0; b < p->blocks; b++)
#pragma GCC unroll 4
        for (unsigned i = 0; i < TP_PAIRS; i++)
            pairs_of(&end[b])[i] = const_pairs_of(&start[b])[i] + total;
    for (uint32_t i = n->first_part; i < n[1].first_part; i++) {
        uint32_t label = graph->parts[i].label;
        int64_t whole = tp_part_ns(graph, i);
        for (uint32_t k = p->first_factor[label]; k < p->first_factor[label + 1]; k++)
            tp_rows_values(end)[p->factors[k].lane] -= (double)(whole - tp_fraction_of(whole, p->factors[k].factor));
    }
    for (uint32_t i = 0; i < p->special_count[n->kind]; i++) {
        uint32_t lane = p->specials[n->kind][i];
        const struct tp_what_if_change *change = p->replay->lanes[p->first_lane + lane].change;
        if (tp_change_is_special(change, node))
            tp_rows_set(end, lane, tp_rows_get(start, lane) + (double)tp_change_node_ns(change, graph, node));
    }
    uint64_t fixes = fixes_of_node(p, node);
    for (uint32_t i = 0; fixes && i < p->fixed_count; i++) {
        uint32_t lane = p->fixed[i];
        const struct tp_what_if_change *change = p->replay->lanes[p->first_lane + lane].change;
        if (change->fixes.chosen & fixes)
            tp_rows_set(end, lane, tp_rows_get(start, lane) + (double)tp_change_node_ns(change, graph, node));
    }
}

/* Returns bit i if value i of a mask is set. */
static inline unsigned bits_of_mask(tp_pair_mask mask)
{
#ifdef __SSE2__
    return (unsigned)_mm_movemask_pd((__m128d)mask);
#else
    return (unsigned)(mask[0] & 1) | (unsigned)(mask[1] & 2);
#endif
}

/* Starts a node not before the start that an edge from a node with the times `from` allows. latency, residual: ns.
 * bindings: receives a bit for each path lane that the edge delays. */
static inline void delay_start(const struct tp_pass *p, struct tp_row *start, const struct tp_row *from, double latency,
                               double residual, uint8_t *bindings)
{
    for (uint32_t b = 0; b < p->blocks; b++) {
        const tp_pair *source = const_pairs_of(&from[b]), *keeps = const_pairs_of(&p->keeps[b]);
        tp_pair *target = pairs_of(&start[b]);
        unsigned bits = 0;
#pragma GCC unroll 4
        for (unsigned i = 0; i < TP_PAIRS; i++) {
            tp_pair at = source[i] + latency + residual * keeps[i], old = target[i];
            tp_pair_mask is_later = at > old;
            target[i] = (tp_pair)(((tp_pair_mask)at & is_later) | ((tp_pair_mask)old & ~is_later));
            bits |= bits_of_mask(is_later) << 2 * i;
        }
        if (b * TP_BLOCK < p->path_count)
            bindings[b] = (uint8_t)bits;
    }
}

/* Does the same for an edge that some lanes drop, or whose latency they drop. */
static void delay_start_by_lane(const struct tp_pass *p, uint32_t node, const struct tp_replay_edge *e,
                                struct tp_row *start, const struct tp_row *from, uint8_t *bindings)
{
    const struct tp_row *keeps = node == p->frame->first_node ? p->ones : p->keeps;
    const struct tp_row *waits = e->reason == TP_EDGE_LAUNCH ? p->waits_for_launch : p->ones;
    unsigned kind = p->graph->nodes[node].kind;
    double latency = (double)e->latency_ns, residual = (double)e->residual_ns;
    for (uint32_t b = 0; b < p->blocks; b++)
        for (unsigned i = 0; i < TP_BLOCK; i++)
            p->at[b].v[i] =
                from[b].v[i] + latency * waits[b].v[i] + residual * keeps[b].v[i] + p->allows[e->reason][b].v[i];
    for (uint32_t i = 0; e->reason == TP_EDGE_WAIT && i < p->special_count[kind]; i++) {
        uint32_t lane = p->specials[kind][i];
        const struct tp_what_if_change *change = p->replay->lanes[p->first_lane + lane].change;
        if (change->without_wait && change->without_wait[node])
            tp_rows_set(p->at, lane, TP_NEVER);
    }
    uint64_t fixes = e->reason == TP_EDGE_WAIT ? fixes_of_node(p, node) : 0;
    for (uint32_t i = 0; fixes && i < p->fixed_count; i++)
        if (tp_fix_part_of_node(&p->replay->lanes[p->first_lane + p->fixed[i]].change->fixes, node) == TP_FIX_WHOLE)
            tp_rows_set(p->at, p->fixed[i], TP_NEVER);
    delay_start(p, start, p->at, 0, 0, bindings);
}

/* Sets the start of a node before its edges of the array are applied. */
static void begin_start(struct tp_pass *p, uint32_t node, struct tp_row *start)
{
    uint32_t previous = tp_node_previous(p->graph, node);
    const struct tp_replay_node *n = &p->graph->nodes[node];
    bool is_anchored = n->flags & TP_NODE_ANCHORED, has_edge = n[1].first_edge > n->first_edge;
    if (previous == TP_NO_ID) {
        double at = is_anchored || !has_edge ? relative(p, n->start_ns) : TP_NEVER;
        for (uint32_t i = 0; i < p->blocks * TP_BLOCK; i++)
            tp_rows_values(start)[i] = at;
        return;
    }
    const struct tp_row *end = p->ends + (size_t)p->slot_of[previous] * p->blocks;
    double residual = (double)tp_node_program_residual(p->graph, node);
    for (uint32_t b = 0; b < p->blocks; b++)
#pragma GCC unroll 4
        for (unsigned i = 0; i < TP_PAIRS; i++)
            pairs_of(&start[b])[i] = const_pairs_of(&end[b])[i] + residual * const_pairs_of(&p->keeps[b])[i];
}

static void place_node(struct tp_pass *p, uint32_t node)
{
    const struct tp_replay_graph *graph = p->graph;
    const struct tp_replay_node *n = &graph->nodes[node];
    struct tp_row *start = p->starts + (size_t)p->slot_of[node] * p->blocks;
    struct tp_row *end = p->ends + (size_t)p->slot_of[node] * p->blocks;
    unsigned by_lane = node == p->frame->first_node ? UINT_MAX
                       : p->special_count[n->kind] || (p->fixes && p->fixes->first_of_node[node])
                           ? p->drops | 1u << TP_EDGE_WAIT
                           : p->drops;
    begin_start(p, node, start);
    for (uint32_t k = n->first_edge; k < n[1].first_edge; k++) {
        const struct tp_replay_edge *e = &graph->edges[k];
        const struct tp_row *from = (e->from_start ? p->starts : p->ends) + (size_t)p->slot_of[e->source] * p->blocks;
        uint8_t *bindings = p->replay->bindings + (size_t)k * p->replay->binding_bytes + p->first_lane / TP_BLOCK;
        if (by_lane >> e->reason & 1)
            delay_start_by_lane(p, node, e, start, from, bindings);
        else
            delay_start(p, start, from, (double)e->latency_ns, (double)e->residual_ns, bindings);
    }
    set_ends(p, node, start, end);
    if (p->first_lane == 0)
        p->replay->wrong_nodes += start->v[0] != relative(p, n->start_ns) || end->v[0] != relative(p, n->end_ns);
    tp_pass_note_times(p, node, start, end);
}

/* ---- the pass ---- */

static struct tp_row *make_rows(const struct tp_pass *p, size_t count, double value)
{
    struct tp_row *rows = tp_arena_array(p->arena, count * p->blocks, sizeof *rows);
    for (size_t i = 0; value != 0 && i < count * p->blocks * TP_BLOCK; i++)
        tp_rows_values(rows)[i] = value;
    return rows;
}

static void run_lanes(struct tp_pass *p)
{
    const struct tp_replay_graph *graph = p->graph;
    p->starts = make_rows(p, p->slot_count, 0);
    p->ends = make_rows(p, p->slot_count, 0);
    p->at = make_rows(p, 1, 0);
    p->ones = make_rows(p, 1, 1);
    p->keeps = make_rows(p, 1, 1);
    p->waits_for_launch = make_rows(p, 1, 1);
    for (unsigned reason = 0; reason < TP_EDGE_REASONS; reason++)
        p->allows[reason] = make_rows(p, 1, 0);
    p->first_factor = tp_arena_array(p->arena, (size_t)graph->label_count + 1, sizeof *p->first_factor);
    p->fixed = tp_arena_array(p->arena, p->lane_count, sizeof *p->fixed);
    p->fixed_count = p->drops = 0;
    for (unsigned kind = 0; kind < TP_NODE_KINDS; kind++) {
        p->specials[kind] = tp_arena_array(p->arena, p->lane_count, sizeof *p->specials[kind]);
        p->special_count[kind] = 0;
    }
    set_lanes(p);
    list_factors(p);
    tp_pass_prepare_steps(p);
    for (uint32_t i = 0; i < graph->order_count; i++)
        place_node(p, graph->order[i]);
    tp_pass_finish_steps(p);
    tp_arena_free_item(p->arena, p->starts, (size_t)p->slot_count * p->blocks * sizeof *p->starts);
    tp_arena_free_item(p->arena, p->ends, (size_t)p->slot_count * p->blocks * sizeof *p->ends);
}

void tp_what_if_replay_run(struct tp_what_if_replay *replay, struct tp_arena *arena)
{
    const struct tp_replay_graph *graph = replay->frame->graph;
    struct tp_pass p = {.replay = replay,
                        .frame = replay->frame,
                        .graph = graph,
                        .arena = arena,
                        .base_ns = graph->model->first_ns,
                        .free_slots = TP_VEC(arena, uint32_t)};
    p.slot_of = tp_arena_array(arena, graph->node_count, sizeof *p.slot_of);
    p.last_use = tp_arena_array(arena, graph->node_count, sizeof *p.last_use);
    find_last_uses(&p);
    assign_slots(&p);
    tp_arena_free_item(arena, p.last_use, graph->node_count * sizeof *p.last_use);
    replay->binding_bytes = (replay->path_count + TP_BLOCK - 1) / TP_BLOCK;
    replay->bindings = tp_arena_array(arena, graph->edge_count + 1, replay->binding_bytes);
    /* with many live nodes, few lanes at a time */
    size_t live = (size_t)p.slot_count + 2 * (size_t)graph->model->step_count + 64;
    size_t most = TP_MAX_REPLAY_BYTES / (live * 2 * sizeof(struct tp_row));
    size_t step = (most < 1 ? 1 : most > MOST_BLOCKS ? MOST_BLOCKS : most) * TP_BLOCK;
    for (p.first_lane = 0; p.first_lane < replay->lane_count; p.first_lane += (uint32_t)step) {
        uint32_t rest = replay->lane_count - p.first_lane;
        p.lane_count = rest < step ? rest : (uint32_t)step;
        p.blocks = (p.lane_count + TP_BLOCK - 1) / TP_BLOCK;
        uint32_t paths = replay->path_count > p.first_lane ? replay->path_count - p.first_lane : 0;
        p.path_count = paths < p.lane_count ? paths : p.lane_count;
        run_lanes(&p);
    }
    tp_arena_free_item(arena, p.slot_of, graph->node_count * sizeof *p.slot_of);
}

void tp_replay_release(struct tp_what_if_replay *replay, struct tp_arena *arena)
{
    tp_arena_free_item(arena, replay->bindings, (replay->frame->graph->edge_count + 1) * replay->binding_bytes);
    replay->bindings = NULL;
}
