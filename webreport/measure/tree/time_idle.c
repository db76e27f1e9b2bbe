/* Adds the idle time of a device to its tree. The reasons are from idle_reasons.h; the nodes of the idle flame show
 * what the host did. Implements a part of time_parts.h. */
#include "webreport/measure/idle/idle_reasons.h"
#include "webreport/measure/tree/time_parts.h"
#include "webreport/trace/frame.h"
#include "webreport/trace/regions.h"
#include "writer/base/saturate.h"

/* ---- activity of the host ---- */

/* The nodes of a flame that show what the host did in one stack. A member is TP_NO_ID if the stack has no such node. */
struct stack {
    uint32_t loader, runtime, op, users_line, line, frame, annotation; /* line: line of a library */
};

/* the code of a frame */
enum code { UNKNOWN, USERS_LINE, LIBRARY_LINE, NO_LINE };

static bool is_loader_frame(const struct tp_flame_node *node)
{
    return tp_str_find(node->text, "DataLoader") >= 0 &&
           (node->kind == TP_STACK_ANNOTATION || tp_str_find(node->text, "enumerate") >= 0);
}

static bool is_step_mark_name(struct tp_str name)
{
    return tp_str_equal(name, TP_STR(TP_PROFILER_STEP_LABEL)) || tp_str_starts(name, "execute_") ||
           tp_str_starts(name, "step[");
}

static void extend_stack_by_frame(struct stack *stack, const struct tp_flame_node *node, uint32_t index, enum code code)
{
    if (stack->loader == TP_NO_ID && is_loader_frame(node))
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
        stack->users_line = code == USERS_LINE ? index : stack->users_line;
        stack->line = code == LIBRARY_LINE ? index : stack->line;
        break;
    case TP_STACK_ANNOTATION:
        stack->annotation = is_step_mark_name(node->text) ? stack->annotation : index;
        break;
    default:
        break;
    }
}

/* activity of the host; if a stack shows several activities, the first one in this order is used */
enum cause { LOADING, CALL, OPERATOR, PYTHON, ANNOTATION, NOTHING };

/* the nodes below "host", without duplicates */
struct hosts {
    struct tp_time_builder *maker;
    struct tp_id_map drafts; /* map from pair (cause, label) to node */
    uint8_t *codes;          /* enum code of each label; UNKNOWN until the label is needed */
};

static uint32_t add_host_draft(struct tp_time_builder *maker, enum cause cause, struct tp_str name)
{
    static const char *const groups[] = {"data loading", NULL, "operator", "python", "annotation", "nothing"};
    struct tp_str group = tp_str_of(cause == CALL ? tp_call_use_text(tp_call_use_by_name(name)) : groups[cause]);
    uint32_t host = tp_time_find_or_add_child(maker, 0, TP_STR("host"));
    return tp_time_find_or_add_child(maker, tp_time_find_or_add_child(maker, host, group), name);
}

static void add_host_time_of_stack(struct hosts *hosts, const struct stack *stack, int64_t ns)
{
    const struct tp_flame_node *nodes = hosts->maker->idle->nodes;
    const uint32_t found[] = {[LOADING] = stack->loader,
                              [CALL] = stack->runtime,
                              [OPERATOR] = stack->op,
                              [PYTHON] = stack->users_line != TP_NO_ID ? stack->users_line
                                         : stack->line != TP_NO_ID     ? stack->line
                                                                       : stack->frame,
                              [ANNOTATION] = stack->annotation};
    unsigned cause = LOADING;
    while (cause < NOTHING && found[cause] == TP_NO_ID)
        cause++;
    uint32_t label = cause == NOTHING ? 0 : nodes[found[cause]].label;
    uint32_t *draft = tp_id_map_find_or_add(&hosts->drafts, tp_id_pair(cause, label));
    if (*draft == TP_NO_ID)
        *draft =
            add_host_draft(hosts->maker, cause, cause == NOTHING ? TP_STR("no host event") : nodes[found[cause]].text);
    tp_time_add_time(hosts->maker, *draft, ns);
}

static enum code code_of_node(struct hosts *hosts, const struct tp_flame_node *node)
{
    uint8_t *known = &hosts->codes[node->label];
    if (*known == UNKNOWN) {
        struct tp_frame frame;
        struct tp_code code = tp_frames_code(&hosts->maker->model->trace->frames, &frame, node->text);
        *known = code.origin == TP_ORIGIN_USER ? USERS_LINE : code.is_line ? LIBRARY_LINE : NO_LINE;
    }
    return (enum code) * known;
}

/* Adds the nodes below "host". Flame nodes are in depth-first order. Each node therefore extends the stack of its
 * parent. */
