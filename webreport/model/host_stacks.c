/* One merge of a thread's events with the pieces. Each entry of the stack knows the earliest end at or below it, so
 * that the next change is found in O(1); entries end at the top nearly always, and what is above an entry that ends
 * within the stack is computed anew. */
#include "webreport/model/host_stacks.h"

struct entry {
    int64_t end, earliest_end; /* its own, and the least of the entries up to it */
    uint32_t event, node;
    uint32_t line, annotation, op, runtime, python; /* what the fold of the stack up to here is made of */
};

struct tp_host_stack_scratch {
    const struct tp_host_stack_walk *walk;
    struct entry entries[TP_HOST_STACK_LIMIT];
    unsigned depth;
    const uint32_t *list; /* events of the thread from the current one on */
    const uint32_t *list_end;
};

static const char *const fold_texts[] = {
    [TP_HOST_FOLD_ANNOTATION] = "annotation", [TP_HOST_FOLD_LINE] = "line",     [TP_HOST_FOLD_NONE] = "none",
    [TP_HOST_FOLD_OPERATOR] = "op",           [TP_HOST_FOLD_PYTHON] = "python", [TP_HOST_FOLD_RUNTIME] = "runtime",
};

const char *tp_host_fold_kind_text(enum tp_host_fold_kind kind)
{
    return fold_texts[kind];
}

struct tp_str tp_host_fold_text(const struct tp_host *host, struct tp_host_fold fold)
{
    return tp_strings_get(fold.kind == TP_HOST_FOLD_LINE ? &host->frames.lines : &host->frames.frames, fold.text);
}

void tp_host_stack_tree_init(struct tp_host_stack_tree *tree, struct tp_arena *arena)
{
    tp_id_map_init(&tree->children, arena);
    tree->nodes = TP_VEC(arena, struct tp_host_stack_node);
    *(struct tp_host_stack_node *)tp_vec_push(&tree->nodes) =
        (struct tp_host_stack_node){TP_NO_ID, TP_NO_ID, 0, TP_FRAME_NONE};
}

uint32_t tp_host_stack_tree_child(struct tp_host_stack_tree *tree, uint32_t parent, enum tp_frame_kind kind,
                                  uint32_t frame)
{
    uint32_t *node =
        tp_id_map_put(&tree->children, tp_id_pair(parent, frame * (uint32_t)TP_FRAME_KIND_COUNT + (uint32_t)kind));
    if (*node == TP_NO_ID) {
        uint32_t depth = TP_AT(&tree->nodes, struct tp_host_stack_node, parent)->depth + 1;
        *node = (uint32_t)tree->nodes.count;
        *(struct tp_host_stack_node *)tp_vec_push(&tree->nodes) =
            (struct tp_host_stack_node){parent, frame, depth, (uint8_t)kind};
    }
    return *node;
}

/* Puts an event on top of the stack. */
static void push(struct tp_host_stack_scratch *stack, uint32_t event)
{
    static const struct entry empty = {INT64_MAX, INT64_MAX, TP_NO_ID, 0,       TP_NO_ID,
                                       TP_NO_ID,  TP_NO_ID,  TP_NO_ID, TP_NO_ID};
    struct tp_host *host = stack->walk->host;
    const struct tp_event *e = tp_host_event(host, event);
    if (stack->depth == TP_HOST_STACK_LIMIT)
        return;
    struct entry x = stack->depth ? stack->entries[stack->depth - 1] : empty;
    uint32_t frame = tp_host_frames_frame(&host->frames, e->name);
    x.end = tp_event_end(e);
    x.earliest_end = tp_ns_min(x.earliest_end, x.end);
    x.event = event;
    if (stack->walk->tree)
        x.node = tp_host_stack_tree_child(stack->walk->tree, x.node, tp_frame_kind_of(tp_old_role(e)), frame);
    if (tp_old_role(e) == TP_KIND_FRAME) {
        uint32_t line = tp_host_frames_line(&host->frames, e->name);
        x.line = line != TP_NO_ID ? line : x.line;
        x.python = x.python != TP_NO_ID ? x.python : frame;
    } else if (tp_old_role(e) == TP_KIND_ANNOTATION) {
        x.annotation = host->marks[e->name] & TP_NAME_STEP_PREFIX ? x.annotation : frame;
    } else if (tp_old_role(e) == TP_KIND_OPERATOR) {
        x.op = x.op != TP_NO_ID ? x.op : frame;
    } else {
        x.runtime = x.runtime != TP_NO_ID ? x.runtime : frame;
    }
    stack->entries[stack->depth++] = x;
}

