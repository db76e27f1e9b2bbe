/* Implements operator_groups.h: groups operators. First maps each key to a small number, so that a single pass over the
 * operators computes all sums. */
#include "webreport/measure/views/operator_groups.h"

#include "webreport/model/second_copy.h"
#include "webreport/trace/json/value.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

struct pass {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_op_grouping *grouping;
    uint32_t *shape_of_value; /* for each value id of "Input Dims": id of the shape text + 1; 0: no text yet */
    uint32_t no_shape;        /* text id of "[]", for operators without shapes */
    uint32_t *key;            /* for each operator: index of its group; TP_NO_ID: no group */
    /* for each node of the trace's call stacks: first node with the same text; NULL if all texts differ */
    uint32_t *stack_of_text;
};

static uint32_t shape_id(struct pass *p, const struct tp_event *e)
{
    uint32_t value = p->model->trace->hosts[e->detail].dims;
    if (value == TP_NO_ID)
        return p->no_shape;
    if (!p->shape_of_value[value]) {
        struct tp_str text = tp_value_shape_text(p->arena, p->model->trace->values.items[value]);
        p->shape_of_value[value] = 1 + tp_strings_add(&p->grouping->shapes, text);
    }
    return p->shape_of_value[value] - 1;
}

/* Sums the members of every group. The variable `above` is the innermost open operator. open[] has the number of open
 * operators of each group. */
static void sum_operators(struct pass *p, struct tp_op_group *groups, uint32_t group_count)
{
    const struct tp_operators *ops = &p->model->operators;
    uint32_t *open = tp_arena_array(p->arena, group_count, sizeof *open), above = TP_NO_ID;
    for (uint32_t i = 0; i < ops->count; i++) {
        for (; above != TP_NO_ID && ops->subtree_end[above] <= i; above = ops->parent[above])
            if (p->key[above] != TP_NO_ID)
                open[p->key[above]]--;
        above = i;
        if (p->key[i] == TP_NO_ID)
            continue;
        struct tp_op_group *group = &groups[p->key[i]];
        group->calls += !tp_operator_is_second_copy(p->model, i);
        group->device_self = tp_sat_add(group->device_self, tp_narrow_get(&ops->device_self, i));
        group->host_self = tp_sat_add(group->host_self, tp_narrow_get(&ops->host_self, i));
        group->is_eligible |= (ops->flags[i] & TP_OPERATOR_ELIGIBLE) != 0;
        if (ops->has_tensor_cores)
            group->tensor_core_self = tp_sat_add(group->tensor_core_self, tp_narrow_get(&ops->tensor_core_self, i));
        if (open[p->key[i]]++ == 0) {
            group->device_total = tp_sat_add(group->device_total, tp_narrow_get(&ops->device_total, i));
            group->host_total = tp_sat_add(group->host_total, tp_operator_event(p->model, i)->dur_ns);
            if (ops->has_tensor_cores)
                group->tensor_core_total =
                    tp_sat_add(group->tensor_core_total, tp_narrow_get(&ops->tensor_core_total, i));
        }
    }
    tp_arena_free_item(p->arena, open, group_count * sizeof *open);
}

static struct tp_op_groups sum_and_return_groups(struct pass *p, struct tp_vec *groups)
{
    sum_operators(p, groups->data, (uint32_t)groups->count);
    return (struct tp_op_groups){groups->data, (uint32_t)groups->count};
}

static void group_by_name(struct pass *p)
{
    const struct tp_operators *ops = &p->model->operators;
    struct tp_vec groups = TP_VEC(p->arena, struct tp_op_group);
    size_t size = p->model->trace->names.count * sizeof(uint32_t);
    uint32_t *of_name = tp_arena_alloc(p->arena, size);
    for (uint32_t i = 0; i < ops->count; i++) {
        uint32_t name = tp_operator_event(p->model, i)->name;
        if (!of_name[name]) {
            struct tp_op_group *group = tp_vec_push(&groups);
            *group = (struct tp_op_group){.name = name, .shape = TP_NO_ID, .stack = TP_NO_ID};
            of_name[name] = (uint32_t)groups.count;
        }
        p->key[i] = of_name[name] - 1;
    }
    tp_arena_free_item(p->arena, of_name, size);
    p->grouping->by_name = sum_and_return_groups(p, &groups);
}

