/* Where the idle time of a device goes in its tree: see time_parts.h. The parts are those of the idle view; what the
 * host did is read off the nodes of its flame. */
#include "webreport/measure/idle_reasons.h"
#include "webreport/measure/time_parts.h"
#include "webreport/trace/regions.h"
#include "writer/base/saturate.h"

/* ---- what the host did --------------------------------------------------------------------------------------------
 */

/* What of a stack says what the host did: nodes of the flame; TP_NO_ID: none. */
struct stack {
    uint32_t loader, runtime, op, line, frame, annotation;
};

/* Does a frame belong to Python, torch or an installed package? */
static bool is_library(struct tp_str name)
{
    static const char *const words[] = {"site-packages", "dist-packages", "/lib/python", "torch/",
                                        "<built-in",     "nn.Module",     "<frozen",     "<string>",
                                        "threading",     "importlib",     "_inductor",   "<eval"};
    bool is_any = tp_str_starts(name, "tmp");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        is_any |= tp_str_find(name, words[i]) >= 0;
    return is_any;
}

static bool is_loader(const struct tp_flame_node *node)
{
    return tp_str_find(node->text, "DataLoader") >= 0 &&
           (node->kind == TP_STACK_ANNOTATION || tp_str_find(node->text, "enumerate") >= 0);
}

static bool is_step_mark(struct tp_str name)
{
    return tp_str_equal(name, TP_STR(TP_PROFILER_STEP_LABEL)) || tp_str_starts(name, "execute_") ||
           tp_str_starts(name, "step[");
}

static void push(struct stack *stack, const struct tp_flame_node *node, uint32_t index, bool is_library)
{
    if (stack->loader == TP_NO_ID && is_loader(node))
        stack->loader = index;
    switch (node->kind) {
    case TP_STACK_RUNTIME:
        stack->runtime = index;
        break;
    case TP_STACK_OPERATOR:
        stack->op = stack->op == TP_NO_ID ? index : stack->op;
        break;
    case TP_STACK_FRAME:
    case TP_STACK_MODULE:
        stack->frame = index;
        stack->line = is_library ? stack->line : index;
        break;
    case TP_STACK_ANNOTATION:
        stack->annotation = is_step_mark(node->text) ? stack->annotation : index;
        break;
    default:
        break;
    }
}

/* What time on the host is for: the first of these that a stack holds. */
enum cause { LOADING, CALL, OPERATOR, PYTHON, ANNOTATION, NOTHING };

/* The nodes below "host", each made once. */
struct hosts {
    struct tp_time_maker *maker;
    struct tp_id_map buds; /* by cause and label */
    uint8_t *library;      /* by label: 1: no library's, 2: a library's, 0: not looked at */
};

static uint32_t new_host(struct tp_time_maker *maker, enum cause cause, struct tp_str name)
{
    static const char *const groups[] = {"data loading", NULL, "operator", "python", "annotation", "nothing"};
    struct tp_str group = tp_str_of(cause == CALL ? tp_call_use_text(tp_call_use_of(name)) : groups[cause]);
    uint32_t host = tp_time_child(maker, 0, TP_STR("host"));
    return tp_time_child(maker, tp_time_child(maker, host, group), name);
}

static void add_host(struct hosts *hosts, const struct stack *stack, int64_t ns)
{
    const struct tp_flame_node *nodes = hosts->maker->idle->nodes;
    const uint32_t found[] = {[LOADING] = stack->loader,
                              [CALL] = stack->runtime,
                              [OPERATOR] = stack->op,
                              [PYTHON] = stack->line != TP_NO_ID ? stack->line : stack->frame,
                              [ANNOTATION] = stack->annotation};
    unsigned cause = LOADING;
    while (cause < NOTHING && found[cause] == TP_NO_ID)
        cause++;
    uint32_t label = cause == NOTHING ? 0 : nodes[found[cause]].label;
    uint32_t *bud = tp_id_map_put(&hosts->buds, tp_id_pair(cause, label));
    if (*bud == TP_NO_ID)
        *bud = new_host(hosts->maker, cause, cause == NOTHING ? TP_STR("no host event") : nodes[found[cause]].text);
    tp_time_add(hosts->maker, *bud, ns);
}

static bool is_of_library(struct hosts *hosts, const struct tp_flame_node *node)
{
    uint8_t *known = &hosts->library[node->label];
    if (!*known)
        *known = is_library(node->text) ? 2 : 1;
    return *known == 2;
}

