/* Nesting per thread: operators by containment, clipped to their parent (D4); launches in the innermost operator;
 * modules; Python frames as call stacks.
 *
 * One walk over a thread's events in order of start. Events of one start are taken in this order: modules, operators,
 * runtime calls. The open operators are the chain of parents of the last one, so no stack is kept. */
#include "webreport/model/build.h"

/* A Python frame that is open during the walk; its stack node is made when an operator needs it. */
struct open_frame {
    int64_t end;
    uint32_t name, node;
};

struct walk {
    struct tp_model *model;
    const struct tp_event *events;
    const uint32_t *items; /* host events of this thread */
    uint32_t count;
    bool has_frames;
    uint32_t open_op, open_module; /* innermost open ones */
    /* operators of one start look for the modules of the same start that end no earlier */
    uint32_t enclosing_module, next_module;
    uint32_t next_frame;      /* index in items */
    struct tp_vec frames;     /* struct open_frame, outermost first */
    size_t resolved_count;    /* frames whose node is known */
    struct tp_vec unfinished; /* struct unfinished */
};

struct unfinished {
    uint32_t event, module;
};

/* ---- Python frames ------------------------------------------------------------------------------------------------
 */

static void pop_frames(struct walk *w, int64_t at)
{
    while (w->frames.count && at >= TP_AT(&w->frames, struct open_frame, w->frames.count - 1)->end)
        w->frames.count--;
    if (w->resolved_count > w->frames.count)
        w->resolved_count = w->frames.count;
}

static void push_frame(struct walk *w, const struct tp_event *e)
{
    pop_frames(w, e->ts_ns);
    int64_t end = tp_event_end(e);
    if (w->frames.count) {
        int64_t limit = TP_AT(&w->frames, struct open_frame, w->frames.count - 1)->end;
        end = end < limit ? end : limit;
    }
    *(struct open_frame *)tp_vec_push(&w->frames) = (struct open_frame){end, e->name, TP_NO_ID};
}

/* Stack of the Python frames open at the start of an operator. A frame that starts together with the operator encloses
 * it only if it ends no earlier. */
static uint32_t stack_of_frames(struct walk *w, const struct tp_event *op)
{
    for (; w->next_frame < w->count; w->next_frame++) {
        const struct tp_event *e = &w->events[w->items[w->next_frame]];
        if (e->ts_ns > op->ts_ns)
            break;
        if (e->kind != TP_KIND_FRAME && e->kind != TP_KIND_MODULE)
            continue;
        if (e->ts_ns == op->ts_ns && e->dur_ns < op->dur_ns)
            break;
        push_frame(w, e);
    }
    pop_frames(w, op->ts_ns);
    for (; w->resolved_count < w->frames.count; w->resolved_count++) {
        struct open_frame *frame = TP_AT(&w->frames, struct open_frame, w->resolved_count);
        uint32_t below = w->resolved_count ? frame[-1].node : TP_NO_ID;
        frame->node = tp_stacks_call(w->model->trace->stacks, below, frame->name);
    }
    return w->frames.count ? TP_AT(&w->frames, struct open_frame, w->frames.count - 1)->node : TP_NO_ID;
}

/* The "Call stack" argument, else `node`; a stack without text is none. */
static uint32_t stack_of_operator(struct tp_model *model, const struct tp_event *op, uint32_t node)
{
    const struct tp_stacks *stacks = model->trace->stacks;
    uint32_t argument = model->trace->hosts[op->detail].stack;
    if (argument != TP_NO_ID)
        node = tp_stacks_common(stacks, argument);
    return tp_stack_is_empty(stacks, node) ? TP_NO_ID : node;
}

/* ---- modules ------------------------------------------------------------------------------------------------------
 */

static void pop_modules(struct walk *w, int64_t at)
{
    const struct tp_modules *modules = &w->model->modules;
    while (w->open_module != TP_NO_ID && at >= modules->clipped_end[w->open_module])
        w->open_module = modules->parent[w->open_module];
}

