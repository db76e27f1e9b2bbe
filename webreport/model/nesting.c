/* Builds the host tree: for each host event, the innermost event around it. Also finds the parents of operators and
 * modules, and the call stacks of operators (docs/definitions.md, sections 3 and 4).
 *
 * One pass visits the events of a thread in the order of the tree. The open events are the last event and its chain in
 * `inside`, so no stack is needed. In the same way, operators nest in operators, and modules nest in modules; their
 * ends are clipped to the end of the parent (D4). Call stacks and modules of an event use recorded ends, because they
 * consist of the events that are open at the start of the event. */
#include "webreport/model/stages.h"

/* A Python frame or module that may contain the next event, with its recorded end. */
struct open_frame {
    int64_t end, first_end; /* end: recorded end, ns; first_end: earliest end of this frame and all outer frames, ns */
    uint32_t name, node;    /* node: call stack that ends with this frame; TP_NO_ID if not yet computed */
};

/* A module that may contain the next event. */
struct open_module {
    int64_t end;
    uint32_t module;
};

struct sweep {
    struct tp_model *model;
    const struct tp_event *events;
    bool has_frames;
    uint32_t inside; /* innermost open event, or an event that has already ended; TP_NO_ID before the first event */
    /* innermost open operator and innermost open module, according to clipped ends; may have ended already */
    uint32_t op, module;
    struct tp_vec frames;     /* open frames, outermost first; elements: struct open_frame */
    size_t resolved_count;    /* number of outer frames whose `node` is known */
    uint64_t moved_count;     /* number of frames that were moved so far because an outer frame ended before them */
    struct tp_vec modules;    /* open modules, outermost first; elements: struct open_module */
    struct tp_vec unfinished; /* unfinished operators found so far; elements: struct unfinished */
};

struct unfinished {
    uint32_t event, module;
};

/* Maximum number of moved frames, a limit for malicious traces. Beyond this limit, a frame that has ended remains on
 * the stack until all its inner frames have ended. */
static const uint64_t MOST_MOVED = UINT64_C(1) << 26;

/* ---- Python frames ---- */

static void push_frame(struct sweep *s, int64_t end, uint32_t name)
{
    int64_t below = s->frames.count ? TP_AT(&s->frames, struct open_frame, s->frames.count - 1)->first_end : INT64_MAX;
    *(struct open_frame *)tp_vec_push(&s->frames) = (struct open_frame){end, end < below ? end : below, name, TP_NO_ID};
}

/* Removes the frames that ended at or before the time `at`, ns. These frames are nearly always the innermost frames. */
static void pop_ended_frames(struct sweep *s, int64_t at)
{
    struct open_frame *frames = s->frames.data;
    while (s->frames.count && frames[s->frames.count - 1].end <= at)
        s->frames.count--;
    if (s->frames.count && frames[s->frames.count - 1].first_end <= at && s->moved_count < MOST_MOVED) {
        size_t count = s->frames.count, first = 0;
        while (frames[first].end > at)
            first++;
        s->moved_count += count - first;
        s->frames.count = first;
        for (size_t i = first + 1; i < count; i++)
            if (frames[i].end > at)
                push_frame(s, frames[i].end, frames[i].name);
        s->resolved_count = s->resolved_count < first ? s->resolved_count : first;
    }
    if (s->resolved_count > s->frames.count)
        s->resolved_count = s->frames.count;
}

/* Returns the node of the call stack of the Python frames that are open at the time `at`, ns; TP_NO_ID if no frame is
 * open. */
static uint32_t stack_node_of_frames(struct sweep *s, int64_t at)
{
    pop_ended_frames(s, at);
    for (; s->resolved_count < s->frames.count; s->resolved_count++) {
        struct open_frame *frame = TP_AT(&s->frames, struct open_frame, s->resolved_count);
        uint32_t below = s->resolved_count ? frame[-1].node : TP_NO_ID;
        frame->node = tp_stacks_add_call(s->model->trace->stacks, below, frame->name);
    }
    return s->frames.count ? TP_AT(&s->frames, struct open_frame, s->frames.count - 1)->node : TP_NO_ID;
}

/* Returns the call stack of an operator: the stack in its argument "Call stack" if present, otherwise `node`. Returns
 * TP_NO_ID for an empty stack. */
static uint32_t stack_node_of_operator(struct tp_model *model, const struct tp_event *op, uint32_t node)
{
    const struct tp_stacks *stacks = model->trace->stacks;
    uint32_t argument = model->trace->hosts[op->detail].stack;
    if (argument != TP_NO_ID)
        node = tp_stacks_without_addresses(stacks, argument);
    return tp_stack_is_empty(stacks, node) ? TP_NO_ID : node;
}