/* Takes off what has ended at `at`. */
static void remove_ended(struct tp_host_stack_scratch *stack, int64_t at)
{
    unsigned first = stack->depth, old_depth = stack->depth;
    while (first && stack->entries[first - 1].earliest_end <= at)
        first--;
    stack->depth = first;
    for (unsigned i = first; i < old_depth; i++)
        if (stack->entries[i].end > at)
            push(stack, stack->entries[i].event);
}

/* Puts on what starts until `at` and goes on behind it. */
static void add_started(struct tp_host_stack_scratch *stack, int64_t at)
{
    const struct tp_event *events = stack->walk->host->trace->events;
    for (; stack->list < stack->list_end && events[*stack->list].ts_ns <= at; stack->list++)
        if (tp_event_end(&events[*stack->list]) > at)
            push(stack, *stack->list);
}

static struct tp_host_fold fold_of(const struct tp_host_stack_scratch *stack)
{
    if (!stack->depth)
        return (struct tp_host_fold){TP_HOST_FOLD_NONE, stack->walk->host->frames.no_event};
    const struct entry *x = &stack->entries[stack->depth - 1];
    if (x->line != TP_NO_ID)
        return (struct tp_host_fold){TP_HOST_FOLD_LINE, x->line};
    if (x->annotation != TP_NO_ID)
        return (struct tp_host_fold){TP_HOST_FOLD_ANNOTATION, x->annotation};
    if (x->op != TP_NO_ID)
        return (struct tp_host_fold){TP_HOST_FOLD_OPERATOR, x->op};
    if (x->runtime != TP_NO_ID)
        return (struct tp_host_fold){TP_HOST_FOLD_RUNTIME, x->runtime};
    if (x->python != TP_NO_ID)
        return (struct tp_host_fold){TP_HOST_FOLD_PYTHON, x->python};
    return (struct tp_host_fold){TP_HOST_FOLD_NONE, stack->walk->host->frames.no_event}; /* only ProfilerStep */
}

static void visit(const struct tp_host_stack_scratch *stack, int64_t a, int64_t b, uint32_t tag)
{
    const struct entry *top = stack->depth ? &stack->entries[stack->depth - 1] : NULL;
    struct tp_host_stack_segment segment = {
        a, b, tag, top ? top->event : TP_NO_ID, top ? top->node : 0, fold_of(stack),
    };
    stack->walk->visit(stack->walk->context, &segment);
}

static void walk_piece(struct tp_host_stack_scratch *stack, const struct tp_host_stack_piece *piece)
{
    const struct tp_event *events = stack->walk->host->trace->events;
    int64_t at = piece->a;
    remove_ended(stack, at);
    add_started(stack, at);
    while (at < piece->b) {
        int64_t next = piece->b;
        if (stack->list < stack->list_end)
            next = tp_ns_min(next, events[*stack->list].ts_ns);
        if (stack->depth)
            next = tp_ns_min(next, stack->entries[stack->depth - 1].earliest_end);
        if (next > at)
            visit(stack, at, next, piece->tag);
        at = next;
        remove_ended(stack, at);
        add_started(stack, at);
    }
}

void tp_host_stack_walk(struct tp_host_stack_walk *walk, uint32_t thread, const struct tp_host_stack_piece *pieces,
                        size_t piece_count)
{
    struct tp_host *host = walk->host;
    if (!walk->scratch)
        walk->scratch = tp_arena_alloc(host->arena, sizeof *walk->scratch);
    struct tp_host_stack_scratch *stack = walk->scratch;
    stack->walk = walk;
    stack->depth = 0;
    stack->list = stack->list_end = NULL;
    if (thread != TP_NO_ID) {
        stack->list = host->list + host->thread_first[thread];
        stack->list_end = host->list + host->thread_first[thread + 1];
    }
    for (size_t i = 0; i < piece_count; i++)
        walk_piece(stack, &pieces[i]);
}
