/* Finds the recorded stack of each item, and the forward stack of backward operators. See key_stacks.h. */
#include "webreport/measure/torch_tables/key_stacks.h"

#include "webreport/model/marks.h"
#include "writer/base/id_map.h"
#include "writer/base/keys.h"

/* ---- recorded stacks ---- */

/* Returns whether torch hides a frame, as its _filter_stack_entry does. */
static bool is_torch_frame(struct tp_str frame)
{
    static const char *const pairs[][2] = {
        {"autograd/__init__", "_make_grads"},
        {"autograd/__init__", "backward"},
        {"torch/tensor", "backward"},
        {"_internal/common_utils", "prof_callable"},
        {"_internal/common_utils", "prof_func_call"},
        {"_internal/common_utils", "prof_meth_call"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (tp_str_find(frame, pairs[i][0]) >= 0 && tp_str_find(frame, pairs[i][1]) >= 0)
            return true;
    return false;
}

/* Returns the index of the list with the frames of a stack; 0 (the empty list) if all frames are hidden. */
static uint32_t list_shown_frames(struct tp_key_stacks *stacks, uint32_t node)
{
    struct tp_frame_list list = {.first = (uint32_t)stacks->frames.count};
    while (node != TP_NO_ID) {
        struct tp_stack stack = tp_stack_at(stacks->trie, node);
        if (!is_torch_frame(tp_stack_frame_text(stacks->trie, stack.frame)))
            *(uint32_t *)tp_vec_push(&stacks->frames) = stack.frame;
        node = stack.parent;
    }
    list.count = (uint32_t)stacks->frames.count - list.first;
    if (list.count == 0)
        return 0;
    *(struct tp_frame_list *)tp_vec_push(&stacks->lists) = list;
    return (uint32_t)stacks->lists.count - 1;
}

/* Returns the id of the recorded stack in trace->stack_texts, or TP_NO_ID. */
static uint32_t recorded_stack_id(const struct tp_torch *torch, uint32_t item)
{
    const struct tp_event *e = tp_torch_event(torch, item);
    const struct tp_host_detail *host = tp_torch_detail(torch, item);
    if (host)
        return host->stack;
    if (!e || e->detail == TP_NO_ID)
        return TP_NO_ID;
    return e->kind == TP_KIND_FRAME    ? e->detail
           : e->kind == TP_KIND_MODULE ? torch->trace->modules[e->detail].stack
                                       : TP_NO_ID;
}

static void read_arguments(struct tp_key_stacks *stacks, const struct tp_torch *torch)
{
    const struct tp_trace *trace = torch->trace;
    /* for each id in stack_texts: 1 + index of its list; 0: not yet known */
    uint32_t *known = tp_arena_array(stacks->frames.arena, trace->stack_texts.count, sizeof *known);
    for (uint32_t k = 0; k < torch->count; k++) {
        uint32_t id = recorded_stack_id(torch, torch->order[k]);
        if (id == TP_NO_ID)
            continue;
        if (!known[id])
            known[id] = list_shown_frames(stacks, tp_stacks_node_of_text(trace->stacks, id)) + 1;
        stacks->list_of[torch->order[k]] = known[id] - 1;
    }
}

/* ---- stacks of backward operators ---- */

struct backward {
    const struct tp_torch *torch;
    struct tp_key_stacks *stacks;
    /* for each item: the nearest item, from the item itself outward, for which is_evaluated_by_parent is true;
     * TP_NO_ID: no such item */
    uint32_t *root;
    struct tp_id_map forward_thread; /* map from torch's own number of a thread to the index of the thread */
    struct tp_keys forward;          /* keys (sequence number, thread) of forward operators */
    /* for each key of `forward`: index of the list of frames of its first item; elements: uint32_t */
    struct tp_vec forward_list;
};

/* Returns autograd's record of an item: its sequence number, and its forward thread. Absent values are -1 and 0, as
 * in torch. */
static struct tp_host_rare autograd_record(const struct tp_torch *torch, uint32_t item)
{
    const struct tp_host_detail *host = tp_torch_detail(torch, item);
    struct tp_host_rare more = {.sequence = TP_NULL_INT, .forward_thread = TP_NULL_INT};
    if (host)
        more = tp_host_rare(torch->trace, host);
    more.sequence = more.sequence == TP_NULL_INT ? -1 : more.sequence;
    more.forward_thread = more.forward_thread == TP_NULL_INT ? 0 : more.forward_thread;
    return more;
}

/* Returns whether an operator's parent is a node of the backward pass that evaluates this operator. */
static bool is_evaluated_by_parent(const struct tp_torch *torch, uint32_t item)
{
    static const struct tp_str node = TP_STR(TP_BACKWARD_NODE " ");
    struct tp_str around = tp_torch_name_text(torch, tp_torch_name(torch, torch->parent[item]));
    if (around.len < node.len || memcmp(around.ptr, node.ptr, node.len) != 0)
        return false;
    around = (struct tp_str){around.ptr + node.len, around.len - node.len};
    return (tp_torch_flags(torch, item) & TP_TORCH_OPERATOR) &&
           tp_str_equal(around, tp_torch_name_text(torch, tp_torch_name(torch, item)));
}

static void find_outermost_autograd_items(struct backward *b, struct tp_arena *arena)
{
    const struct tp_torch *torch = b->torch;
    b->root = tp_arena_array(arena, tp_torch_item_count(torch), sizeof *b->root);
    for (uint32_t k = 0; k < torch->count; k++) {
        uint32_t i = torch->order[k], parent = torch->parent[i];
        bool has_caller = parent != TP_NO_ID && !(tp_torch_flags(torch, i) & TP_TORCH_FOLDED);
        b->root[i] = !has_caller ? TP_NO_ID : is_evaluated_by_parent(torch, i) ? i : b->root[parent];
    }
}

/* Makes a key from a thread and a time. */
#define SITE(thread, at) ((uint32_t[]){(thread), (uint32_t)(at), (uint32_t)((uint64_t)(at) >> 32)})

/* Finds torch's own thread numbers, using the links between forward and backward operators. */
static void map_torch_thread_numbers(struct backward *b, struct tp_arena *arena)
{
    const struct tp_torch *torch = b->torch;
    const struct tp_trace *trace = torch->trace;
    struct tp_keys sites; /* keys (thread, start) of the operators that record the number of a forward thread */
    /* for each key of `sites`: recorded number of the forward thread; elements: int64_t */
    struct tp_vec number = TP_VEC(arena, int64_t);
    uint32_t *start_thread = tp_arena_array(arena, trace->texts.count, sizeof *start_thread);
    tp_keys_init(&sites, arena, 3);
    memset(start_thread, 0xFF, trace->texts.count * sizeof *start_thread);
    for (uint32_t k = 0; k < torch->count; k++) {
        uint32_t i = torch->order[k];
        int64_t forward = (tp_torch_flags(torch, i) & TP_TORCH_FOLDED) ? 0 : autograd_record(torch, i).forward_thread;
        if (forward == 0)
            continue;
        uint32_t site = tp_keys_add(&sites, SITE(tp_torch_thread(torch, i), tp_torch_start(torch, i)));
        if (site == number.count)
            tp_vec_push(&number);
        *TP_AT(&number, int64_t, site) = forward;
    }
    for (uint32_t i = 0; i < trace->flow_count; i++)
        if (trace->flows[i].is_start)
            start_thread[trace->flows[i].id] = trace->flows[i].thread;
    for (uint32_t i = 0; i < trace->flow_count; i++) {
        const struct tp_flow *flow = &trace->flows[i];
        if (flow->is_start || start_thread[flow->id] == TP_NO_ID)
            continue;
        uint32_t site = tp_keys_find(&sites, SITE(flow->thread, flow->ts_ns));
        if (site != TP_NO_ID)
            *tp_id_map_find_or_add(&b->forward_thread, (uint64_t)*TP_AT(&number, int64_t, site)) =
                start_thread[flow->id];
    }
}

static void find_forward_items(struct backward *b)
{
    const struct tp_torch *torch = b->torch;
    for (uint32_t k = 0; k < torch->count; k++) {
        uint32_t i = torch->order[k];
        if (b->root[i] != TP_NO_ID || (tp_torch_flags(torch, i) & TP_TORCH_FOLDED))
            continue;
        uint32_t id = tp_keys_add(&b->forward, SITE(tp_torch_thread(torch, i), autograd_record(torch, i).sequence));
        if (id == b->forward_list.count)
            *(uint32_t *)tp_vec_push(&b->forward_list) = b->stacks->list_of[i];
    }
}

static uint32_t forward_stack(const struct backward *b, uint32_t root)
{
    struct tp_host_rare known = autograd_record(b->torch, root);
    const uint32_t *thread =
        known.forward_thread ? tp_id_map_find(&b->forward_thread, (uint64_t)known.forward_thread) : NULL;
    uint32_t id = thread ? tp_keys_find(&b->forward, SITE(*thread, known.sequence)) : TP_NO_ID;
    return id == TP_NO_ID ? 0 : *TP_AT(&b->forward_list, uint32_t, id);
}

void tp_key_stacks_build(struct tp_key_stacks *stacks, const struct tp_torch *torch, struct tp_arena *arena)
{
    struct backward b = {.torch = torch, .stacks = stacks};
    memset(stacks, 0, sizeof *stacks);
    stacks->trie = torch->trace->stacks;
    stacks->frames = TP_VEC(arena, uint32_t);
    stacks->lists = TP_VEC(arena, struct tp_frame_list);
    tp_vec_push(&stacks->lists);
    stacks->list_of = tp_arena_array(arena, tp_torch_item_count(torch), sizeof *stacks->list_of);
    read_arguments(stacks, torch);
    if (stacks->lists.count == 1) /* no item has a recorded stack */
        return;
    tp_id_map_init(&b.forward_thread, arena);
    tp_keys_init(&b.forward, arena, 3);
    b.forward_list = TP_VEC(arena, uint32_t);
    find_outermost_autograd_items(&b, arena);
    map_torch_thread_numbers(&b, arena);
    find_forward_items(&b);
    for (uint32_t k = 0; k < torch->count; k++)
        if (b.root[torch->order[k]] != TP_NO_ID)
            stacks->list_of[torch->order[k]] = forward_stack(&b, b.root[torch->order[k]]);
}
