/* What recording costs a program without device: what is judged is the program without it.
 *
 * Frames and operators last longer for being recorded, operators with their shapes more: a loop of very short ones would
 * look dear; tensors lie on new pages (new_pages.h); Python of one version is slower. Of 44 programs that were timed beside
 * their recording the median took 1.26 times as long in the recording less what its events cost, and 1.10 times less all
 * of it. */
#include "webreport/measure/new_pages.h"
#include "webreport/measure/rules_cpu.h"

/* ---- Python ---- */

/* While frames are recorded, Python 3.11 looks for somebody who listens at each of its instructions: the same code took
 * 1.3 to 1.64 times as long in loops that call nothing; 3.10 1.13 times, 3.8, 3.9, 3.12 and 3.13 as long as without.
 * A comprehension has a frame of its own up to 3.11. */
static bool is_comprehension(struct tp_str name)
{
    static const char *const ends[] = {": <listcomp>", ": <dictcomp>", ": <setcomp>", NULL};
    for (const char *const *end = ends; *end; end++)
        if (tp_str_ends(name, *end))
            return true;
    return false;
}

enum name_bit { OWN_STEP = 1, PYTHON = 2 };

/* The recorder's own work at the end of a step. */
static bool is_own_step(const struct tp_frame *frame)
{
    return tp_str_ends(frame->path, "torch/profiler/profiler.py") &&
           tp_str_equal(frame->function, TP_STR("step"));
}

/* By name: enum name_bit. *is_slowed: Python was slowed by being recorded. */
static uint8_t *bits_of_names(struct tp_advisor *a, bool *is_slowed)
{
    const struct tp_strings *names = &a->model->trace->names;
    uint8_t *bits = tp_arena_array(a->arena, names->count, 1);
    for (uint32_t i = 0; i < names->count; i++) {
        struct tp_frame frame;
        if (!tp_frame_parse(&frame, names->items[i]) || !frame.path.len)
            continue;
        bits[i] = is_own_step(&frame) ? OWN_STEP : PYTHON;
        *is_slowed |= is_comprehension(names->items[i]);
    }
    return bits;
}

/* ---- all ---- */

/* What is known of costs while the main thread is walked along. */
struct costs {
    struct tp_advisor *a;
    int64_t frame_ns, operator_ns, shapes_ns;
    double python_part; /* of Python's own time */
    const uint8_t *bits; /* by name */
    struct tp_id_map fillers; /* event of an operator that wrote new pages -> operator */
    struct tp_new_pages pages;
    uint32_t next, end; /* in the thread's order: events that were not met yet */
    int64_t debt_ns; /* costs of events that were met and that no stretch bore */
    int64_t own_until;
    int64_t sum_ns, last_end;
};

static void meet_event(struct costs *costs, const struct tp_event *e)
{
    const struct tp_trace *trace = costs->a->model->trace;
    bool is_frame = tp_kind_is_frame(e->kind);
    if (is_frame && costs->bits[e->name] & OWN_STEP && costs->frame_ns)
        costs->own_until = tp_event_end(e);
    if (is_frame) {
        costs->debt_ns = tp_sat_add(costs->debt_ns, costs->frame_ns);
    } else if (e->kind == TP_KIND_OPERATOR) {
        bool has_shapes = tp_strings_get(&trace->values, trace->hosts[e->detail].dims).len > 0;
        costs->debt_ns = tp_sat_add(costs->debt_ns, costs->operator_ns + (has_shapes ? costs->shapes_ns : 0));
    }
}

/* Those that begin up to a time. */
static void meet_events(struct costs *costs, int64_t until)
{
    const struct tp_model *model = costs->a->model;
    while (costs->next < costs->end && model->trace->events[model->order->host[costs->next]].ts_ns <= until)
        meet_event(costs, &model->trace->events[model->order->host[costs->next++]]);
}

