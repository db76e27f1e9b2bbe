/* Where the idle time of a device goes in its tree: see time_parts.h. The parts are those of the idle view; what the
 * host did is read off the nodes of its flame. */
#include "webreport/measure/time_parts.h"
#include "webreport/model/numbers.h"
#include "webreport/trace/regions.h"
#include "writer/base/stats.h"

static const int64_t UNKNOWN_LATENCY_NS = 10000, MOST_LATENCY_NS = 50000, LONG_NS = 1000000;

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

/* What a call of the runtime is for. */
static struct tp_str call_group(struct tp_str name)
{
    static const struct {
        const char *word, *group;
    } words[] = {{"synchron", "synchronise"}, {"wait", "synchronise"},      {"query", "synchronise"},
                 {"memcpy", "copy call"},     {"malloc", "allocate"},       {"free", "allocate"},
                 {"hostalloc", "allocate"},   {"hostregister", "allocate"}, {"launch", "launch call"},
                 {"module", "set-up"},        {"function", "set-up"},       {"create", "set-up"},
                 {"init", "set-up"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (tp_str_find_lower(name, words[i].word) >= 0)
            return tp_str_of(words[i].group);
    return TP_STR("runtime");
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
    struct tp_str group = cause == CALL ? call_group(name) : tp_str_of(groups[cause]);
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

static const struct tp_event *launch_of(const struct tp_time_maker *maker, const struct tp_idle_piece *piece)
{
    return piece->next == TP_NO_ID ? NULL : tp_launch_of_device(maker->model, piece->next);
}

/* When a launch had ended, at the latest when its operation started. */
static int64_t launched_at(const struct tp_time_maker *maker, const struct tp_idle_piece *piece)
{
    return tp_ns_min(tp_event_end(launch_of(maker, piece)), tp_device_event(maker->model, piece->next)->ts_ns);
}

/* Latency of a gap: pieces [first, end) of one gap. Negative: the operation was called before the device was free. */
static int64_t latency_of(const struct tp_time_maker *maker, uint32_t first, uint32_t end)
{
    const struct tp_idle_piece *last = &maker->gpu->idle[end - 1];
    const struct tp_event *launch = launch_of(maker, last);
    if (!launch || tp_device_event(maker->model, last->next)->ts_ns != last->b ||
        tp_event_end(launch) < maker->gpu->idle[first].a)
        return -1;
    return tp_sat_sub(last->b, tp_event_end(launch));
}

static void find_latency(struct tp_time_maker *maker)
{
    const struct tp_gpu *gpu = maker->gpu;
    int64_t *found = tp_arena_alloc(maker->arena, gpu->idle_count * sizeof *found);
    size_t count = 0;
    for (uint32_t first = 0, end; first < gpu->idle_count; first = end) {
        end = first + 1;
        while (end < gpu->idle_count && gpu->idle[end].next == gpu->idle[first].next &&
               gpu->idle[end].a == gpu->idle[end - 1].b)
            end++;
        int64_t ns = latency_of(maker, first, end);
        if (ns >= 0)
            found[count++] = ns;
    }
    tp_sort_integers(found, count);
    maker->tree->latency_ns =
        count ? tp_ns_min(tp_middle_of_sorted(found, count), MOST_LATENCY_NS) : UNKNOWN_LATENCY_NS;
    tp_arena_drop(maker->arena, found, gpu->idle_count * sizeof *found);
}

/* A walk over the idle pieces, in order of time. */
struct walk {
    struct tp_time_maker *maker;
    size_t busy_at;            /* busy intervals that lie before */
    int64_t done_ns, total_ns; /* their length, and that of all */
};

/* Does next to no recorded work lie before a piece, which is long? A device that waits so long at the edge of the
 * recording was held by work of before it, or stalled. */
static bool is_held(struct walk *walk, int64_t a, int64_t b, int64_t latencies)
{
    const struct tp_intervals *busy = &walk->maker->gpu->busy;
    for (; walk->busy_at < busy->count && busy->items[walk->busy_at].a <= a; walk->busy_at++)
        walk->done_ns = tp_sat_add(walk->done_ns, busy->items[walk->busy_at].b - busy->items[walk->busy_at].a);
    int64_t ns = tp_sat_sub(b, a);
    return (__int128)walk->done_ns * 100 < walk->total_ns && (__int128)ns * 10 > walk->total_ns &&
           ns > tp_ns_max(LONG_NS, latencies * walk->maker->tree->latency_ns);
}

static void add(struct walk *walk, const char *part, struct tp_str name, int64_t ns)
{
    struct tp_time_maker *maker = walk->maker;
    if (ns > 0)
        tp_time_add(maker, tp_time_child(maker, tp_time_child(maker, 0, tp_str_of(part)), name), ns);
}

static void add_held(struct walk *walk, int64_t ns)
{
    walk->maker->tree->held_ns = tp_sat_add(walk->maker->tree->held_ns, ns);
    add(walk, "queue", TP_STR("held: hardly any recorded work had run before; work of before the record, or a stall"),
        ns);
}

static void add_launch(struct walk *walk, const struct tp_idle_piece *piece)
{
    struct tp_time_maker *maker = walk->maker;
    const struct tp_event *launch = launch_of(maker, piece);
    struct tp_str name = tp_trace_name(maker->model->trace, launch);
    int64_t ns = tp_sat_sub(piece->b, piece->a), latencies = 20;
    const char *before = "";
    if (is_held(walk, piece->a, piece->b, latencies)) {
        maker->tree->held_ns = tp_sat_add(maker->tree->held_ns, ns);
        before = "first call of the record blocks: ";
    } else if (launch->dur_ns > tp_ns_max(LONG_NS, latencies * maker->tree->latency_ns)) {
        before = "blocks: ";
    }
    size_t skip = strlen(before);
    char *text = tp_arena_alloc(maker->arena, skip + name.len);
    memcpy(text, before, skip);
    memcpy(text + skip, name.ptr, name.len);
    add(walk, "launch", (struct tp_str){text, skip + name.len}, ns);
}

/* What was called and had not started: as long as a start takes, then for another reason. */
static void add_queue(struct walk *walk, const struct tp_idle_piece *piece)
{
    const struct tp_time_maker *maker = walk->maker;
    int64_t started = tp_sat_add(launched_at(maker, piece), maker->tree->latency_ns);
    int64_t from = tp_ns_min(tp_ns_max(started, piece->a), piece->b), ns = tp_sat_sub(piece->b, from);
    add(walk, "queue", TP_STR("start latency"), tp_sat_sub(from, piece->a));
    if (is_held(walk, from, piece->b, 10))
        add_held(walk, ns);
    else if (tp_is_graph_launched(maker->model, piece->next))
        add(walk, "queue", TP_STR("between kernels of one graph"), ns);
    else
        add(walk, "queue", TP_STR("waits for its stream, an event or a copy"), ns);
}

void tp_time_add_idle(struct tp_time_maker *maker)
{
    const struct tp_gpu *gpu = maker->gpu;
    struct walk walk = {.maker = maker, .total_ns = tp_ns_max(1, tp_intervals_length(gpu->busy))};
    find_latency(maker);
    add_hosts(maker);
    for (uint32_t i = 0; i < gpu->idle_count; i++) {
        const struct tp_idle_piece *piece = &gpu->idle[i];
        int64_t ns = tp_sat_sub(piece->b, piece->a);
        switch (piece->part) {
        case TP_IDLE_LAUNCH:
            add_launch(&walk, piece);
            break;
        case TP_IDLE_QUEUE:
            add_queue(&walk, piece);
            break;
        case TP_IDLE_OUTSIDE:
            add(&walk, "outside", TP_STR("before the first or after the last recorded operation"), ns);
            break;
        case TP_IDLE_UNKNOWN:
            if (is_held(&walk, piece->a, piece->b, 10))
                add_held(&walk, ns);
            else
                add(&walk, "unknown", TP_STR("the launch of the next operation is not recorded"), ns);
            break;
        default: /* the host: by its flame */
            break;
        }
    }
}
