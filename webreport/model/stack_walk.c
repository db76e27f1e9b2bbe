/* Visits the stacks of host events of a thread within given slices of time: see stack_walk.h. Each entry of the stack
 * contains the earliest end of this entry and all outer entries, so that the next change is found in O(1). The entry
 * that ends first is nearly always the innermost. If an outer entry ends first, the entries inside it are computed
 * again. */
#include "webreport/model/stack_walk.h"

#include "webreport/model/numbers.h"

struct entry {
    /* end: end of the event, ns; earliest_end: earliest end of this entry and all outer entries, ns */
    int64_t end, earliest_end;
    uint32_t event, node;
    /* candidates for the text that represents the stack up to this entry. line: line id in trace->frames; the others:
     * label ids; TP_NO_ID: no candidate */
    uint32_t line, annotation, op, runtime, frame;
    uint32_t work, loader, outermost; /* as in struct tp_stack_segment */
    uint64_t bits;
    bool has_users_line; /* true if `line` is in the user's own code, not in an installed package */
};

struct tp_stack_scratch {
    const struct tp_stack_walk *walk;
    struct entry entries[TP_STACK_LIMIT];
    unsigned depth;
    const uint32_t *list; /* events of the thread that are not visited yet */
    const uint32_t *list_end;
};

static const struct entry NO_ENTRY = {INT64_MAX, INT64_MAX, TP_NO_ID, 0,        TP_NO_ID, TP_NO_ID, TP_NO_ID,
                                      TP_NO_ID,  TP_NO_ID,  TP_NO_ID, TP_NO_ID, TP_NO_ID, 0,        false};

const char *tp_stack_kind_text(enum tp_stack_kind kind)
{
    static const char *const texts[TP_STACK_KINDS] = {
        [TP_STACK_ANNOTATION] = "annotation", [TP_STACK_FRAME] = "frame", [TP_STACK_LINE] = "line",
        [TP_STACK_MODULE] = "module",         [TP_STACK_NONE] = "none",   [TP_STACK_OPERATOR] = "operator",
        [TP_STACK_RUNTIME] = "runtime",
    };
    return texts[kind];
}

static enum tp_stack_kind stack_kind_of_event(const struct tp_event *event)
{
    switch (event->kind) {
    case TP_KIND_ANNOTATION:
        return TP_STACK_ANNOTATION;
    case TP_KIND_FRAME:
        return TP_STACK_FRAME;
    case TP_KIND_MODULE:
        return TP_STACK_MODULE;
    case TP_KIND_OPERATOR:
        return TP_STACK_OPERATOR;
    default:
        return TP_STACK_RUNTIME;
    }
}

struct tp_str tp_fold_text(const struct tp_model *model, struct tp_fold fold)
{
    const struct tp_frames *frames = &model->trace->frames;
    return fold.kind == TP_STACK_LINE ? tp_frames_line_text(frames, fold.text)
                                      : tp_frames_label_text(frames, fold.text);
}

int tp_fold_compare(const struct tp_model *model, struct tp_fold x, struct tp_fold y)
{
    if (x.kind != y.kind)
        return x.kind < y.kind ? -1 : 1;
    return x.text == y.text ? 0 : tp_str_compare(tp_fold_text(model, x), tp_fold_text(model, y));
}

void tp_stack_tree_init(struct tp_stack_tree *tree, struct tp_arena *arena)
{
    tp_id_map_init(&tree->children, arena);
    tree->nodes = TP_VEC(arena, struct tp_stack_node);
    *(struct tp_stack_node *)tp_vec_push(&tree->nodes) = (struct tp_stack_node){TP_NO_ID, TP_NO_ID, 0, TP_STACK_NONE};
}

uint32_t tp_stack_tree_child(struct tp_stack_tree *tree, uint32_t parent, enum tp_stack_kind kind, uint32_t label)
{
    uint32_t *node =
        tp_id_map_find_or_add(&tree->children, tp_id_pair(parent, label * (uint32_t)TP_STACK_KINDS + (uint32_t)kind));
    if (*node == TP_NO_ID) {
        uint32_t depth = TP_AT(&tree->nodes, struct tp_stack_node, parent)->depth + 1;
        *node = (uint32_t)tree->nodes.count;
        *(struct tp_stack_node *)tp_vec_push(&tree->nodes) = (struct tp_stack_node){parent, label, depth, kind};
    }
    return *node;
}

