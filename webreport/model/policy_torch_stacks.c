/* Recorded stacks, and forward stacks for backward operators: see policy_torch_stacks.h. */
#include "webreport/model/policy_torch_stacks.h"

#include "webreport/model/marks.h"
#include "writer/base/id_map.h"
#include "writer/base/keys.h"

static const char evaluator[] = TP_BACKWARD_NODE " ";

/* ---- recorded ones ---- */

/* torch's _filter_stack_entry. */
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

/* List of a stack's frames. */
static uint32_t list_frames(struct tp_function_stacks *stacks, uint32_t node)
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

/* Id of the recorded stack in trace->stack_texts, or TP_NO_ID. */
static uint32_t argument_of(const struct tp_functions *functions, const struct tp_function *f)
{
    const struct tp_event *e = tp_function_event(functions, f);
    const struct tp_host_detail *host = tp_function_detail(functions, f);
    if (host)
        return host->stack;
    if (!e || e->detail == TP_NO_ID)
        return TP_NO_ID;
    return e->kind == TP_KIND_FRAME    ? e->detail
           : e->kind == TP_KIND_MODULE ? functions->trace->modules[e->detail].stack
                                       : TP_NO_ID;
}

static void read_arguments(struct tp_function_stacks *stacks, const struct tp_functions *functions)
{
    const struct tp_stacks *trie = functions->trace->stacks;
    uint32_t *known =
        tp_arena_array(stacks->frames.arena, functions->trace->stack_texts.count, sizeof *known); /* list + 1 */
    for (uint32_t i = 0; i < functions->count; i++) {
        uint32_t id = argument_of(functions, &functions->items[i]);
        if (id == TP_NO_ID)
            continue;
        if (!known[id])
            known[id] = list_frames(stacks, tp_stacks_of_text(trie, id)) + 1;
        stacks->list_of[i] = known[id] - 1;
    }
}

/* ---- backward operators ---- */

struct backward {
    const struct tp_functions *functions;
    struct tp_function_stacks *stacks;
    uint32_t *root;                  /* by function: the backward operator around it (or itself), TP_NO_ID */
    struct tp_id_map forward_thread; /* thread by torch's own number of it */
    struct tp_keys forward;          /* (sequence number, thread) */
    struct tp_vec forward_list;      /* uint32_t by tuple: list of the first such function */
};

static int64_t sequence_of(const struct backward *b, uint32_t function)
{
    const struct tp_host_detail *host = tp_function_detail(b->functions, &b->functions->items[function]);
    int64_t sequence = host ? tp_host_more(b->functions->trace, host).sequence : TP_NULL_INT;
    return sequence == TP_NULL_INT ? -1 : sequence;
}

static int64_t forward_number(const struct backward *b, uint32_t function)
{
    const struct tp_host_detail *host = tp_function_detail(b->functions, &b->functions->items[function]);
    int64_t thread = host ? tp_host_more(b->functions->trace, host).forward_thread : TP_NULL_INT;
    return thread == TP_NULL_INT ? 0 : thread;
}

/* By name id: the name of the evaluator of that operator, TP_NO_ID for most. */
static uint32_t *evaluators(const struct tp_functions *functions, struct tp_arena *arena)
{
    const struct tp_strings *names = &functions->trace->names;
    uint32_t *found = tp_arena_array(arena, names->count, sizeof *found);
    memset(found, 0xFF, names->count * sizeof *found);
    for (uint32_t i = 0; i < names->count; i++) {
        struct tp_str name = names->items[i];
        if (!tp_str_starts(name, evaluator))
            continue;
        size_t n = sizeof evaluator - 1;
        uint32_t id = tp_strings_find(names, (struct tp_str){name.ptr + n, name.len - n});
        if (id != TP_NO_ID)
            found[id] = i;
    }
    return found;
}

static void find_roots(struct backward *b, struct tp_arena *arena)
{
    const struct tp_functions *functions = b->functions;
    const uint32_t *evaluator_of = evaluators(functions, arena);
    b->root = tp_arena_array(arena, functions->count, sizeof *b->root);
    for (uint32_t i = 0; i < functions->count; i++) {
        const struct tp_function *f = &functions->items[i];
        b->root[i] = TP_NO_ID;
        if (f->parent == TP_NO_ID || (f->flags & TP_FUNCTION_FOLDED))
            continue;
        bool is_root = (f->flags & TP_FUNCTION_OPERATOR) && f->name < functions->trace->names.count &&
                       functions->items[f->parent].name == evaluator_of[f->name];
        b->root[i] = is_root ? i : b->root[f->parent];
    }
}