/* The nodes of a flame are in depth-first order: the stack of each is that of its parent and itself. */
static void add_hosts(struct tp_time_maker *maker)
{
    static const struct stack empty = {TP_NO_ID, TP_NO_ID, TP_NO_ID, TP_NO_ID, TP_NO_ID, TP_NO_ID};
    const struct tp_idle_device *idle = maker->idle;
    const struct tp_frames *frames = &maker->model->trace->frames;
    size_t labels = (size_t)frames->name_count + frames->extra.count;
    struct stack *stacks = tp_arena_array(maker->arena, (size_t)TP_STACK_LIMIT + 1, sizeof *stacks);
    struct hosts hosts = {.maker = maker, .library = tp_arena_array(maker->arena, labels, 1)};
    tp_id_map_init(&hosts.buds, maker->arena);
    stacks[0] = empty;
    for (uint32_t i = 1; i < idle->node_count; i++) {
        const struct tp_flame_node *node = &idle->nodes[i];
        struct stack *stack = &stacks[node->depth];
        bool is_frame = node->kind == TP_STACK_FRAME || node->kind == TP_STACK_MODULE;
        *stack = stacks[node->depth - 1];
        push(stack, node, i, is_frame && is_of_library(&hosts, node));
        if (node->self_host_ns)
            add_host(&hosts, stack, node->self_host_ns);
    }
    tp_id_map_drop(&hosts.buds);
    tp_arena_drop(maker->arena, hosts.library, labels);
    tp_arena_drop(maker->arena, stacks, ((size_t)TP_STACK_LIMIT + 1) * sizeof *stacks);
}

/* ---- the other parts ----------------------------------------------------------------------------------------------
 */

static void add(struct tp_time_maker *maker, const char *part, struct tp_str name, int64_t ns)
{
    tp_time_add(maker, tp_time_child(maker, tp_time_child(maker, 0, tp_str_of(part)), name), ns);
}

/* A launch by the name of its call, with what is said of it before. */
static void add_launch(struct tp_time_maker *maker, const char *before, uint32_t device, int64_t ns)
{
    struct tp_str name = tp_trace_name(maker->model->trace, tp_launch_of_device(maker->model, device));
    size_t skip = strlen(before);
    char *text = tp_arena_alloc(maker->arena, skip + name.len);
    memcpy(text, before, skip);
    memcpy(text + skip, name.ptr, name.len);
    add(maker, "launch", (struct tp_str){text, skip + name.len}, ns);
}

static void add_reason(void *context, enum tp_idle_reason reason, const struct tp_idle_piece *piece, int64_t ns)
{
    struct tp_time_maker *maker = context;
    switch (reason) {
    case TP_IDLE_BY_LAUNCH:
        add_launch(maker, "", piece->next, ns);
        break;
    case TP_IDLE_BY_BLOCKED:
        add_launch(maker, "blocks: ", piece->next, ns);
        break;
    case TP_IDLE_BY_HELD_LAUNCH:
        add_launch(maker, "first call of the record blocks: ", piece->next, ns);
        break;
    case TP_IDLE_BY_LATENCY:
        add(maker, "queue", TP_STR("start latency"), ns);
        break;
    case TP_IDLE_BY_GRAPH:
        add(maker, "queue", TP_STR("between kernels of one graph"), ns);
        break;
    case TP_IDLE_BY_QUEUE:
        add(maker, "queue", TP_STR("waits for its stream, an event or a copy"), ns);
        break;
    case TP_IDLE_BY_HELD:
        add(maker, "queue",
            TP_STR("held: hardly any recorded work had run before; work of before the record, or a stall"), ns);
        break;
    case TP_IDLE_BY_EDGE:
        add(maker, "outside", TP_STR("before the first or after the last recorded operation"), ns);
        break;
    case TP_IDLE_BY_UNKNOWN:
        add(maker, "unknown", TP_STR("the launch of the next operation is not recorded"), ns);
        break;
    default: /* the host: by its flame */
        break;
    }
}

void tp_time_add_idle(struct tp_time_maker *maker)
{
    struct tp_idle_reasons found;
    add_hosts(maker);
    tp_idle_reasons_find(&found, maker->model, maker->gpu, maker->arena, add_reason, maker);
    maker->tree->latency_ns = found.latency_ns;
    maker->tree->held_ns = tp_sat_add(found.ns[TP_IDLE_BY_HELD], found.ns[TP_IDLE_BY_HELD_LAUNCH]);
}