static uint32_t first_valid_id(uint32_t outer, uint32_t inner)
{
    return outer != TP_NO_ID ? outer : inner;
}

/* Pushes an event on the stack. */
static void push_event(struct tp_stack_scratch *stack, uint32_t event)
{
    const struct tp_model *model = stack->walk->model;
    const struct tp_frames *frames = &model->trace->frames;
    const struct tp_event *e = &model->trace->events[event];
    if (stack->depth == TP_STACK_LIMIT)
        return;
    struct entry x = stack->depth ? stack->entries[stack->depth - 1] : NO_ENTRY;
    uint32_t label = tp_frames_label(frames, e->name);
    uint64_t marks = model->marks[e->name];
    enum tp_stack_kind kind = stack_kind_of_event(e);
    x.end = tp_event_end(e);
    x.earliest_end = tp_ns_min(x.earliest_end, x.end);
    x.event = event;
    if (stack->walk->tree)
        x.node = tp_stack_tree_child(stack->walk->tree, x.node, kind, label);
    if (kind == TP_STACK_FRAME || kind == TP_STACK_MODULE) {
        uint32_t line = tp_frames_line(frames, e->name);
        bool is_user_code = tp_frames_is_user_code(frames, e->name);
        if (line != TP_NO_ID && (is_user_code || !x.has_users_line)) {
            x.line = line;
            x.has_users_line = is_user_code;
        }
        x.frame = first_valid_id(x.frame, label);
    } else if (kind == TP_STACK_ANNOTATION) {
        x.annotation = marks & TP_MARK_STEP ? x.annotation : label;
        x.work = marks & TP_MARK_COLLECTIVE ? event : x.work;
        x.loader = marks & TP_MARK_LOADER ? first_valid_id(x.loader, event) : x.loader;
    } else if (kind == TP_STACK_OPERATOR) {
        x.op = first_valid_id(x.op, label);
        x.outermost = first_valid_id(x.outermost, event);
        x.bits |= stack->walk->bits_of_name ? stack->walk->bits_of_name[e->name] : 0;
        x.work = event;
        x.loader = marks & TP_MARK_LOADER ? first_valid_id(x.loader, event) : x.loader;
    } else {
        x.runtime = first_valid_id(x.runtime, label);
        x.work = event;
    }
    stack->entries[stack->depth++] = x;
}

/* Removes the entries that ended at or before the time `at`, ns. */
static void remove_ended_entries(struct tp_stack_scratch *stack, int64_t at)
{
    unsigned first = stack->depth, old_depth = stack->depth;
    while (first && stack->entries[first - 1].earliest_end <= at)
        first--;
    stack->depth = first;
    for (unsigned i = first; i < old_depth; i++)
        if (stack->entries[i].end > at)
            push_event(stack, stack->entries[i].event);
}

/* Pushes the events that start at or before the time `at`, ns, and end after it. */
static void push_started_events(struct tp_stack_scratch *stack, int64_t at)
{
    const struct tp_event *events = stack->walk->model->trace->events;
    for (; stack->list < stack->list_end && events[*stack->list].ts_ns <= at; stack->list++)
        if (tp_event_end(&events[*stack->list]) > at)
            push_event(stack, *stack->list);
}

static struct tp_fold make_fold_of_entry(const struct entry *x, uint32_t no_event)
{
    if (x->line != TP_NO_ID)
        return (struct tp_fold){TP_STACK_LINE, x->line};
    if (x->annotation != TP_NO_ID)
        return (struct tp_fold){TP_STACK_ANNOTATION, x->annotation};
    if (x->op != TP_NO_ID)
        return (struct tp_fold){TP_STACK_OPERATOR, x->op};
    if (x->runtime != TP_NO_ID)
        return (struct tp_fold){TP_STACK_RUNTIME, x->runtime};
    if (x->frame != TP_NO_ID)
        return (struct tp_fold){TP_STACK_FRAME, x->frame};
    return (struct tp_fold){TP_STACK_NONE, no_event}; /* the stack is empty or has only steps */
}