static void push_module(struct walk *w, uint32_t event)
{
    struct tp_modules *modules = &w->model->modules;
    const struct tp_event *e = &w->events[event];
    pop_modules(w, e->ts_ns);
    uint32_t m = modules->count++;
    modules->event[m] = event;
    modules->parent[m] = w->open_module;
    modules->clipped_end[m] = tp_event_end(e);
    if (w->open_module != TP_NO_ID && modules->clipped_end[w->open_module] < modules->clipped_end[m])
        modules->clipped_end[m] = modules->clipped_end[w->open_module];
    w->open_module = m;
}

/* Module of an operator: the innermost open one, but a module that starts with the operator and ends before it is
 * inside. */
static uint32_t module_of_operator(struct walk *w, const struct tp_event *op)
{
    const struct tp_modules *modules = &w->model->modules;
    while (w->next_module < modules->count && modules->clipped_end[w->next_module] > op->ts_ns &&
           tp_event_end(&w->events[modules->event[w->next_module]]) >= tp_event_end(op))
        w->enclosing_module = w->next_module++;
    return w->enclosing_module;
}

/* ---- operators and launches ---------------------------------------------------------------------------------------
 */

static void pop_operators(struct walk *w, int64_t at)
{
    struct tp_operators *ops = &w->model->operators;
    while (w->open_op != TP_NO_ID && at >= ops->clipped_end[w->open_op]) {
        ops->subtree_end[w->open_op] = ops->count;
        w->open_op = ops->parent[w->open_op];
    }
}

static void push_operator(struct walk *w, uint32_t event)
{
    struct tp_operators *ops = &w->model->operators;
    const struct tp_event *e = &w->events[event];
    uint32_t module = ops->module ? module_of_operator(w, e) : TP_NO_ID;
    if (e->flags & TP_EVENT_UNFINISHED) {
        *(struct unfinished *)tp_vec_push(&w->unfinished) = (struct unfinished){event, module};
        return;
    }
    pop_operators(w, e->ts_ns);
    uint32_t op = ops->count++;
    int64_t end = tp_event_end(e);
    if (w->open_op != TP_NO_ID && end > ops->clipped_end[w->open_op]) {
        end = ops->clipped_end[w->open_op];
        ops->clipped_count++;
    }
    ops->event[op] = event;
    ops->parent[op] = w->open_op;
    ops->clipped_end[op] = end;
    if (ops->module)
        ops->module[op] = module;
    uint32_t node = TP_NO_ID;
    if (w->has_frames && w->model->trace->hosts[e->detail].stack == TP_NO_ID)
        node = stack_of_frames(w, e);
    ops->stack[op] = stack_of_operator(w->model, e, node);
    w->open_op = op;
}

static void push_launch(struct walk *w, uint32_t event)
{
    struct tp_launches *launches = &w->model->launches;
    const struct tp_event *e = &w->events[event];
    pop_operators(w, e->ts_ns);
    uint32_t launch = launches->count++;
    launches->event[launch] = event;
    launches->op[launch] = w->open_op;
    launches->outside_operator_count += w->open_op == TP_NO_ID;
    if (launches->module) {
        pop_modules(w, e->ts_ns);
        launches->module[launch] = w->open_module;
    }
}

/* Takes the events items[from .. to) of one kind. */
static void take(struct walk *w, uint32_t from, uint32_t to, uint8_t kind)
{
    for (uint32_t i = from; i < to; i++) {
        uint32_t event = w->items[i];
        if (w->events[event].kind != kind)
            continue;
        if (kind == TP_KIND_MODULE)
            push_module(w, event);
        else if (kind == TP_KIND_OPERATOR)
            push_operator(w, event);
        else
            push_launch(w, event);
    }
}

