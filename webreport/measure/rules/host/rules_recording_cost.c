/* Finds the cost of recording in a program without a device. Rules judge the program without this cost.
 *
 * Recording slows frames and operators, and slows operators with shapes even more. A loop of very short operators would
 * therefore look too expensive. Recording also moves tensors to new pages (new_pages.h), and slows one version of
 * Python. 93 recordings were compared with the same program without recording. The median recording took 1.27 times as
 * long after subtracting the cost of operators and frames, and 1.07 times as long after subtracting all costs. */
#include "webreport/measure/rules/fitted_costs.h"
#include "webreport/measure/rules/host/python_version.h"
#include "webreport/measure/rules/host/rules_cpu.h"
#include "webreport/measure/rules/new_pages.h"

/* ---- Python ---- */

enum name_bit { OWN_STEP = 1, PYTHON = 2 };

/* Returns whether a frame is the recorder's own work at the end of a step (profiler.step). */
static bool is_profiler_step_frame(const struct tp_frame *frame)
{
    return tp_str_ends(frame->path, "torch/profiler/profiler.py") && tp_str_equal(frame->function, TP_STR("step"));
}

/* Returns enum name_bit for each name id. Sets *is_slowed to whether recording slowed Python. The version of Python is
 * the version in the trace's member "python_version"; without this member, the latest version in paths of frames;
 * without such paths, the version that the lines of known functions show. */
static uint8_t *find_kinds_of_names(struct tp_advisor *a, bool *is_slowed)
{
    const struct tp_strings *names = &a->model->trace->names;
    uint8_t *bits = tp_arena_array(a->arena, names->count, 1);
    int version = tp_python_version_in_trace(a->model->trace), stated = version;
    bool fits_lines = false;
    for (uint32_t i = 0; i < names->count; i++) {
        struct tp_frame frame;
        if (!tp_frame_parse(&frame, names->items[i]) || !frame.path.len)
            continue;
        bits[i] = is_profiler_step_frame(&frame) ? OWN_STEP : PYTHON;
        if (stated)
            continue;
        int of_path = tp_python_version_of_path(frame.path);
        version = of_path > version ? of_path : version;
        fits_lines |= tp_python_version_has_frame_line(&frame);
    }
    *is_slowed = version ? version == TP_FITTED_SLOWED_PYTHON : fits_lines;
    return bits;
}

/* ---- the walk along the main thread ---- */

/* state of the walk along the main thread */
struct costs {
    struct tp_advisor *a;
    int64_t frame_ns, operator_ns, shapes_ns, memory_ns;
    double python_part;       /* part of Python's self time that is cost of recording, from 0 to 1 */
    const uint8_t *bits;      /* enum name_bit for each name id */
    struct tp_id_map fillers; /* map from the event of an operator that wrote new pages to the index of this operator */
    const uint32_t *pages_ns; /* for each operator: time in which the system made its new pages, ns; NULL if unknown */
    /* positions in the order of host events. next: next event of the walk; end: end of the thread */
    uint32_t next, end;
    uint32_t next_memory;    /* index of the next memory record, counted over all threads */
    int64_t pending_cost_ns; /* cost of the events that the walk has reached, as far as it is not yet subtracted, ns */
    int64_t recorder_frame_end_ns; /* end of the last frame of the recorder itself, ns */
    /* sum_ns: total cost of recording so far, ns; last_end: end of the last visited segment, ns */
    int64_t sum_ns, last_end;
};

static void add_event_cost(struct costs *costs, const struct tp_event *e)
{
    const struct tp_trace *trace = costs->a->model->trace;
    bool is_frame = tp_kind_is_frame(e->kind);
    if (is_frame && costs->bits[e->name] & OWN_STEP && costs->frame_ns)
        costs->recorder_frame_end_ns = tp_event_end(e);
    if (is_frame) {
        costs->pending_cost_ns = tp_sat_add(costs->pending_cost_ns, costs->frame_ns);
    } else if (e->kind == TP_KIND_OPERATOR) {
        bool has_shapes = tp_strings_get(&trace->values, trace->hosts[e->detail].dims).len > 0;
        costs->pending_cost_ns =
            tp_sat_add(costs->pending_cost_ns, costs->operator_ns + (has_shapes ? costs->shapes_ns : 0));
    }
}

/* Returns the cost of a memory record, ns. A block of at most one cache line costs little more than the record itself.
 * A larger block also moves to memory that is not in the caches, which slows the code that uses the block. */
static int64_t memory_record_cost_ns(const struct costs *costs, const struct tp_memory *record)
{
    enum { CACHE_LINE_BYTES = 64 };
    bool is_small = record->bytes && record->bytes >= -CACHE_LINE_BYTES && record->bytes <= CACHE_LINE_BYTES;
    return is_small ? tp_ns_min(costs->memory_ns, TP_FITTED_SMALL_MEMORY_NS) : costs->memory_ns;
}

/* Adds the cost of memory records up to time `until`. */
static void add_memory_costs(struct costs *costs, int64_t until)
{
    const struct tp_model *model = costs->a->model;
    const struct tp_trace *trace = model->trace;
    for (; costs->next_memory < trace->memory_count; costs->next_memory++) {
        const struct tp_memory *record = &trace->memory[model->order->memory[costs->next_memory]];
        if (record->ts_ns > until)
            return;
        if (record->thread == model->host_main)
            costs->pending_cost_ns = tp_sat_add(costs->pending_cost_ns, memory_record_cost_ns(costs, record));
    }
}

