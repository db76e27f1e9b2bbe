/* Computes the second ends of ranges of answers: whole calls of an operator, and kernels without communication next to
 * them. */
#include "webreport/what_if/change_more.h"

#include "webreport/model/numbers.h"
#include "webreport/model/stack_walk.h"
#include "webreport/what_if/lane_walk.h"
#include "writer/base/keys.h"
#include "writer/base/stats.h"

/* ---- whole calls of operators ---- */

/* Python code between operators. */
struct gap {
    uint32_t node;
    int64_t ns;
};

struct more_walk {
    const struct tp_replay_graph *graph;
    const uint64_t *bits; /* bits of each name: one bit for each operator of the question */
    int64_t **more_ns;
    struct tp_vec gaps; /* Python code since the last operator; elements: struct gap */
    uint64_t last_bits; /* bits of the last outermost operator */
};

static void add_more(const struct more_walk *walk, uint64_t bits, uint32_t node, int64_t ns)
{
    for (; bits; bits &= bits - 1) {
        int64_t *more = &walk->more_ns[__builtin_ctzll(bits)][node];
        *more = tp_sat_add(*more, ns);
    }
}

static void visit_segment(void *context, const struct tp_stack_segment *segment)
{
    struct more_walk *walk = context;
    const struct tp_event *events = walk->graph->model->trace->events;
    const struct tp_event *work = segment->work == TP_NO_ID ? NULL : &events[segment->work];
    enum tp_node_kind kind = walk->graph->nodes[segment->tag].kind;
    int64_t ns = segment->b - segment->a;
    bool is_input = segment->loader != TP_NO_ID && kind != TP_NODE_WAIT && kind != TP_NODE_LAUNCH;
    bool is_operator = work && work->kind == TP_KIND_OPERATOR;
    bool is_call = work && work->kind == TP_KIND_RUNTIME && kind != TP_NODE_WAIT;
    if (segment->outermost == TP_NO_ID) {
        if (!work && !is_input)
            *(struct gap *)tp_vec_push(&walk->gaps) = (struct gap){segment->tag, ns};
        return;
    }
    uint64_t outer = walk->bits[events[segment->outermost].name];
    for (size_t i = 0; i < walk->gaps.count && (outer | walk->last_bits); i++) {
        const struct gap *gap = TP_AT(&walk->gaps, struct gap, i);
        add_more(walk, outer | walk->last_bits, gap->node, gap->ns);
    }
    walk->gaps.count = 0;
    walk->last_bits = outer;
    bool is_collective = is_operator && walk->graph->model->marks[work->name] & TP_MARK_COLLECTIVE;
    if (!is_input && is_operator && !is_collective)
        add_more(walk, segment->bits & ~walk->bits[work->name], segment->tag, ns);
    else if (!is_input && is_call)
        add_more(walk, segment->bits, segment->tag, ns);
}

void tp_operator_more(const struct tp_replay_graph *graph, const uint32_t *names, unsigned count, int64_t **more_ns,
                      struct tp_arena *arena)
{
    const struct tp_trace *trace = graph->model->trace;
    uint64_t *bits = tp_arena_array(arena, trace->names.count, sizeof *bits);
    /* one block for all operators, because each large block takes whole huge pages */
    int64_t *all = tp_arena_array(arena, (size_t)graph->first_device * count, sizeof *all);
    for (unsigned i = 0; i < count; i++) {
        more_ns[i] = all + (size_t)graph->first_device * i;
        bits[names[i]] |= UINT64_C(1) << i;
    }
    struct more_walk more = {.graph = graph, .bits = bits, .more_ns = more_ns, .gaps = TP_VEC(arena, struct gap)};
    struct tp_stack_walk walk = {.model = graph->model, .arena = arena, .bits_of_name = bits};
    for (uint32_t t = 0; t < trace->thread_count && count; t++) {
        if (graph->lanes[t].first == graph->lanes[t].end)
            continue;
        more.gaps.count = 0;
        more.last_bits = 0;
        tp_graph_walk_lane(&walk, graph->nodes, t, graph->lanes[t], &(struct tp_lane_visit){visit_segment, &more});
    }
    tp_arena_free_item(arena, bits, trace->names.count * sizeof *bits);
}

