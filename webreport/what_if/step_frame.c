/* Finds the nodes of the host at which the analysed steps begin and end. */
#include "webreport/what_if/step_frame.h"

#include "webreport/model/numbers.h"

/* Returns the number of nodes of the reference thread that start before `at`. */
static uint32_t count_before(const struct tp_replay_graph *graph, int64_t at)
{
    uint32_t lo = 0, hi = graph->reference_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (graph->nodes[graph->reference_nodes[mid]].start_ns < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static const struct tp_replay_node *reference_node(const struct tp_replay_graph *graph, uint32_t i)
{
    return &graph->nodes[graph->reference_nodes[i]];
}

/* Returns whether node i of the reference thread is the end of a call at the time `at`. */
static bool is_end_of_call(const struct tp_replay_graph *graph, uint32_t i, int64_t at)
{
    const struct tp_replay_node *n = i < graph->reference_count ? reference_node(graph, i) : NULL;
    return n && n->start_ns == at && (n->kind == TP_NODE_WAKE || n->kind == TP_NODE_ARRIVAL);
}

static struct tp_step_point begin_at(const struct tp_replay_graph *graph, int64_t at)
{
    uint32_t i = count_before(graph, at);
    while (is_end_of_call(graph, i, at))
        i++;
    if (i >= graph->reference_count || reference_node(graph, i)->start_ns != at)
        i -= i > 0;
    return (struct tp_step_point){graph->reference_nodes[i], false, tp_sat_sub(at, reference_node(graph, i)->start_ns)};
}

static struct tp_step_point end_at(const struct tp_replay_graph *graph, int64_t at)
{
    uint32_t i = count_before(graph, at);
    while (is_end_of_call(graph, i, at))
        i++;
    i -= i > 0;
    return (struct tp_step_point){graph->reference_nodes[i], true, tp_sat_sub(at, reference_node(graph, i)->end_ns)};
}

/* Finds whether steps launched operations, and when the first operation of the first step started. */
static void find_operations(struct tp_step_frame *frame)
{
    const struct tp_model *model = frame->graph->model;
    for (uint32_t k = 0; k < model->devices.count && model->launches.step; k++) {
        uint32_t launch = model->devices.launch[k], step = launch == TP_NO_ID ? TP_NO_ID : model->launches.step[launch];
        if (step >= model->step_count)
            continue;
        frame->has_operations = true;
        if (step == 0 && frame->first_start_ns == INT64_MIN)
            frame->first_start_ns = tp_device_event(model, k)->ts_ns; /* operations are sorted by start */
    }
}

void tp_step_frame_build(struct tp_step_frame *frame, const struct tp_replay_graph *graph, struct tp_arena *arena)
{
    const struct tp_model *model = graph->model;
    *frame = (struct tp_step_frame){.graph = graph, .first_node = TP_NO_ID, .first_start_ns = INT64_MIN};
    if (model->step_marker == TP_MARKER_WINDOW) {
        bool has_devices = model->devices.count > 0;
        frame->begins_on_host = has_devices && graph->main_first != TP_NO_ID && model->step_count &&
                                model->steps[0].start_ns < tp_device_event(model, 0)->ts_ns;
        if (has_devices && !frame->begins_on_host)
            frame->first_node = graph->first_device;
        return;
    }
    find_operations(frame);
    if (!graph->reference_count)
        return;
    frame->begins = tp_arena_array(arena, model->step_count, sizeof *frame->begins);
    frame->ends = tp_arena_array(arena, model->step_count, sizeof *frame->ends);
    for (uint32_t s = 0; s < model->step_count; s++) {
        frame->begins[s] = begin_at(graph, model->steps[s].host_start_ns);
        frame->ends[s] = end_at(graph, model->steps[s].host_end_ns);
    }
}