/* Learns torch's numbers of threads from the links between forward and backward operators. */
static void find_threads(struct backward *b, struct tp_arena *arena)
{
    const struct tp_functions *functions = b->functions;
    const struct tp_trace *trace = functions->trace;
    struct tp_keys sites; /* (thread, start) of operators that name a forward thread */
    struct tp_vec number = TP_VEC(arena, int64_t);
    uint32_t *start_thread = tp_arena_array(arena, trace->texts.count, sizeof *start_thread);
    tp_keys_init(&sites, arena, 3);
    memset(start_thread, 0xFF, trace->texts.count * sizeof *start_thread);
    for (uint32_t i = 0; i < functions->count; i++) {
        const struct tp_function *f = &functions->items[i];
        int64_t forward = (f->flags & TP_FUNCTION_FOLDED) ? 0 : forward_number(b, i);
        if (forward == 0)
            continue;
        uint32_t site = tp_keys_add(
            &sites, (uint32_t[]){f->thread, (uint32_t)f->start_ns, (uint32_t)((uint64_t)f->start_ns >> 32)});
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
        uint32_t site = tp_keys_find(
            &sites, (uint32_t[]){flow->thread, (uint32_t)flow->ts_ns, (uint32_t)((uint64_t)flow->ts_ns >> 32)});
        if (site != TP_NO_ID)
            *tp_id_map_put(&b->forward_thread, (uint64_t)*TP_AT(&number, int64_t, site)) = start_thread[flow->id];
    }
}

static void find_forward(struct backward *b)
{
    const struct tp_functions *functions = b->functions;
    for (uint32_t i = 0; i < functions->count; i++) {
        const struct tp_function *f = &functions->items[i];
        if (b->root[i] != TP_NO_ID || (f->flags & TP_FUNCTION_FOLDED))
            continue;
        uint64_t sequence = (uint64_t)sequence_of(b, i);
        uint32_t id = tp_keys_add(&b->forward, (uint32_t[]){(uint32_t)sequence, (uint32_t)(sequence >> 32), f->thread});
        if (id == b->forward_list.count)
            *(uint32_t *)tp_vec_push(&b->forward_list) = b->stacks->list_of[i];
    }
}

static uint32_t forward_stack(const struct backward *b, uint32_t root)
{
    uint64_t sequence = (uint64_t)sequence_of(b, root);
    int64_t forward = forward_number(b, root);
    const uint32_t *thread = forward ? tp_id_map_find(&b->forward_thread, (uint64_t)forward) : NULL;
    if (!thread)
        return 0;
    uint32_t id = tp_keys_find(&b->forward, (uint32_t[]){(uint32_t)sequence, (uint32_t)(sequence >> 32), *thread});
    return id == TP_NO_ID ? 0 : *TP_AT(&b->forward_list, uint32_t, id);
}

void tp_function_stacks_build(struct tp_function_stacks *stacks, const struct tp_functions *functions,
                              struct tp_arena *arena)
{
    struct backward b = {.functions = functions, .stacks = stacks};
    memset(stacks, 0, sizeof *stacks);
    stacks->trie = functions->trace->stacks;
    stacks->frames = TP_VEC(arena, uint32_t);
    stacks->lists = TP_VEC(arena, struct tp_frame_list);
    tp_vec_push(&stacks->lists);
    stacks->list_of = tp_arena_array(arena, functions->count, sizeof *stacks->list_of);
    read_arguments(stacks, functions);
    if (stacks->lists.count == 1) /* nothing was recorded */
        return;
    tp_id_map_init(&b.forward_thread, arena);
    tp_keys_init(&b.forward, arena, 3);
    b.forward_list = TP_VEC(arena, uint32_t);
    find_roots(&b, arena);
    find_threads(&b, arena);
    find_forward(&b);
    for (uint32_t i = 0; i < functions->count; i++)
        if (b.root[i] != TP_NO_ID)
            stacks->list_of[i] = forward_stack(&b, b.root[i]);
}