static void add_nodes_of_host_time(struct tp_time_builder *maker)
{
    static const struct stack empty = {TP_NO_ID, TP_NO_ID, TP_NO_ID, TP_NO_ID, TP_NO_ID, TP_NO_ID, TP_NO_ID};
    const struct tp_idle_device *idle = maker->idle;
    const struct tp_frames *frames = &maker->model->trace->frames;
    size_t labels = (size_t)frames->name_count + frames->extra.count;
    struct stack *stacks = tp_arena_array(maker->arena, (size_t)TP_STACK_LIMIT + 1, sizeof *stacks);
    struct hosts hosts = {.maker = maker, .codes = tp_arena_array(maker->arena, labels, 1)};
    tp_id_map_init(&hosts.drafts, maker->arena);
    stacks[0] = empty;
    for (uint32_t i = 1; i < idle->node_count; i++) {
        const struct tp_flame_node *node = &idle->nodes[i];
        struct stack *stack = &stacks[node->depth];
        bool is_frame = node->kind == TP_STACK_FRAME || node->kind == TP_STACK_MODULE;
        *stack = stacks[node->depth - 1];
        extend_stack_by_frame(stack, node, i, is_frame ? code_of_node(&hosts, node) : NO_LINE);
        if (node->self_host_ns)
            add_host_time_of_stack(&hosts, stack, node->self_host_ns);
    }
    tp_id_map_release(&hosts.drafts);
    tp_arena_free_item(maker->arena, hosts.codes, labels);
    tp_arena_free_item(maker->arena, stacks, ((size_t)TP_STACK_LIMIT + 1) * sizeof *stacks);
}

/* ---- the other reasons ---- */

/* the nodes below the other reasons, without duplicates */
struct reasons {
    struct tp_time_builder *maker;
    uint32_t drafts[TP_IDLE_REASONS]; /* for each reason: the only node of the reason, if it has exactly one; TP_NO_ID:
                                         no node yet */
    struct tp_id_map launches;        /* map from pair (reason, name of the launch call) to node */
};

/* Returns the node for an operation's launch call, below the node "launch". */
static uint32_t launch_draft(struct reasons *reasons, enum tp_idle_reason reason, uint32_t device)
{
    static const char *const before[TP_IDLE_REASONS] = {[TP_IDLE_BY_LAUNCH] = "",
                                                        [TP_IDLE_BY_BLOCKED_CALL] = "blocks: ",
                                                        [TP_IDLE_BY_EARLIER_WORK_LAUNCH] = TP_TIME_FIRST_CALL};
    struct tp_time_builder *maker = reasons->maker;
    const struct tp_event *launch = tp_launch_of_device(maker->model, device);
    uint32_t *draft = tp_id_map_find_or_add(&reasons->launches, tp_id_pair(reason, launch->name));
    if (*draft == TP_NO_ID) {
        struct tp_str name = tp_trace_event_name(maker->model->trace, launch);
        size_t skip = strlen(before[reason]);
        char *text = tp_arena_alloc(maker->arena, skip + name.len);
        memcpy(text, before[reason], skip);
        memcpy(text + skip, name.ptr, name.len);
        *draft = tp_time_find_or_add_child(maker, tp_time_find_or_add_child(maker, 0, TP_STR("launch")),
                                           (struct tp_str){text, skip + name.len});
        if (reason == TP_IDLE_BY_EARLIER_WORK_LAUNCH)
            tp_time_draft(maker, *draft)->reason = (uint8_t)reason;
    }
    return *draft;
}

static void add_time_of_idle_reason(void *context, enum tp_idle_reason reason, const struct tp_idle_slice *piece,
                                    int64_t ns)
{
    static const char *const texts[TP_IDLE_REASONS][2] = {
        [TP_IDLE_BY_LATENCY] = {"queue", "start latency"}, [TP_IDLE_BY_GRAPH] = {"queue", "between"},
        [TP_IDLE_BY_QUEUE] = {"queue", "waits"},           [TP_IDLE_BY_EARLIER_WORK] = {"queue", "held"},
        [TP_IDLE_BY_EDGE] = {"outside", "edge"},           [TP_IDLE_BY_UNKNOWN] = {"unknown", "unrecorded"}};
    struct reasons *reasons = context;
    struct tp_time_builder *maker = reasons->maker;
    uint32_t *draft = &reasons->drafts[reason];
    if (reason == TP_IDLE_BY_HOST) /* skipped here, because add_nodes_of_host_time adds this time by stack */
        return;
    if (!texts[reason][0]) {
        tp_time_add_time(maker, launch_draft(reasons, reason, piece->next), ns);
        return;
    }
    if (*draft == TP_NO_ID) {
        *draft = tp_time_find_or_add_child(maker, tp_time_find_or_add_child(maker, 0, tp_str_of(texts[reason][0])),
                                           tp_str_of(texts[reason][1]));
        tp_time_draft(maker, *draft)->reason = (uint8_t)reason;
    }
    tp_time_add_time(maker, *draft, ns);
}

void tp_time_add_idle(struct tp_time_builder *maker)
{
    struct tp_idle_reasons found;
    struct reasons reasons = {.maker = maker};
    for (unsigned i = 0; i < TP_IDLE_REASONS; i++)
        reasons.drafts[i] = TP_NO_ID;
    tp_id_map_init(&reasons.launches, maker->arena);
    add_nodes_of_host_time(maker);
    tp_idle_reasons_find(&found, maker->model, maker->gpu, maker->arena, add_time_of_idle_reason, &reasons);
    tp_id_map_release(&reasons.launches);
    maker->tree->latency_ns = found.latency_ns;
    maker->tree->held_ns = tp_sat_add(found.ns[TP_IDLE_BY_EARLIER_WORK], found.ns[TP_IDLE_BY_EARLIER_WORK_LAUNCH]);
}