static void walk_thread(struct walk *w)
{
    const bool has_modules = w->model->operators.module != NULL;
    for (uint32_t from = 0, to; from < w->count; from = to) {
        int64_t at = w->events[w->items[from]].ts_ns;
        unsigned kinds = 0;
        for (to = from; to < w->count && w->events[w->items[to]].ts_ns == at; to++)
            kinds |= 1u << w->events[w->items[to]].kind;
        if (has_modules) {
            pop_modules(w, at);
            w->enclosing_module = w->open_module;
            w->next_module = w->model->modules.count;
            if (kinds & 1u << TP_KIND_MODULE)
                take(w, from, to, TP_KIND_MODULE);
        }
        if (kinds & 1u << TP_KIND_OPERATOR)
            take(w, from, to, TP_KIND_OPERATOR);
        if (kinds & 1u << TP_KIND_RUNTIME)
            take(w, from, to, TP_KIND_RUNTIME);
    }
    pop_operators(w, INT64_MAX);
}

/* ---- all threads --------------------------------------------------------------------------------------------------
 */

static void allocate(struct tp_model *model)
{
    struct tp_operators *ops = &model->operators;
    struct tp_launches *launches = &model->launches;
    struct tp_modules *modules = &model->modules;
    struct tp_arena *arena = model->arena;
    size_t op_count = model->kind_count[TP_KIND_OPERATOR], launch_count = model->kind_count[TP_KIND_RUNTIME];
    size_t module_count = model->kind_count[TP_KIND_MODULE], thread_count = model->trace->thread_count;
    ops->thread_first = tp_arena_array(arena, thread_count + 1, sizeof *ops->thread_first);
    launches->thread_first = tp_arena_array(arena, thread_count + 1, sizeof *launches->thread_first);
    ops->event = tp_arena_array(arena, op_count, sizeof *ops->event);
    ops->parent = tp_arena_array(arena, op_count, sizeof *ops->parent);
    ops->subtree_end = tp_arena_array(arena, op_count, sizeof *ops->subtree_end);
    ops->stack = tp_arena_array(arena, op_count, sizeof *ops->stack);
    ops->clipped_end = tp_arena_array(arena, op_count, sizeof *ops->clipped_end);
    ops->flags = tp_arena_array(arena, op_count, sizeof *ops->flags);
    launches->event = tp_arena_array(arena, launch_count, sizeof *launches->event);
    launches->op = tp_arena_array(arena, launch_count, sizeof *launches->op);
    if (module_count) {
        ops->module = tp_arena_array(arena, op_count, sizeof *ops->module);
        launches->module = tp_arena_array(arena, launch_count, sizeof *launches->module);
        modules->event = tp_arena_array(arena, module_count, sizeof *modules->event);
        modules->parent = tp_arena_array(arena, module_count, sizeof *modules->parent);
        modules->clipped_end = tp_arena_array(arena, module_count, sizeof *modules->clipped_end);
    }
}

/* Unfinished operators (D19) stand behind all others: no parent, no children. */
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
        ops->stack[op] = stack_of_operator(model, e, TP_NO_ID);
        ops->clipped_end[op] = tp_event_end(e);
        ops->flags[op] = TP_OPERATOR_UNFINISHED;
        if (ops->module)
            ops->module[op] = from->module;
    }
}

void tp_model_nest(struct tp_model *model)
{
    const struct tp_order *order = model->order;
    uint32_t threads = model->trace->thread_count;
    struct walk w = {.model = model, .events = model->trace->events};
    w.frames = TP_VEC(model->arena, struct open_frame);
    w.unfinished = TP_VEC(model->arena, struct unfinished);
    w.has_frames = model->kind_count[TP_KIND_FRAME] || model->kind_count[TP_KIND_MODULE];
    allocate(model);
    for (uint32_t t = 0; t < threads; t++) {
        model->operators.thread_first[t] = model->operators.count;
        model->launches.thread_first[t] = model->launches.count;
        w.items = order->host + order->thread_first[t];
        w.count = order->thread_first[t + 1] - order->thread_first[t];
        w.open_op = w.open_module = TP_NO_ID;
        w.next_frame = 0;
        w.frames.count = w.resolved_count = 0;
        walk_thread(&w);
    }
    model->operators.thread_first[threads] = model->operators.count;
    model->launches.thread_first[threads] = model->launches.count;
    tp_model_fold(model);
    append_unfinished(model, &w.unfinished);
}
