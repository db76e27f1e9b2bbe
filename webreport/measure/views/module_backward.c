/* Implements module_backward.h: finds the autograd nodes that belong to a module's forward operators. Uses
 * forward-backward links; if the trace has none, uses sequence numbers. */
#include "webreport/measure/views/module_backward.h"

#include "writer/base/renumber.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

struct backward {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_backward_sum *sums;
    /* for each operator: the outermost autograd node that contains the operator, or the operator itself if it is that
     * node; TP_NO_ID: no node */
    uint32_t *top;
    /* for each operator: 1 if it is an autograd node whose time is already in `sums`, so that no node is added twice */
    uint8_t *is_used;
    struct tp_keyed *unfinished; /* unfinished operators, sorted by start and index */
};

/* a forward-backward link of the trace; both ends are known */
struct link {
    const struct tp_flow *forward, *backward;
};

static void find_outermost_operators(struct backward *b)
{
    const struct tp_operators *ops = &b->model->operators;
    b->top = tp_arena_array(b->arena, ops->count, sizeof *b->top);
    b->is_used = tp_arena_array(b->arena, ops->count, sizeof *b->is_used);
    for (uint32_t i = 0; i < ops->count; i++) {
        bool is_node = b->model->marks[tp_operator_event(b->model, i)->name] & TP_MARK_BACKWARD_NODE;
        b->top[i] = ops->parent[i] == TP_NO_ID ? TP_NO_ID : b->top[ops->parent[i]];
        if (b->top[i] == TP_NO_ID && is_node)
            b->top[i] = i;
    }
}

/* Adds the time of the autograd node that contains operator `backward` to the module of operator `forward`. Adds each
 * node only once. */
static void add_backward_times_to_module(struct backward *b, uint32_t forward, uint32_t backward)
{
    const struct tp_operators *ops = &b->model->operators;
    uint32_t node = b->top[backward] == TP_NO_ID ? backward : b->top[backward];
    uint32_t module = ops->module[forward];
    if (module == TP_NO_ID || b->is_used[node])
        return;
    b->is_used[node] = 1;
    b->sums[module].calls++;
    b->sums[module].host_ns = tp_sat_add(b->sums[module].host_ns, tp_operator_event(b->model, node)->dur_ns);
    b->sums[module].device_ns = tp_sat_add(b->sums[module].device_ns, tp_narrow_get(&ops->device_total, node));
}

/* ---- links ---- */

