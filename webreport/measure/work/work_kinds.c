/* Implements work_kinds.h: finds the kinds of device work. A chain is the list of operators around a launch, from the
 * innermost outward along parent[]. */
#include "webreport/measure/work/work_kinds.h"

/* the kinds that the layers of rules assign to an operator's name; TP_WORK_NONE if no rule matches */
struct name_kinds {
    /* chain, owner: kinds by the rules of chains and of owners; own: same as `owner`, but TP_WORK_NONE for wrappers */
    uint8_t chain, owner, own;
    uint8_t rest; /* kind if no other rule gives one */
    bool is_known, is_triton;
};

struct kinds {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct name_kinds *of_name;     /* kinds of each operator name, indexed by name id */
    uint8_t *found[TP_WORK_LAYERS]; /* for each layer and name id of a kernel: 1 + kind; 0: not searched yet */
    /* for each name id of a kernel: 2 if the kernel only moves values for a convolution, 1 if not; 0: not searched yet
     */
    uint8_t *near_convolution;
    /* for each thread: times inside marks of an optimizer; NULL if the trace has no such marks */
    struct tp_intervals *optimizer;
    size_t near; /* index of the optimizer mark that the last search found */
    /* for each operator: kind by the rules of chains; this is the kind of the outermost one, among the operator and its
     * ancestors, whose name has a kind */
    uint8_t *chain;
    /* for each operator: kind by the rules of owners; this is the kind of the innermost one, among the operator and its
     * ancestors, whose name has a kind */
    uint8_t *owner_kind;
};

static struct tp_str text_of_name(const struct kinds *kinds, uint32_t name)
{
    return kinds->model->trace->names.items[name];
}

static unsigned kind_of_name_in_layer(struct kinds *kinds, enum tp_work_layer layer, uint32_t name)
{
    uint8_t *found = &kinds->found[layer][name];
    if (!*found)
        *found = (uint8_t)(tp_work_of_name(layer, text_of_name(kinds, name)) + 1);
    return *found - 1u;
}

static bool is_next_to_convolution(struct kinds *kinds, uint32_t kernel)
{
    uint8_t *near_convolution = &kinds->near_convolution[kernel];
    if (!*near_convolution)
        *near_convolution = tp_work_is_next_to_convolution(text_of_name(kinds, kernel)) ? 2 : 1;
    return *near_convolution == 2;
}

static void find_operator_kinds(struct kinds *kinds, uint32_t name)
{
    struct tp_str text = text_of_name(kinds, name);
    unsigned owner = tp_work_of_name(TP_WORK_OF_OWNER, text), rest = tp_work_of_name(TP_WORK_OF_TRITON, text);
    rest = rest == TP_WORK_NONE ? tp_work_of_name(TP_WORK_OF_HOST, text) : rest;
    kinds->of_name[name] = (struct name_kinds){.chain = (uint8_t)tp_work_of_name(TP_WORK_OF_CHAIN, text),
                                               .owner = (uint8_t)owner,
                                               .own = (uint8_t)(tp_work_is_wrapper(text) ? TP_WORK_NONE : owner),
                                               .rest = (uint8_t)(rest == TP_WORK_NONE ? TP_WORK_OTHER : rest),
                                               .is_known = true,
                                               .is_triton = tp_str_starts(text, "triton_")};
}

/* Returns the kinds for a name. The function is inline, because nearly all names are already known. */
static inline const struct name_kinds *find_kinds_of_name(struct kinds *kinds, uint32_t name)
{
    if (!kinds->of_name[name].is_known)
        find_operator_kinds(kinds, name);
    return &kinds->of_name[name];
}

static uint32_t operator_name(const struct kinds *kinds, uint32_t op)
{
    return tp_operator_event(kinds->model, op)->name;
}

/* ---- marks of optimizers ---- */

static void find_optimizers(struct kinds *kinds)
{
    const struct tp_model *model = kinds->model;
    const struct tp_order *order = model->order;
    bool is_any = false;
    for (size_t i = 0; i < model->trace->names.count && !is_any; i++)
        is_any = (model->marks[i] & TP_MARK_OPTIMIZER) != 0;
    if (!is_any)
        return;
    kinds->optimizer = tp_arena_array(kinds->arena, model->trace->thread_count, sizeof *kinds->optimizer);
    for (uint32_t thread = 0; thread < model->trace->thread_count; thread++) {
        struct tp_vec found = TP_VEC(kinds->arena, struct tp_interval);
        for (uint32_t i = order->thread_first[thread]; i < order->thread_first[thread + 1]; i++) {
            const struct tp_event *e = &model->trace->events[order->host[i]];
            if (model->marks[e->name] & TP_MARK_OPTIMIZER)
                tp_intervals_push(&found, e->ts_ns, tp_event_end(e));
        }
        kinds->optimizer[thread] = tp_intervals_from_vec(&found);
    }
}

/* Returns whether an operation was launched inside a mark of an optimizer. Without a launch, checks the start of
 * operator `op`, the innermost one around the operation. op: TP_NO_ID if unknown. */
static bool is_optimizer(struct kinds *kinds, uint32_t device, uint32_t op)
{
    const struct tp_event *e = tp_launch_of_device(kinds->model, device);
    if (!kinds->optimizer)
        return false;
    if (!e && op != TP_NO_ID)
        e = tp_operator_event(kinds->model, op);
    return e && tp_intervals_contain_near(kinds->optimizer[e->thread], e->ts_ns, &kinds->near);
}

/* ---- operators ---- */

/* Fills the kinds that depend on the ancestors of an operator. Operators are in pre-order, so the parent has its kinds
 * already. */