static void call_visitor_for_segment(const struct tp_stack_scratch *stack, int64_t a, int64_t b, uint32_t tag)
{
    const struct entry *top = stack->depth ? &stack->entries[stack->depth - 1] : &NO_ENTRY;
    struct tp_fold fold = make_fold_of_entry(top, stack->walk->model->trace->frames.no_event);
    struct tp_stack_segment segment = {
        a, b, tag, top->event, top->node, top->work, top->loader, top->outermost, top->bits, fold};
    stack->walk->visit(stack->walk->context, &segment);
}

static void visit_segments_of_slice(struct tp_stack_scratch *stack, const struct tp_stack_slice *piece)
{
    const struct tp_event *events = stack->walk->model->trace->events;
    int64_t at = piece->a;
    remove_ended_entries(stack, at);
    push_started_events(stack, at);
    while (at < piece->b) {
        int64_t next = piece->b;
        if (stack->list < stack->list_end)
            next = tp_ns_min(next, events[*stack->list].ts_ns);
        if (stack->depth)
            next = tp_ns_min(next, stack->entries[stack->depth - 1].earliest_end);
        if (next > at)
            call_visitor_for_segment(stack, at, next, piece->tag);
        at = next;
        remove_ended_entries(stack, at);
        push_started_events(stack, at);
    }
}

void tp_stack_walk(struct tp_stack_walk *walk, uint32_t thread, const struct tp_stack_slice *slices, size_t count)
{
    const struct tp_order *order = walk->model->order;
    if (!walk->scratch)
        walk->scratch = tp_arena_alloc(walk->arena, sizeof *walk->scratch);
    struct tp_stack_scratch *stack = walk->scratch;
    stack->walk = walk;
    stack->depth = 0;
    stack->list = stack->list_end = NULL;
    if (thread != TP_NO_ID) {
        stack->list = order->host + order->thread_first[thread];
        stack->list_end = order->host + order->thread_first[thread + 1];
    }
    for (size_t i = 0; i < count; i++)
        visit_segments_of_slice(stack, &slices[i]);
}

/* Returns the group of a slice in the counting sort: its thread, or thread_count for a slice without a thread. */
static uint32_t sort_group_of_slice(const struct tp_model *model, const struct tp_gpu *gpu,
                                    const struct tp_idle_slice *piece)
{
    uint32_t thread = tp_idle_thread(model, gpu, piece);
    return thread == TP_NO_ID ? model->trace->thread_count : thread;
}

/* Visits idle slices, grouped by thread. chosen: `count` indexes of slices in gpu->idle; NULL for the slices that start
 * at index `first`. */
static void walk_by_thread(struct tp_stack_walk *walk, const struct tp_gpu *gpu, const uint32_t *chosen, uint32_t first,
                           uint32_t count)
{
    uint32_t none = walk->model->trace->thread_count;
    size_t *from = tp_arena_array(walk->arena, (size_t)none + 3, sizeof *from);
    struct tp_stack_slice *sorted = tp_arena_array(walk->arena, count, sizeof *sorted);
    for (uint32_t i = 0; i < count; i++)
        from[sort_group_of_slice(walk->model, gpu, &gpu->idle[chosen ? chosen[i] : first + i]) + 2]++;
    for (uint32_t t = 2; t < none + 3; t++)
        from[t] += from[t - 1];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = chosen ? chosen[i] : first + i;
        const struct tp_idle_slice *piece = &gpu->idle[index];
        size_t *place = &from[sort_group_of_slice(walk->model, gpu, piece) + 1];
        sorted[(*place)++] = (struct tp_stack_slice){piece->a, piece->b, index};
    }
    for (uint32_t t = 0; t <= none; t++)
        if (from[t + 1] > from[t])
            tp_stack_walk(walk, t == none ? TP_NO_ID : t, sorted + from[t], from[t + 1] - from[t]);
    tp_arena_free_item(walk->arena, sorted, count * sizeof *sorted);
    tp_arena_free_item(walk->arena, from, ((size_t)none + 3) * sizeof *from);
}

void tp_stack_walk_idle(struct tp_stack_walk *walk, const struct tp_gpu *gpu, uint32_t first, uint32_t end)
{
    walk_by_thread(walk, gpu, NULL, first, end - first);
}

void tp_stack_walk_chosen_slices(struct tp_stack_walk *walk, const struct tp_gpu *gpu, const uint32_t *chosen,
                                 uint32_t count)
{
    walk_by_thread(walk, gpu, chosen, 0, count);
}