/* ---- modules ---- */

static void push_module(struct sweep *s, uint32_t event)
{
    struct tp_modules *modules = &s->model->modules;
    const struct tp_event *e = &s->events[event];
    while (s->module != TP_NO_ID && e->ts_ns >= modules->clipped_end_ns[s->module])
        s->module = modules->parent[s->module];
    uint32_t m = modules->count++;
    modules->event[m] = event;
    modules->parent[m] = s->module;
    modules->clipped_end_ns[m] = tp_event_end(e);
    if (s->module != TP_NO_ID && modules->clipped_end_ns[s->module] < modules->clipped_end_ns[m])
        modules->clipped_end_ns[m] = modules->clipped_end_ns[s->module];
    s->module = m;
    *(struct open_module *)tp_vec_push(&s->modules) = (struct open_module){tp_event_end(e), m};
}

/* Returns the innermost module that is open at the time `at`, ns; TP_NO_ID if no module is open. */
static uint32_t innermost_module(struct sweep *s, int64_t at)
{
    while (s->modules.count && TP_AT(&s->modules, struct open_module, s->modules.count - 1)->end <= at)
        s->modules.count--;
    return s->modules.count ? TP_AT(&s->modules, struct open_module, s->modules.count - 1)->module : TP_NO_ID;
}

/* ---- operators and launches ---- */

static void pop_ended_operators(struct sweep *s, int64_t at)
{
    struct tp_operators *ops = &s->model->operators;
    while (s->op != TP_NO_ID && at >= tp_operator_end(s->model, s->op)) {
        ops->subtree_end[s->op] = ops->count;
        s->op = ops->parent[s->op];
    }
}

static void push_operator(struct sweep *s, uint32_t event)
{
    struct tp_operators *ops = &s->model->operators;
    const struct tp_event *e = &s->events[event];
    uint32_t module = ops->module ? innermost_module(s, e->ts_ns) : TP_NO_ID;
    if (e->flags & TP_EVENT_UNFINISHED) {
        *(struct unfinished *)tp_vec_push(&s->unfinished) = (struct unfinished){event, module};
        return;
    }
    pop_ended_operators(s, e->ts_ns);
    uint32_t op = ops->count++;
    int64_t limit = s->op == TP_NO_ID ? INT64_MAX : tp_operator_end(s->model, s->op);
    if (tp_event_end(e) > limit) {
        *(struct tp_listed *)tp_vec_push(&ops->clipped) = (struct tp_listed){op, limit};
        ops->flags[op] = TP_OPERATOR_CLIPPED;
        ops->clipped_count++;
    }
    ops->event[op] = event;
    ops->parent[op] = s->op;
    if (ops->module)
        ops->module[op] = module;
    uint32_t node = TP_NO_ID;
    if (s->has_frames && s->model->trace->hosts[e->detail].stack == TP_NO_ID)
        node = stack_node_of_frames(s, e->ts_ns);
    ops->stack[op] = stack_node_of_operator(s->model, e, node);
    s->op = op;
}

static void append_launch(struct sweep *s, uint32_t event)
{
    struct tp_launches *launches = &s->model->launches;
    int64_t at = s->events[event].ts_ns;
    pop_ended_operators(s, at);
    uint32_t launch = launches->count++;
    launches->event[launch] = event;
    launches->op[launch] = s->op;
    launches->launched_outside_operator_count += s->op == TP_NO_ID;
    if (launches->module)
        launches->module[launch] = innermost_module(s, at);
}

/* ---- events of one thread ---- */

/* Adds an event to the host tree of its thread. */
static void add_to_event_tree(struct sweep *s, uint32_t event)
{
    struct tp_model *model = s->model;
    const struct tp_event *e = &s->events[event];
    s->inside = tp_find_event_around(model, s->inside, e->ts_ns);
    model->inside[event] = s->inside;
    if (s->inside != TP_NO_ID && tp_event_end(e) > tp_event_end(&s->events[s->inside]))
        model->badly_nested_count++;
    s->inside = event;
}

static void find_nesting_of_thread(struct sweep *s, const uint32_t *items, uint32_t count)
{
    s->inside = s->op = s->module = TP_NO_ID;
    s->frames.count = s->resolved_count = s->modules.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_event *e = &s->events[items[i]];
        add_to_event_tree(s, items[i]);
        switch (e->kind) {
        case TP_KIND_MODULE:
            push_module(s, items[i]);
            __attribute__((fallthrough)); /* a module is also a frame */
        case TP_KIND_FRAME:
            pop_ended_frames(s, e->ts_ns);
            push_frame(s, tp_event_end(e), e->name);
            break;
        case TP_KIND_OPERATOR:
            push_operator(s, items[i]);
            break;
        case TP_KIND_RUNTIME:
            append_launch(s, items[i]);
            break;
        default:
            break;
        }
    }
    pop_ended_operators(s, INT64_MAX);
}