static void group_by_shape(struct pass *p)
{
    const struct tp_operators *ops = &p->model->operators;
    struct tp_vec groups = TP_VEC(p->arena, struct tp_op_group);
    struct tp_keys keys;
    tp_keys_init(&keys, p->arena, 2);
    for (uint32_t i = 0; i < ops->count; i++) {
        const struct tp_event *e = tp_operator_event(p->model, i);
        uint32_t shape = shape_id(p, e);
        p->key[i] = tp_keys_pair(&keys, e->name, shape);
        if (p->key[i] == groups.count)
            *(struct tp_op_group *)tp_vec_push(&groups) =
                (struct tp_op_group){.name = e->name, .shape = shape, .stack = TP_NO_ID};
    }
    p->grouping->by_shape = sum_and_return_groups(p, &groups);
}

/* Orders stacks by their texts. context: the struct tp_stacks. */
static int compare_by_text(const void *context, uint32_t x, uint32_t y)
{
    return tp_stack_compare(context, x, y);
}

/* Returns, for each stack node, the first node with the same text; NULL if all texts differ. Rows are grouped by text.
 * Only stacks with ";" in a frame can have equal texts, because "a;b" may be one frame or two. */
static uint32_t *stacks_of_texts(struct pass *p)
{
    const struct tp_stacks *stacks = p->model->trace->stacks;
    uint32_t count = tp_keys_count(&stacks->nodes);
    bool has_any = false;
    for (uint32_t i = 0; i < stacks->frames.count && !has_any; i++)
        has_any = tp_str_find(stacks->frames.items[i], ";") >= 0;
    if (!has_any)
        return NULL;
    uint32_t *sorted = tp_arena_array(p->arena, count, sizeof *sorted);
    uint32_t *first = tp_arena_array(p->arena, count, sizeof *first);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = i;
    tp_sort_rows(sorted, count, compare_by_text, stacks, p->arena);
    for (uint32_t i = 0; i < count; i++) {
        bool is_same = i && tp_stack_compare(stacks, sorted[i - 1], sorted[i]) == 0;
        first[sorted[i]] = is_same ? first[sorted[i - 1]] : sorted[i];
    }
    return first;
}

/* Divides the groups of p->key further by call stack. Operators without a stack get no group. */
static struct tp_op_groups group_by_stack(struct pass *p, const struct tp_op_group *outer)
{
    const struct tp_operators *ops = &p->model->operators;
    struct tp_vec groups = TP_VEC(p->arena, struct tp_op_group);
    struct tp_keys keys;
    tp_keys_init(&keys, p->arena, 2);
    for (uint32_t i = 0; i < ops->count; i++) {
        const struct tp_op_group *group = &outer[p->key[i]];
        p->key[i] = TP_NO_ID;
        if (ops->stack[i] == TP_NO_ID)
            continue;
        uint32_t stack = p->stack_of_text ? p->stack_of_text[ops->stack[i]] : ops->stack[i];
        p->key[i] = tp_keys_pair(&keys, (uint32_t)(group - outer), stack);
        if (p->key[i] == groups.count)
            *(struct tp_op_group *)tp_vec_push(&groups) =
                (struct tp_op_group){.name = group->name, .shape = group->shape, .stack = stack};
    }
    return sum_and_return_groups(p, &groups);
}

void tp_op_grouping_build_names(struct tp_op_grouping *grouping, const struct tp_model *model, struct tp_arena *arena)
{
    struct pass p = {.model = model, .arena = arena, .grouping = grouping};
    memset(grouping, 0, sizeof *grouping);
    p.key = tp_arena_array(arena, model->operators.count, sizeof *p.key);
    group_by_name(&p);
    tp_arena_free_item(arena, p.key, model->operators.count * sizeof *p.key);
}

void tp_op_grouping_build(struct tp_op_grouping *grouping, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_operators *ops = &model->operators;
    struct pass p = {.model = model, .arena = arena, .grouping = grouping};
    size_t value_size = model->trace->values.count * sizeof *p.shape_of_value;
    bool has_stacks = false;
    memset(grouping, 0, sizeof *grouping);
    tp_strings_init(&grouping->shapes, arena, 0);
    p.no_shape = tp_strings_add(&grouping->shapes, TP_STR("[]"));
    p.shape_of_value = tp_arena_alloc(arena, value_size);
    p.key = tp_arena_array(arena, ops->count, sizeof *p.key);
    for (uint32_t i = 0; i < ops->count && !has_stacks; i++)
        has_stacks = ops->stack[i] != TP_NO_ID;
    if (has_stacks)
        p.stack_of_text = stacks_of_texts(&p);
    group_by_name(&p);
    if (has_stacks)
        grouping->by_name_and_stack = group_by_stack(&p, grouping->by_name.items);
    group_by_shape(&p);
    if (has_stacks)
        grouping->by_shape_and_stack = group_by_stack(&p, grouping->by_shape.items);
    tp_arena_free_item(arena, p.shape_of_value, value_size);
    tp_arena_free_item(arena, p.key, ops->count * sizeof *p.key);
}
