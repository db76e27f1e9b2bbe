/* Finds what is around each captured call: its kernel, operator, module and line. Adds the operators and modules of
 * capture traces after those of the trace. */
#include "webreport/model/capture/parts.h"

/* For each event: index of its operator or module. Added events come after the events of the trace. */
struct numbers {
    uint32_t *launch_of; /* for each event of the trace that is a call: index in launches; NULL without own sections */
    uint32_t *added;     /* for each added event: index in operators or in modules; TP_NO_ID for other kinds */
};

static bool is_added(const struct tp_model *model, uint32_t event)
{
    return event >= model->trace->event_count;
}

/* Returns the innermost event of a kind that is around `event` at the start of `event`; TP_NO_ID without one. */
static uint32_t find_around(const struct tp_model *model, uint32_t event, enum tp_kind kind)
{
    int64_t at = model->trace->events[event].ts_ns;
    uint32_t i = tp_find_next_event_around(model, event, at);
    while (i != TP_NO_ID && model->trace->events[i].kind != kind)
        i = tp_find_event_around(model, model->inside[i], at);
    return i;
}

static uint32_t count_added(const struct tp_model *model, enum tp_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->trace->capture.added_count; i++)
        count += model->trace->events[model->trace->event_count + i].kind == kind;
    return count;
}

static void *grow(const struct tp_model *model, void *column, size_t count, size_t more, size_t size)
{
    return tp_arena_resize(model->arena, column, count * size, (count + more) * size);
}

static void grow_operators(struct tp_model *model, uint32_t more, bool has_modules)
{
    struct tp_operators *ops = &model->operators;
    ops->event = grow(model, ops->event, ops->count, more, sizeof *ops->event);
    ops->parent = grow(model, ops->parent, ops->count, more, sizeof *ops->parent);
    ops->subtree_end = grow(model, ops->subtree_end, ops->count, more, sizeof *ops->subtree_end);
    ops->stack = grow(model, ops->stack, ops->count, more, sizeof *ops->stack);
    ops->flags = grow(model, ops->flags, ops->count, more, sizeof *ops->flags);
    if (ops->module || has_modules) {
        uint32_t *old = ops->module;
        ops->module = grow(model, old, old ? ops->count : 0, old ? more : ops->count + more, sizeof *ops->module);
        for (uint32_t i = 0; !old && i < ops->count; i++)
            ops->module[i] = TP_NO_ID;
    }
}

static void grow_modules(struct tp_model *model, uint32_t more)
{
    struct tp_modules *modules = &model->modules;
    modules->event = grow(model, modules->event, modules->count, more, sizeof *modules->event);
    modules->parent = grow(model, modules->parent, modules->count, more, sizeof *modules->parent);
    modules->clipped_end_ns =
        grow(model, modules->clipped_end_ns, modules->count, more, sizeof *modules->clipped_end_ns);
}

static uint32_t number_around(const struct tp_model *model, const struct numbers *numbers, uint32_t event,
                              enum tp_kind kind)
{
    uint32_t around = find_around(model, event, kind);
    return around == TP_NO_ID ? TP_NO_ID : numbers->added[around - model->trace->event_count];
}

static void add_operator(struct tp_model *model, const struct numbers *numbers, uint32_t event, uint32_t op)
{
    struct tp_operators *ops = &model->operators;
    ops->event[op] = event;
    ops->parent[op] = number_around(model, numbers, event, TP_KIND_OPERATOR);
    ops->subtree_end[op] = op + 1;
    ops->stack[op] = TP_NO_ID;
    ops->flags[op] = 0;
    if (ops->module)
        ops->module[op] = number_around(model, numbers, event, TP_KIND_MODULE);
}

static void add_module(struct tp_model *model, const struct numbers *numbers, uint32_t event, uint32_t module)
{
    struct tp_modules *modules = &model->modules;
    modules->event[module] = event;
    modules->parent[module] = number_around(model, numbers, event, TP_KIND_MODULE);
    modules->clipped_end_ns[module] = tp_event_end(&model->trace->events[event]);
}