/* The part of a stretch's time that new pages took: not where the operator was too fast for that. */
static double pages_part(const struct costs *costs, uint32_t event)
{
    const uint32_t *op = tp_id_map_find(&costs->fillers, event);
    if (!op)
        return 0;
    double ns = (double)costs->pages.cost_ns * costs->pages.of_operator[*op];
    double self_ns = (double)tp_narrow_get(&costs->a->model->operators.host_self, *op);
    return self_ns < 0.8 * ns ? 0 : fmin(1, ns / fmax(1, self_ns));
}

static double part_of(const struct costs *costs, const struct tp_stack_segment *segment)
{
    if (segment->a < costs->own_until)
        return 1;
    if (segment->event == TP_NO_ID)
        return 0;
    const struct tp_event *e = &costs->a->model->trace->events[segment->event];
    if (e->kind == TP_KIND_OPERATOR)
        return pages_part(costs, segment->event);
    return costs->bits[e->name] & PYTHON ? costs->python_part : 0;
}

static void push(struct costs *costs, int64_t start_ns, int64_t spread_ns)
{
    *(struct tp_recorded *)tp_vec_push(&costs->a->recorded) = (struct tp_recorded){start_ns, costs->sum_ns, spread_ns};
    costs->sum_ns = tp_sat_add(costs->sum_ns, spread_ns);
}

static void visit_stretch(void *context, const struct tp_stack_segment *segment)
{
    struct costs *costs = context;
    if (segment->a != costs->last_end) {
        push(costs, costs->last_end, 0);
        meet_events(costs, tp_sat_sub(segment->a, 1));
        costs->debt_ns = 0; /* of what is not judged */
    }
    meet_events(costs, segment->a);
    int64_t length = segment->b - segment->a;
    int64_t gone = (int64_t)(part_of(costs, segment) * (double)length);
    int64_t borne = tp_ns_min(length - gone, costs->debt_ns); /* of events: where they begin */
    costs->debt_ns -= borne;
    costs->sum_ns = tp_sat_add(costs->sum_ns, borne);
    push(costs, segment->a, gone);
    costs->last_end = segment->b;
}

static void list_fillers(struct costs *costs)
{
    const struct tp_operators *ops = &costs->a->model->operators;
    uint32_t thread = costs->a->model->host_main;
    tp_id_map_init(&costs->fillers, costs->a->arena);
    for (uint32_t op = ops->thread_first[thread]; costs->pages.cost_ns && op < ops->thread_first[thread + 1]; op++)
        if (costs->pages.of_operator[op])
            *tp_id_map_put(&costs->fillers, ops->event[op]) = op;
}

void tp_rules_count_recorded(struct tp_advisor *a)
{
    const struct tp_order *order = a->model->order;
    uint32_t thread = a->model->host_main;
    int64_t page_bytes = (int64_t)tp_rule_value(a, TP_RULE_H6, "page_bytes");
    bool is_slowed = false;
    struct costs costs = {.a = a,
                          .frame_ns = (int64_t)tp_rule_value(a, TP_RULE_H6, "frame_ns"),
                          .operator_ns = (int64_t)tp_rule_value(a, TP_RULE_H6, "operator_ns"),
                          .shapes_ns = (int64_t)tp_rule_value(a, TP_RULE_H6, "shapes_ns"),
                          .bits = bits_of_names(a, &is_slowed),
                          .next = order->thread_first[thread],
                          .end = order->thread_first[thread + 1],
                          .own_until = INT64_MIN,
                          .last_end = INT64_MIN};
    if (is_slowed)
        costs.python_part = 1 - 1 / fmax(1, tp_rule_value(a, TP_RULE_H6, "python_times"));
    if (page_bytes > 0)
        tp_new_pages_find(&costs.pages, a->model, a->arena, page_bytes);
    list_fillers(&costs);
    a->recorded = TP_VEC(a->arena, struct tp_recorded);
    tp_walk_main(a, a->model->window, visit_stretch, &costs);
    push(&costs, costs.last_end, 0);
    a->judged_ns = tp_ns_max(1, tp_less_recording(a, a->model->window));
}