/* ---- events of all threads ---- */

static void allocate_columns(struct tp_model *model)
{
    struct tp_operators *ops = &model->operators;
    struct tp_launches *launches = &model->launches;
    struct tp_modules *modules = &model->modules;
    struct tp_arena *arena = model->arena;
    size_t op_count = model->kind_count[TP_KIND_OPERATOR], launch_count = model->kind_count[TP_KIND_RUNTIME];
    size_t module_count = model->kind_count[TP_KIND_MODULE], thread_count = model->trace->thread_count;
    model->inside = tp_arena_array(arena, (size_t)model->trace->event_count + model->trace->capture.added_count,
                                   sizeof *model->inside);
    ops->thread_first = tp_arena_array(arena, thread_count + 1, sizeof *ops->thread_first);
    launches->thread_first = tp_arena_array(arena, thread_count + 1, sizeof *launches->thread_first);
    ops->event = tp_arena_array(arena, op_count, sizeof *ops->event);
    ops->parent = tp_arena_array(arena, op_count, sizeof *ops->parent);
    ops->subtree_end = tp_arena_array(arena, op_count, sizeof *ops->subtree_end);
    ops->stack = tp_arena_array(arena, op_count, sizeof *ops->stack);
    ops->clipped = TP_VEC(arena, struct tp_listed);
    ops->flags = tp_arena_array(arena, op_count, sizeof *ops->flags);
    launches->event = tp_arena_array(arena, launch_count, sizeof *launches->event);
    launches->op = tp_arena_array(arena, launch_count, sizeof *launches->op);
    if (module_count) {
        ops->module = tp_arena_array(arena, op_count, sizeof *ops->module);
        launches->module = tp_arena_array(arena, launch_count, sizeof *launches->module);
        modules->event = tp_arena_array(arena, module_count, sizeof *modules->event);
        modules->parent = tp_arena_array(arena, module_count, sizeof *modules->parent);
        modules->clipped_end_ns = tp_arena_array(arena, module_count, sizeof *modules->clipped_end_ns);
    }
}

/* Appends the unfinished operators (D19) after all other operators. They have no parent and no children. */
static void append_unfinished(struct tp_model *model, const struct tp_vec *unfinished)
{
    struct tp_operators *ops = &model->operators;
    ops->finished_count = ops->count;
    ops->unfinished_count = unfinished->count;
    for (size_t i = 0; i < unfinished->count; i++) {
        const struct unfinished *from = TP_AT(unfinished, struct unfinished, i);
        const struct tp_event *e = &model->trace->events[from->event];
        uint32_t op = ops->count++;
        ops->event[op] = from->event;
        ops->parent[op] = TP_NO_ID;
        ops->subtree_end[op] = op + 1;
        ops->stack[op] = stack_node_of_operator(model, e, TP_NO_ID);
        ops->flags[op] = TP_OPERATOR_UNFINISHED;
        if (ops->module)
            ops->module[op] = from->module;
    }
}

void tp_model_build_trees(struct tp_model *model)
{
    const struct tp_order *order = model->order;
    uint32_t threads = model->trace->thread_count;
    struct sweep s = {.model = model, .events = model->trace->events};
    s.frames = TP_VEC(model->arena, struct open_frame);
    s.modules = TP_VEC(model->arena, struct open_module);
    s.unfinished = TP_VEC(model->arena, struct unfinished);
    /* a part of a trace adds no stacks, because other threads read the stacks that it shares */
    s.has_frames = !model->trace->is_part && (model->kind_count[TP_KIND_FRAME] || model->kind_count[TP_KIND_MODULE]);
    allocate_columns(model);
    for (uint32_t t = 0; t < threads; t++) {
        model->operators.thread_first[t] = model->operators.count;
        model->launches.thread_first[t] = model->launches.count;
        find_nesting_of_thread(&s, order->host + order->thread_first[t],
                               order->thread_first[t + 1] - order->thread_first[t]);
    }
    model->operators.thread_first[threads] = model->operators.count;
    model->launches.thread_first[threads] = model->launches.count;
    tp_model_assign_early_calls(model);
    tp_model_fold_operators(model);
    append_unfinished(model, &s.unfinished);
}