/* Adds the operators and modules of capture traces to the model. An event comes after all events around it. */
static void add_host_events(struct tp_model *model, struct numbers *numbers)
{
    const struct tp_trace *trace = model->trace;
    uint32_t count = trace->capture.added_count, op_count = count_added(model, TP_KIND_OPERATOR);
    uint32_t module_count = count_added(model, TP_KIND_MODULE);
    numbers->added = tp_arena_array(model->arena, count, sizeof *numbers->added);
    memcpy(model->inside + trace->event_count, trace->capture.around_added, count * sizeof *model->inside);
    grow_operators(model, op_count, module_count > 0);
    grow_modules(model, module_count);
    model->operators.all_count = model->operators.count;
    model->modules.all_count = model->modules.count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t event = trace->event_count + i;
        numbers->added[i] = TP_NO_ID;
        if (trace->events[event].kind == TP_KIND_OPERATOR) {
            numbers->added[i] = model->operators.all_count++;
            add_operator(model, numbers, event, numbers->added[i]);
        } else if (trace->events[event].kind == TP_KIND_MODULE) {
            numbers->added[i] = model->modules.all_count++;
            add_module(model, numbers, event, numbers->added[i]);
        }
    }
}

static uint32_t *number_own_calls(const struct tp_joiner *joiner)
{
    const struct tp_model *model = joiner->model;
    uint32_t *launch_of = tp_arena_array(joiner->arena, model->trace->event_count, sizeof *launch_of);
    for (uint32_t i = 0; i < model->launches.count; i++)
        launch_of[model->launches.event[i]] = i;
    return launch_of;
}

static struct tp_call_place place_of_call(const struct tp_model *model, const struct numbers *numbers, uint32_t event)
{
    struct tp_call_place place = {TP_NO_ID, TP_NO_ID, tp_event_line_id(model, event)};
    if (is_added(model, event)) {
        place.op = number_around(model, numbers, event, TP_KIND_OPERATOR);
        place.module = number_around(model, numbers, event, TP_KIND_MODULE);
    } else {
        uint32_t launch = numbers->launch_of[event];
        place.op = model->launches.op[launch];
        place.module = model->launches.module ? model->launches.module[launch] : TP_NO_ID;
    }
    return place;
}

/* Returns the key of a captured call: from its own arguments, otherwise from those of the operator around it. */
static uint32_t key_of_call(struct tp_joiner *joiner, uint32_t event)
{
    const struct tp_trace *trace = joiner->model->trace;
    struct tp_str name = tp_trace_event_name(trace, &trace->events[event]);
    if (tp_str_find_ignore_case(name, "memset") >= 0)
        return TP_KEY_SET;
    if (tp_str_find_ignore_case(name, "memcpy") >= 0)
        return TP_KEY_COPY;
    const struct tp_capture_argument *argument = tp_capture_argument_of(trace, event);
    if (!argument || argument->kernel == TP_NO_ID) {
        uint32_t around = find_around(joiner->model, event, TP_KIND_OPERATOR);
        argument = around == TP_NO_ID ? NULL : tp_capture_argument_of(trace, around);
    }
    return argument && argument->kernel != TP_NO_ID ? tp_join_key_of_name(joiner, argument->kernel) : TP_KEY_UNKNOWN;
}

void tp_join_find_places(struct tp_joiner *joiner)
{
    struct tp_model *model = joiner->model;
    const struct tp_captures *captures = joiner->captures;
    struct numbers numbers = {NULL, NULL};
    bool has_own = false;
    if (model->trace->capture.added_count)
        add_host_events(model, &numbers);
    for (uint32_t i = 0; i < captures->call_count && !has_own; i++)
        has_own = !is_added(model, captures->calls[i]);
    if (has_own)
        numbers.launch_of = number_own_calls(joiner);
    joiner->call_keys = tp_arena_array(joiner->arena, captures->call_count, sizeof *joiner->call_keys);
    joiner->places = tp_arena_array(joiner->arena, captures->call_count, sizeof *joiner->places);
    for (uint32_t i = 0; i < captures->call_count; i++) {
        joiner->call_keys[i] = key_of_call(joiner, captures->calls[i]);
        joiner->places[i] = place_of_call(model, &numbers, captures->calls[i]);
    }
}