/* Adds the cost of events that start at time `until` or earlier. */
static void add_event_costs(struct costs *costs, int64_t until)
{
    const struct tp_model *model = costs->a->model;
    while (costs->next < costs->end && model->trace->events[model->order->host[costs->next]].ts_ns <= until)
        add_event_cost(costs, &model->trace->events[model->order->host[costs->next++]]);
}

/* Returns the part of an operator's self time in which the system made new pages, from 0 to 1. */
static double new_page_part(const struct costs *costs, uint32_t event)
{
    const uint32_t *op = tp_id_map_find(&costs->fillers, event);
    if (!op)
        return 0;
    double self_ns = (double)tp_narrow_get(&costs->a->model->operators.host_self, *op);
    return fmin(1, costs->pages_ns[*op] / fmax(1, self_ns));
}

static bool is_in_operator(const struct costs *costs, const struct tp_stack_segment *segment)
{
    return segment->event != TP_NO_ID && costs->a->model->trace->events[segment->event].kind == TP_KIND_OPERATOR;
}

/* Returns the share of a segment that is the cost of recording, from 0 to 1. */
static double recording_share_of_segment(const struct costs *costs, const struct tp_stack_segment *segment)
{
    if (segment->a < costs->recorder_frame_end_ns)
        return 1;
    if (segment->event == TP_NO_ID)
        return 0;
    const struct tp_event *e = &costs->a->model->trace->events[segment->event];
    if (is_in_operator(costs, segment))
        return new_page_part(costs, segment->event);
    return costs->bits[e->name] & PYTHON ? costs->python_part : 0;
}

static void add_recorded_cost(struct costs *costs, int64_t start_ns, int64_t spread_ns)
{
    *(struct tp_recorded *)tp_vec_push(&costs->a->recorded) = (struct tp_recorded){start_ns, costs->sum_ns, spread_ns};
    costs->sum_ns = tp_sat_add(costs->sum_ns, spread_ns);
}

static void subtract_cost_of_segment(void *context, const struct tp_stack_segment *segment)
{
    struct costs *costs = context;
    if (segment->a != costs->last_end) {
        add_recorded_cost(costs, costs->last_end, 0);
        add_event_costs(costs, tp_sat_sub(segment->a, 1));
        add_memory_costs(costs, tp_sat_sub(segment->a, 1));
        costs->pending_cost_ns = 0; /* ignores the cost of events in time that is not analysed */
    }
    add_event_costs(costs, segment->a);
    add_memory_costs(costs, tp_sat_sub(segment->b, 1));
    int64_t length = segment->b - segment->a, most = costs->pending_cost_ns;
    double share = recording_share_of_segment(costs, segment);
    /* Recording an event takes the recorder's time, which a slow interpreter does not lengthen. So the share of a frame
     * is a share of the time without that cost. */
    int64_t gone = (int64_t)(share * (double)(is_in_operator(costs, segment) ? length : tp_ns_max(0, length - most)));
    /* cost of earlier events that is subtracted from this segment */
    int64_t borne = tp_ns_min(length - gone, most);
    costs->pending_cost_ns -= borne;
    costs->sum_ns = tp_sat_add(costs->sum_ns, borne);
    add_recorded_cost(costs, segment->a, gone);
    costs->last_end = segment->b;
}

static void find_filling_operators(struct costs *costs)
{
    const struct tp_operators *ops = &costs->a->model->operators;
    uint32_t thread = costs->a->model->host_main;
    tp_id_map_init(&costs->fillers, costs->a->arena);
    for (uint32_t op = ops->thread_first[thread]; costs->pages_ns && op < ops->thread_first[thread + 1]; op++)
        if (costs->pages_ns[op])
            *tp_id_map_find_or_add(&costs->fillers, ops->event[op]) = op;
}

void tp_rules_compute_recording_cost(struct tp_advisor *a)
{
    const struct tp_order *order = a->model->order;
    uint32_t thread = a->model->host_main;
    int64_t page_bytes = (int64_t)tp_rule_value(a, TP_RULE_H6, "page_bytes");
    bool is_slowed = false;
    struct costs costs = {.a = a,
                          .frame_ns = (int64_t)tp_rule_value(a, TP_RULE_H6, "frame_ns"),
                          .operator_ns = (int64_t)tp_rule_value(a, TP_RULE_H6, "operator_ns"),
                          .shapes_ns = (int64_t)tp_rule_value(a, TP_RULE_H6, "shapes_ns"),
                          .memory_ns = (int64_t)tp_rule_value(a, TP_RULE_H6, "memory_ns"),
                          .bits = find_kinds_of_names(a, &is_slowed),
                          .next = order->thread_first[thread],
                          .end = order->thread_first[thread + 1],
                          .recorder_frame_end_ns = INT64_MIN,
                          .last_end = INT64_MIN};
    if (is_slowed)
        costs.python_part = 1 - 1 / fmax(1, tp_rule_value(a, TP_RULE_H6, "python_times"));
    if (page_bytes > 0)
        costs.pages_ns = tp_find_new_page_times(a->model, a->arena, page_bytes);
    find_filling_operators(&costs);
    a->recorded = TP_VEC(a->arena, struct tp_recorded);
    tp_walk_main_thread(a, a->model->window, subtract_cost_of_segment, &costs);
    add_recorded_cost(&costs, costs.last_end, 0);
    a->judged_ns = tp_ns_max(1, tp_set_without_recording_ns(a, a->judged));
    a->overhead.cost_ns = tp_ns_max(0, tp_sat_sub(a->model->window_ns, a->judged_ns));
    a->overhead.starved_ns = a->model->window_ns;
    for (unsigned kind = 0; kind < TP_KIND_COUNT; kind++)
        a->overhead.frames += tp_kind_is_frame((enum tp_kind)kind) ? (int64_t)a->model->kind_count[kind] : 0;
}