static void set_kinds_by_ancestors(struct kinds *kinds, uint32_t op, const struct name_kinds *name_kinds)
{
    uint32_t parent = kinds->model->operators.parent[op];
    unsigned chain = parent == TP_NO_ID ? TP_WORK_NONE : kinds->chain[parent];
    unsigned outer = parent == TP_NO_ID ? TP_WORK_NONE : kinds->owner_kind[parent];
    kinds->chain[op] = (uint8_t)(chain != TP_WORK_NONE ? chain : name_kinds->chain);
    kinds->owner_kind[op] = (uint8_t)(name_kinds->own != TP_WORK_NONE ? name_kinds->own : outer);
}

/* Returns the kind `own` of operator `op`; without one, the kind of the nearest enclosing operator that has a kind.
 * Ignores enclosing operators for a kernel of torch.compile (is_triton). */
static unsigned kind_of_enclosing_operator(const struct kinds *kinds, uint32_t op, unsigned own, bool is_triton)
{
    uint32_t parent = kinds->model->operators.parent[op];
    if (own != TP_WORK_NONE || parent == TP_NO_ID || is_triton)
        return own;
    return kinds->owner_kind[parent];
}

static unsigned kind_of_operator_time(struct kinds *kinds, uint32_t op)
{
    const struct tp_event *e = tp_operator_event(kinds->model, op);
    const struct name_kinds *name_kinds = find_kinds_of_name(kinds, e->name);
    set_kinds_by_ancestors(kinds, op, name_kinds);
    unsigned work = kinds->chain[op];
    if (work == TP_WORK_NONE && kinds->optimizer &&
        tp_intervals_contain_near(kinds->optimizer[e->thread], e->ts_ns, &kinds->near))
        work = TP_WORK_OPTIMIZER;
    if (work == TP_WORK_NONE)
        work = kind_of_enclosing_operator(kinds, op, name_kinds->owner, name_kinds->is_triton);
    return work == TP_WORK_NONE ? name_kinds->rest : work;
}

/* ---- device operations ---- */

static unsigned kind_by_operator(struct kinds *kinds, uint32_t op, uint32_t kernel)
{
    if (op == TP_NO_ID)
        return TP_WORK_NONE;
    const struct name_kinds *name_kinds = find_kinds_of_name(kinds, operator_name(kinds, op));
    unsigned own = name_kinds->owner;
    if (own == TP_WORK_CONVOLUTION && is_next_to_convolution(kinds, kernel))
        own = kind_of_name_in_layer(kinds, TP_WORK_OF_KERNEL, kernel);
    return kind_of_enclosing_operator(kinds, op, own, name_kinds->is_triton);
}

static unsigned kind_of_kernel(struct kinds *kinds, uint32_t device, uint32_t kernel)
{
    uint32_t op = tp_work_operator_of_device(kinds->model, device);
    struct tp_str name = kinds->model->trace->names.items[kernel];
    if (tp_str_equal(name, TP_STR("event_wait")) || tp_str_equal(name, TP_STR("event_record")))
        return TP_WORK_WAIT;
    if (tp_is_communication(kinds->model, device))
        return TP_WORK_COMMUNICATION;
    unsigned work = kind_of_name_in_layer(kinds, TP_WORK_OF_KERNEL_FIRST, kernel);
    if (work == TP_WORK_NONE && op != TP_NO_ID)
        work = kinds->chain[op];
    if (work == TP_WORK_NONE && is_optimizer(kinds, device, op))
        work = TP_WORK_OPTIMIZER;
    if (work == TP_WORK_NONE)
        work = kind_by_operator(kinds, op, kernel);
    if (work == TP_WORK_NONE)
        work = kind_of_name_in_layer(kinds, TP_WORK_OF_TRITON, kernel);
    if (work == TP_WORK_NONE)
        work = kind_of_name_in_layer(kinds, TP_WORK_OF_KERNEL, kernel);
    return work == TP_WORK_NONE ? TP_WORK_OTHER : work;
}

void tp_work_kinds_build(struct tp_work_kinds *result, const struct tp_model *model, struct tp_arena *arena)
{
    struct kinds kinds = {.model = model, .arena = arena};
    for (unsigned layer = 0; layer < TP_WORK_LAYERS; layer++)
        kinds.found[layer] = tp_arena_array(arena, model->trace->names.count, sizeof *kinds.found[layer]);
    kinds.near_convolution = tp_arena_array(arena, model->trace->names.count, sizeof *kinds.near_convolution);
    kinds.of_name = tp_arena_array(arena, model->trace->names.count, sizeof *kinds.of_name);
    find_optimizers(&kinds);
    kinds.chain = tp_arena_array(arena, model->operators.all_count, sizeof *kinds.chain);
    kinds.owner_kind = tp_arena_array(arena, model->operators.all_count, sizeof *kinds.owner_kind);
    *result = (struct tp_work_kinds){.model = model,
                                     .of_device = tp_arena_array(arena, model->devices.count, 1),
                                     .kind_of_operator = tp_arena_array(arena, model->operators.all_count, 1)};
    for (uint32_t op = 0; op < model->operators.all_count; op++)
        result->kind_of_operator[op] = (uint8_t)kind_of_operator_time(&kinds, op);
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        result->of_device[k] = e->kind == TP_KIND_KERNEL ? (uint8_t)kind_of_kernel(&kinds, k, e->name) : TP_WORK_COPY;
    }
    tp_arena_free_item(arena, kinds.chain, model->operators.all_count);
    tp_arena_free_item(arena, kinds.owner_kind, model->operators.all_count);
}

void tp_work_kinds_release(struct tp_work_kinds *kinds, struct tp_arena *arena)
{
    tp_arena_free_item(arena, kinds->of_device, kinds->model->devices.count);
    tp_arena_free_item(arena, kinds->kind_of_operator, kinds->model->operators.all_count);
}