void tp_change_whole_call(struct tp_what_if_change *out, const struct tp_what_if_change *change,
                          const struct tp_replay_graph *graph, int64_t *more_ns)
{
    *out = *change;
    out->more_ns = more_ns;
    out->more_count = graph->first_device;
}

/* ---- kernels without communication next to them ---- */

/* The same kernel with the same grid and block on the same device, from this number of samples on, shows its length. */
enum { ENOUGH_SAMPLES = 5 };

static struct tp_intervals find_communication(const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_vec times = TP_VEC(arena, struct tp_interval);
    for (uint32_t g = 0; g < model->gpu_count; g++)
        tp_intervals_append(&times, model->gpus[g].communication);
    return tp_intervals_from_vec(&times);
}

/* Numbers the distinct kernels (device, name, grid, block). groups: for each operation its number, or TP_NO_ID if it is
 * no kernel that computes. Returns the count. */
static uint32_t group_kernels(const struct tp_replay_graph *graph, uint32_t *groups, struct tp_arena *arena)
{
    const struct tp_model *model = graph->model;
    struct tp_keys keys;
    tp_keys_init(&keys, arena, 4);
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        const struct tp_device_setup *setup = tp_device_setup(model->trace, e->detail);
        const uint32_t key[] = {model->devices.gpu[k], e->name, setup->grid, setup->block};
        groups[k] = graph->nodes[graph->first_device + k].kind == TP_NODE_COMPUTE ? tp_keys_add(&keys, key) : TP_NO_ID;
    }
    uint32_t count = keys.count;
    tp_keys_release(&keys);
    return count;
}

void tp_change_uncontended(struct tp_what_if_change *out, const struct tp_what_if_change *change,
                           const struct tp_replay_graph *graph, struct tp_arena *arena)
{
    const struct tp_model *model = graph->model;
    struct tp_intervals communication = find_communication(model, arena);
    uint32_t *groups = tp_arena_array(arena, model->devices.count, sizeof *groups);
    uint32_t group_count = group_kernels(graph, groups, arena),
             *end = tp_arena_array(arena, group_count + 1, sizeof *end);
    bool *is_touched = tp_arena_array(arena, model->devices.count, sizeof *is_touched);
    int64_t *lengths = tp_arena_array(arena, model->devices.count, sizeof *lengths);
    int64_t *alone = tp_arena_array(arena, group_count, sizeof *alone);
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        is_touched[k] =
            groups[k] != TP_NO_ID && tp_intervals_length_within(communication, e->ts_ns, tp_event_end(e)) > 0;
        if (groups[k] != TP_NO_ID && !is_touched[k])
            end[groups[k] + 1]++;
    }
    for (uint32_t g = 0; g < group_count; g++)
        end[g + 1] += end[g];
    for (uint32_t k = 0; k < model->devices.count; k++)
        if (groups[k] != TP_NO_ID && !is_touched[k])
            lengths[end[groups[k]]++] = tp_device_event(model, k)->dur_ns;
    for (uint32_t g = 0; g < group_count; g++) {
        uint32_t first = g ? end[g - 1] : 0;
        alone[g] = end[g] - first >= ENOUGH_SAMPLES ? tp_lower_median(lengths + first, end[g] - first) : -1;
    }
    *out = *change;
    out->of_node = tp_arena_array(arena, graph->node_count, sizeof *out->of_node);
    for (uint32_t k = 0; k < model->devices.count; k++) {
        int64_t length = tp_device_event(model, k)->dur_ns;
        if (is_touched[k] && alone[groups[k]] >= 0)
            out->of_node[graph->first_device + k] =
                (struct tp_fraction){length < alone[groups[k]] ? length : alone[groups[k]], length > 1 ? length : 1};
    }
}
