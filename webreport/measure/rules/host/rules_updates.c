/* Implements rules_updates.h: finds code of the project that updates the tensors of a model one by one.
 *
 * Such code is a run of outermost operators that one call of a project function makes, without autograd and without
 * matrix products. Most operator names of the run occur once for each tensor, the tensors have different sizes, and
 * some operators write their first operand. Only programs with a backward pass train a model. */
#include "webreport/measure/rules/host/rules_updates.h"
#include "webreport/measure/rules/rules_functions.h"
#include "webreport/model/operator_shapes.h"
#include "writer/base/stats.h"

enum { MIN_TENSORS = 10 };

static bool is_leaf_operator(const struct tp_advisor *a, uint32_t op)
{
    return a->model->operators.subtree_end[op] == op + 1;
}

struct tp_cpu_leaves tp_cpu_count_leaves(struct tp_advisor *a, const struct tp_cpu_update *updates, size_t count)
{
    uint32_t name_count = a->model->trace->names.count;
    int64_t *calls = tp_arena_array(a->arena, name_count, sizeof *calls),
            *kept = tp_arena_array(a->arena, name_count, sizeof *kept);
    struct tp_cpu_leaves leaves = {0};
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = updates[i].first; k < updates[i].end; k++) {
            bool is_one = is_leaf_operator(a, a->cpu->ops[k]);
            leaves.calls += is_one;
            calls[tp_operator_event(a->model, a->cpu->ops[k])->name] += is_one;
        }
    for (uint32_t i = 0; i < name_count; i++)
        if (calls[i])
            kept[leaves.names++] = calls[i];
    leaves.tensors = leaves.names ? tp_lower_median(kept, (size_t)leaves.names) : 0;
    tp_arena_free_item(a->arena, kept, name_count * sizeof *kept);
    tp_arena_free_item(a->arena, calls, name_count * sizeof *calls);
    return leaves;
}

bool tp_is_optimizer_frame(const struct tp_model *model, uint32_t event)
{
    const struct tp_event *e = &model->trace->events[event];
    return tp_kind_is_frame(e->kind) && tp_str_find(tp_trace_event_name(model->trace, e), "torch/optim/") >= 0;
}

/* Returns the call of a project function that makes an operator without torch's optimizers; TP_NO_ID: no such call. */
static uint32_t calling_function(const struct tp_model *model, uint32_t op)
{
    uint32_t event = model->operators.event[op], call = tp_enclosing_project_call(model, event);
    bool is_torch = call != TP_NO_ID && tp_is_optimizer_frame(model, call);
    for (uint32_t up = model->inside[event]; up != TP_NO_ID && up != call; up = model->inside[up])
        is_torch |= tp_is_optimizer_frame(model, up);
    return is_torch ? TP_NO_ID : call;
}

/* Returns the call whose run may contain an outermost operator; TP_NO_ID: the operator is in no run. */
static uint32_t function_of_update(const struct tp_advisor *a, uint32_t op)
{
    bool has_autograd = tp_cpu_is_backward(a->model, op) || tp_cpu_sequence_number(a->model, op) != TP_NULL_INT;
    for (uint32_t i = op; i < a->model->operators.subtree_end[op] && !has_autograd; i++)
        if (tp_operator_is_eligible(a->model, i))
            return TP_NO_ID;
    return has_autograd || tp_cpu_is_in_loader(a, op) ? TP_NO_ID : calling_function(a->model, op);
}

static struct tp_shape first_operand(const struct tp_advisor *a, uint32_t op)
{
    uint32_t dims = a->model->trace->hosts[tp_operator_event(a->model, op)->detail].dims;
    return tp_shape_input(tp_strings_get(&a->model->trace->values, dims), 0);
}

/* Returns whether an operator writes its first operand, or gives a tensor the memory of another one (`p.data = ..`). */
static bool writes_first_operand(const struct tp_advisor *a, uint32_t op)
{
    struct tp_str name = tp_trace_event_name(a->model->trace, tp_operator_event(a->model, op));
    return tp_str_ends(name, "_") || tp_str_equal(name, TP_STR("aten::_has_compatible_shallow_copy_type"));
}

/* Returns whether the outermost operators of a run write tensors of different sizes. */
static bool writes_different_tensors(const struct tp_advisor *a, const struct tp_cpu_update *run)
{
    struct tp_shape first = {.is_known = false};
    bool is_written = false, is_different = false;
    for (uint32_t k = run->first; k < run->end; k++) {
        struct tp_shape shape = first_operand(a, a->cpu->ops[k]);
        if (!tp_cpu_is_outermost(a, a->cpu->ops[k]) || !shape.is_known || !shape.rank)
            continue;
        is_written |= writes_first_operand(a, a->cpu->ops[k]);
        if (!first.is_known)
            first = shape;
        is_different |= shape.rank != first.rank || tp_shape_product(&shape) != tp_shape_product(&first);
    }
    return is_written && is_different;
}

/* Adds a run to the updates if it is one. */
static void add_run(struct tp_advisor *a, struct tp_vec *updates, const struct tp_cpu_update *run, double least_calls)
{
    struct tp_cpu_leaves leaves = tp_cpu_count_leaves(a, run, 1);
    if ((double)leaves.calls >= least_calls && leaves.tensors >= MIN_TENSORS && writes_different_tensors(a, run))
        *(struct tp_cpu_update *)tp_vec_push(updates) = *run;
}

static bool has_backward_pass(const struct tp_advisor *a)
{
    bool is_any = false;
    for (uint32_t i = 0; i < a->cpu->count && !is_any; i++)
        is_any = tp_cpu_is_backward(a->model, a->cpu->ops[i]);
    return is_any;
}

struct tp_vec tp_cpu_find_updates_by_hand(struct tp_advisor *a, double least_calls)
{
    struct tp_vec updates = TP_VEC(a->arena, struct tp_cpu_update);
    struct tp_cpu_update run = {0};
    uint32_t caller = TP_NO_ID; /* call that makes the operators of the run */
    if (!has_backward_pass(a))
        return updates;
    for (uint32_t i = 0; i < a->cpu->count; i++) {
        uint32_t op = a->cpu->ops[i];
        const struct tp_event *e = tp_operator_event(a->model, op);
        if (!tp_cpu_is_outermost(a, op))
            continue;
        uint32_t next = function_of_update(a, op);
        run.end = i;
        if (next != caller) {
            if (caller != TP_NO_ID)
                add_run(a, &updates, &run, least_calls);
            run = (struct tp_cpu_update){.event = a->model->operators.event[op], .first = i, .own.a = e->ts_ns};
            caller = next;
        }
        run.own.b = tp_event_end(e);
    }
    run.end = a->cpu->count;
    if (caller != TP_NO_ID)
        add_run(a, &updates, &run, least_calls);
    return updates;
}