/* Returns the first finished operator of the thread that starts at time `at` or later. */
static uint32_t first_operator_at_or_after(const struct tp_model *model, uint32_t thread, int64_t at)
{
    uint32_t lo = model->operators.thread_first[thread], hi = model->operators.thread_first[thread + 1];
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (tp_operator_event(model, mid)->ts_ns < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Returns whether x precedes y in the call tree of their thread. The order is by start, then by end (later end first),
 * then by position in the file. Unfinished operators are compared in the same way. */
static bool comes_before_in_tree(const struct tp_model *model, uint32_t x, uint32_t y)
{
    const struct tp_event *a = tp_operator_event(model, x), *b = tp_operator_event(model, y);
    if (a->ts_ns != b->ts_ns)
        return a->ts_ns < b->ts_ns;
    if (a->dur_ns != b->dur_ns)
        return a->dur_ns > b->dur_ns;
    return model->operators.event[x] < model->operators.event[y];
}

/* Returns an operator of the thread that starts exactly at time `at`: the innermost such operator if wants_last is
 * true, otherwise the outermost. Returns TP_NO_ID if no operator starts at this time. */
static uint32_t operator_at(const struct backward *b, uint32_t thread, int64_t at, bool wants_last)
{
    const struct tp_operators *ops = &b->model->operators;
    uint32_t first = first_operator_at_or_after(b->model, thread, at), end = ops->thread_first[thread + 1],
             found = TP_NO_ID;
    if (first < end && tp_operator_event(b->model, first)->ts_ns == at) {
        found = first;
        if (wants_last)
            found = (at == INT64_MAX ? end : first_operator_at_or_after(b->model, thread, at + 1)) - 1;
    }
    if (!ops->unfinished_count)
        return found;
    size_t lo = 0, hi = ops->unfinished_count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (b->unfinished[mid].key < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < ops->unfinished_count && b->unfinished[lo].key == at; lo++) {
        uint32_t item = b->unfinished[lo].item;
        if (tp_operator_event(b->model, item)->thread == thread &&
            (found == TP_NO_ID || comes_before_in_tree(b->model, item, found) != wants_last))
            found = item;
    }
    return found;
}

/* Orders links by the time of their backward end, then by the time of their forward end. */
static int compare_links(const void *context, uint32_t i, uint32_t j)
{
    const struct link *x = (const struct link *)context + i, *y = (const struct link *)context + j;
    if (x->backward->ts_ns != y->backward->ts_ns)
        return x->backward->ts_ns < y->backward->ts_ns ? -1 : 1;
    return (x->forward->ts_ns > y->forward->ts_ns) - (x->forward->ts_ns < y->forward->ts_ns);
}

/* The links and the texts of their ids, which order links with equal times. */
struct link_order {
    const struct link *links;
    const struct tp_strings *texts;
};

static int compare_links_and_ids(const void *context, uint32_t i, uint32_t j)
{
    const struct link_order *order = context;
    int decided = compare_links(order->links, i, j);
    if (decided || order->links[i].backward->id == order->links[j].backward->id)
        return decided;
    return tp_str_compare(order->texts->items[order->links[i].backward->id],
                          order->texts->items[order->links[j].backward->id]);
}

/* Returns the forward-backward links of the trace: one link for each backward end whose link id also has a start. If an
 * id has several starts, uses the last start. */
static struct tp_vec find_forward_backward_links(const struct backward *b)
{
    const struct tp_trace *trace = b->model->trace;
    struct tp_vec links = TP_VEC(b->arena, struct link);
    const struct tp_flow **start = tp_arena_array(b->arena, trace->texts.count, sizeof(void *));
    for (uint32_t i = 0; i < trace->flow_count; i++)
        if (trace->flows[i].is_start)
            start[trace->flows[i].id] = &trace->flows[i];
    for (uint32_t i = 0; i < trace->flow_count; i++)
        if (!trace->flows[i].is_start && start[trace->flows[i].id])
            *(struct link *)tp_vec_push(&links) = (struct link){start[trace->flows[i].id], &trace->flows[i]};
    tp_arena_free_item(b->arena, start, trace->texts.count * sizeof(void *));
    return links;
}

static void sort_unfinished(struct backward *b)
{
    const struct tp_operators *ops = &b->model->operators;
    b->unfinished = tp_arena_array(b->arena, ops->unfinished_count, sizeof *b->unfinished);
    for (uint32_t i = ops->finished_count; i < ops->count; i++)
        b->unfinished[i - ops->finished_count] =
            (struct tp_keyed){tp_operator_event(b->model, i)->ts_ns, ops->event[i], i};
    tp_sort_keyed(b->unfinished, ops->unfinished_count, b->arena);
}

static void pair_by_links(struct backward *b, const struct tp_vec *links)
{
    struct link_order order = {links->data, &b->model->trace->texts};
    uint32_t *rows = tp_arena_array(b->arena, links->count, sizeof *rows);
    sort_unfinished(b);
    for (uint32_t i = 0; i < links->count; i++)
        rows[i] = i;
    tp_sort_rows(rows, links->count, compare_links_and_ids, &order, b->arena);
    for (uint32_t i = 0; i < links->count; i++) {
        const struct link *link = &order.links[rows[i]];
        uint32_t forward = operator_at(b, link->forward->thread, link->forward->ts_ns, true);
        uint32_t backward = operator_at(b, link->backward->thread, link->backward->ts_ns, false);
        if (forward != TP_NO_ID && backward != TP_NO_ID)
            add_backward_times_to_module(b, forward, backward);
    }
    tp_arena_free_item(b->arena, rows, links->count * sizeof *rows);
}

/* ---- sequence numbers ---- */

/* for one sequence number: the last forward operator with this number, and whether operators of several threads use the
 * number */
struct forward {
    uint32_t op, thread;
    bool has_several_threads;
};

static const struct tp_host_detail *host_detail(const struct tp_model *model, uint32_t op)
{
    return &model->trace->hosts[tp_operator_event(model, op)->detail];
}

static bool is_backward_operator(const struct tp_model *model, uint32_t op)
{
    int64_t thread = tp_host_rare(model->trace, host_detail(model, op)).forward_thread;
    return thread != TP_NULL_INT && thread != 0;
}

static int64_t sequence_number(const struct tp_model *model, uint32_t op)
{
    return tp_host_rare(model->trace, host_detail(model, op)).sequence;
}

/* Orders operators as in the call tree of their thread. context: the model. */
static int compare_in_tree(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_model *model = context;
    uint32_t a = tp_operator_event(model, x)->thread, b = tp_operator_event(model, y)->thread;
    if (a != b)
        return a < b ? -1 : 1;
    return comes_before_in_tree(model, x, y) ? -1 : comes_before_in_tree(model, y, x);
}

/* Returns all operators sorted by thread, then in the order of the thread's call tree. */
static uint32_t *sort_in_tree_order(const struct backward *b)
{
    uint32_t count = b->model->operators.count, *order = tp_arena_array(b->arena, count, sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    /* without unfinished operators, the model's operators already have this order */
    if (b->model->operators.unfinished_count)
        tp_sort_rows(order, count, compare_in_tree, b->model, b->arena);
    return order;
}

static void pair_by_sequence_numbers(struct backward *b)
{
    const struct tp_operators *ops = &b->model->operators;
    int64_t highest = -1;
    struct tp_ids ids;
    struct tp_vec forwards = TP_VEC(b->arena, struct forward);
    for (uint32_t i = 0; i < ops->count; i++)
        highest = sequence_number(b->model, i) > highest ? sequence_number(b->model, i) : highest;
    if (highest < 0)
        return;
    tp_ids_init(&ids, b->arena, 0, highest, ops->count);
    const uint32_t *order = sort_in_tree_order(b);
    for (uint32_t at = 0; at < ops->count; at++) {
        uint32_t i = order[at];
        int64_t number = sequence_number(b->model, i);
        if (number < 0 || is_backward_operator(b->model, i) || b->top[i] != TP_NO_ID)
            continue;
        uint32_t id = tp_ids_add(&ids, number), thread = tp_operator_event(b->model, i)->thread;
        if (id == forwards.count)
            *(struct forward *)tp_vec_push(&forwards) = (struct forward){i, thread, false};
        struct forward *forward = TP_AT(&forwards, struct forward, id);
        forward->op = i;
        forward->has_several_threads |= forward->thread != thread;
    }
    for (uint32_t at = 0; at < ops->count; at++) {
        uint32_t i = order[at];
        int64_t number = sequence_number(b->model, i);
        uint32_t id = number >= 0 && is_backward_operator(b->model, i) ? tp_ids_find(&ids, number) : TP_NO_ID;
        if (id != TP_NO_ID && !TP_AT(&forwards, struct forward, id)->has_several_threads)
            add_backward_times_to_module(b, TP_AT(&forwards, struct forward, id)->op, i);
    }
    tp_ids_release(&ids, b->arena);
}

void tp_module_backward_build(struct tp_backward_sum *sums, const struct tp_model *model, struct tp_arena *arena)
{
    struct backward b = {.model = model, .arena = arena, .sums = sums};
    struct tp_vec links = find_forward_backward_links(&b);
    find_outermost_operators(&b);
    if (links.count)
        pair_by_links(&b, &links);
    else
        pair_by_sequence_numbers(&b);
    tp_arena_free_item(arena, b.top, model->operators.count * sizeof *b.top);
    tp_arena_free_item(arena, b.is_used, model->operators.count * sizeof *b.is_used);
}
