/* Divides the duration of each node of a thread into parts, by the events that were open at each moment. */
#include "webreport/what_if/host_parts.h"

#include "webreport/what_if/graph_add.h"
#include "webreport/what_if/graph_stages.h"
#include "webreport/what_if/lane_walk.h"

/* State while the stacks of one thread are visited. */
struct filling {
    struct tp_graph_build *build;
    uint32_t node; /* node whose parts are added */
};

/* Returns the label of a text for time outside of operators. Equal texts have one label. */
static uint32_t label_of_text(struct tp_graph_build *build, struct tp_str text)
{
    for (uint64_t hash = tp_hash_bytes(text.ptr, text.len);; hash++) {
        uint32_t *label = tp_id_map_find_or_add(&build->label_of_name[TP_PATH_PYTHON], hash);
        if (*label == TP_NO_ID)
            return *label = tp_graph_add_label(build, TP_PATH_PYTHON, text);
        if (tp_str_equal(TP_AT(&build->labels, struct tp_replay_label, *label)->name, text))
            return *label;
    }
}

static uint32_t label_of_fold(struct tp_graph_build *build, struct tp_fold fold)
{
    uint32_t *label = tp_id_map_find_or_add(&build->label_of_fold, tp_id_pair(fold.kind, fold.text));
    if (*label == TP_NO_ID)
        *label = label_of_text(build, tp_fold_text(build->model, fold));
    return *label;
}

/* Returns the label of a segment: the loader around it, or else the innermost call, collective or operator, or else the
 * line of code. */
static uint32_t label_of_segment(struct tp_graph_build *build, const struct tp_stack_segment *segment,
                                 enum tp_node_kind kind)
{
    const struct tp_event *events = build->model->trace->events;
    if (segment->loader != TP_NO_ID && kind != TP_NODE_WAIT && kind != TP_NODE_LAUNCH)
        return tp_graph_label_of_name(build, TP_PATH_INPUT, events[segment->loader].name);
    if (segment->work == TP_NO_ID)
        return label_of_fold(build, segment->fold);
    const struct tp_event *work = &events[segment->work];
    uint64_t marks = build->model->marks[work->name];
    enum tp_path_kind path = TP_PATH_OPERATOR;
    if (work->kind == TP_KIND_RUNTIME)
        path = kind == TP_NODE_WAIT ? TP_PATH_WAIT : marks & TP_MARK_DEVICE_CALL ? TP_PATH_LAUNCH : TP_PATH_CALL;
    else if (marks & TP_MARK_COLLECTIVE)
        path = TP_PATH_COMMUNICATION;
    return tp_graph_label_of_name(build, path, work->name);
}

/* Adds time to the sum of a label in the current node. */
static void add_time(struct tp_graph_build *build, uint32_t label, int64_t ns)
{
    if (ns <= 0)
        return;
    while (build->part_slots.count <= label)
        *(uint32_t *)tp_vec_push(&build->part_slots) = TP_NO_ID;
    uint32_t *slot = TP_AT(&build->part_slots, uint32_t, label);
    if (*slot >= build->sums.count || TP_AT(&build->sums, struct tp_part_sum, *slot)->label != label) {
        *slot = (uint32_t)build->sums.count;
        *(struct tp_part_sum *)tp_vec_push(&build->sums) = (struct tp_part_sum){0, label};
    }
    TP_AT(&build->sums, struct tp_part_sum, *slot)->ns += ns;
}

/* Stores the parts of the current node, and continues with the node `next`. */
static void finish_node(struct filling *filling, uint32_t next)
{
    struct tp_graph_build *build = filling->build;
    for (size_t i = 0; i < build->sums.count; i++) {
        const struct tp_part_sum *sum = TP_AT(&build->sums, struct tp_part_sum, i);
        tp_graph_add_part(build, sum->label, sum->ns);
    }
    build->sums.count = 0;
    while (filling->node < next)
        tp_graph_node(build, ++filling->node)->first_part = (uint32_t)build->parts.count;
}

static void visit_segment(void *context, const struct tp_stack_segment *segment)
{
    struct filling *filling = context;
    struct tp_graph_build *build = filling->build;
    if (filling->node != segment->tag)
        finish_node(filling, segment->tag);
    int64_t ns = segment->b - segment->a;
    uint32_t label = label_of_segment(build, segment, tp_graph_node(build, filling->node)->kind);
    if (build->collectives.count && TP_AT(&build->labels, struct tp_replay_label, label)->kind == TP_PATH_PYTHON) {
        int64_t inside = tp_intervals_length_within(build->collectives, segment->a, segment->b);
        if (inside) {
            uint32_t *other = tp_id_map_find_or_add(&build->label_of_name[TP_PATH_COMMUNICATION], UINT64_MAX);
            if (*other == TP_NO_ID)
                *other = tp_graph_add_label(build, TP_PATH_COMMUNICATION, TP_STR("[collective of another thread]"));
            add_time(build, *other, inside);
        }
        ns -= inside;
    }
    add_time(build, label, ns);
}

/* Finds the times in which any thread runs a collective, for a program without devices. Other time of a thread that
 * runs a collective itself already has another label. */
void tp_graph_find_collectives(struct tp_graph_build *build)
{
    const struct tp_model *model = build->model;
    struct tp_vec times = TP_VEC(build->arena, struct tp_interval);
    for (uint32_t i = 0; model->program == TP_RECORDED_CPU && i < model->order->host_count; i++) {
        const struct tp_event *e = &model->trace->events[model->order->host[i]];
        if (model->marks[e->name] & TP_MARK_COLLECTIVE)
            tp_intervals_push(&times, e->ts_ns, tp_event_end(e));
    }
    build->collectives = tp_intervals_from_vec(&times);
}

void tp_graph_fill_parts(struct tp_graph_build *build, uint32_t thread)
{
    struct tp_graph_lane lane = build->graph->lanes[thread];
    struct filling filling = {build, lane.first};
    if (lane.first == lane.end)
        return;
    tp_graph_node(build, lane.first)->first_part = (uint32_t)build->parts.count;
    tp_graph_walk_lane(&build->walk, build->nodes.data, thread, lane, &(struct tp_lane_visit){visit_segment, &filling});
    finish_node(&filling, lane.end - 1);
}
