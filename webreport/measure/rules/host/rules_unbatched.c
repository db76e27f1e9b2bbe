/* Finds calls of a module that work on one sample without a batch dimension (rule H18): the sample is a matrix, for
 * example, such as a graph with a row for each node. The program takes a tensor apart, calls the module for each part,
 * and stacks the results. If a call needs the result of the previous call, such as a recurrent layer, no batch is
 * possible. Such a call reads an operand with the size of a result before or in its last product. */
#include "webreport/measure/rules/host/rules_unbatched.h"
#include "webreport/measure/work/operator_samples.h"
#include "webreport/model/operator_shapes.h"
#include "webreport/trace/json/value.h"

/* MIN_PARTS: least number of calls. MOST_AFTER: a stack operator is among this number of outermost operators after the
 * last call. MOST_BEFORE: a split operator is among this number of outermost operators before the first call. */
enum { MIN_PARTS = 8, MOST_AFTER = 16, MOST_BEFORE = 64, MOST_OPERANDS = 16, MOST_ITEMS = 64 };

/* a loop: the calls from `first` to `last` */
struct loop {
    const struct tp_operator_list *operators;
    const struct tp_cpu_call *first, *last;
    int64_t count;
    struct tp_shape result; /* sizes of the result of one call */
};

static struct tp_str operator_dims(const struct tp_model *model, uint32_t op)
{
    const struct tp_trace *trace = model->trace;
    return tp_strings_get(&trace->values, trace->hosts[tp_operator_event(model, op)->detail].dims);
}

static struct tp_str operator_name(const struct tp_model *model, uint32_t op)
{
    return tp_trace_event_name(model->trace, tp_operator_event(model, op));
}

static bool is_outermost(const struct tp_model *model, uint32_t op)
{
    return model->operators.parent[op] == TP_NO_ID;
}

/* Returns the position in the list of the first operator that starts at `ts` or later. */
static uint32_t first_operator_at(const struct tp_operator_list *operators, int64_t ts)
{
    uint32_t low = 0, high = operators->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tp_operator_event(operators->model, operators->items[middle])->ts_ns < ts)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_same_shape(const struct tp_shape *one, const struct tp_shape *other)
{
    bool is_same = one->is_known && other->is_known && one->rank == other->rank;
    for (unsigned i = 0; is_same && i < one->rank; i++)
        is_same = one->sizes[i] == other->sizes[i];
    return is_same;
}

/* Returns whether an operator stacks as many tensors of equal sizes as the loop has calls. Sets loop->result. */
static bool stacks_results(struct loop *loop, uint32_t op)
{
    if (!tp_str_equal(operator_name(loop->operators->model, op), TP_STR("aten::stack")))
        return false;
    struct tp_str list = tp_shape_item(operator_dims(loop->operators->model, op), 0), item;
    int64_t count = 0;
    bool is_same = true;
    for (size_t at = 0; is_same && tp_value_next(list, &at, NULL, &item); count++) {
        struct tp_shape shape = tp_shape_parse(item);
        if (!count)
            loop->result = shape;
        is_same = count < loop->count && is_same_shape(&shape, &loop->result);
    }
    return is_same && count == loop->count;
}

static bool has_stacked_results(struct loop *loop)
{
    const struct tp_operator_list *operators = loop->operators;
    uint32_t seen = 0;
    for (uint32_t i = first_operator_at(operators, loop->last->time.b); i < operators->count && seen < MOST_AFTER;
         i++) {
        if (!is_outermost(operators->model, operators->items[i]))
            continue;
        if (stacks_results(loop, operators->items[i]))
            return true;
        seen++;
    }
    return false;
}

static uint64_t operator_marks(const struct tp_model *model, uint32_t op)
{
    return model->marks[tp_operator_event(model, op)->name];
}

/* Returns whether the program splits a tensor of as many parts as the loop has calls, or takes a part of a tensor for
 * each call. */
static bool takes_tensor_apart(const struct loop *loop)
{
    const struct tp_operator_list *operators = loop->operators;
    const struct tp_model *model = operators->model;
    uint32_t first = first_operator_at(operators, loop->first->time.a), seen = 0;
    int64_t parts = 0;
    for (uint32_t i = first;
         i < operators->count && tp_operator_event(model, operators->items[i])->ts_ns < loop->last->time.a; i++)
        parts +=
            is_outermost(model, operators->items[i]) && operator_marks(model, operators->items[i]) & TP_MARK_INDEX_OP;
    for (uint32_t i = first; i > 0 && seen < MOST_BEFORE; i--) {
        uint32_t op = operators->items[i - 1];
        if (!is_outermost(model, op))
            continue;
        seen++;
        struct tp_shape shape = tp_operand_shape(model, op, 0);
        for (unsigned k = 0; operator_marks(model, op) & TP_MARK_SPLIT_OP && shape.is_known && k < shape.rank; k++)
            if (shape.sizes[k] == loop->count)
                return true;
    }
    return parts >= loop->count - 1;
}

/* Returns whether an operand is a result of a call, or a list with such a result. */
static bool is_result(const struct loop *loop, struct tp_str operand)
{
    struct tp_shape shape = tp_shape_parse(operand);
    bool is_any = is_same_shape(&shape, &loop->result);
    struct tp_str item;
    size_t at = 0;
    for (unsigned i = 0; i < MOST_ITEMS && !shape.is_known && !is_any && tp_value_next(operand, &at, NULL, &item);
         i++) {
        struct tp_shape part = tp_shape_parse(item);
        is_any = is_same_shape(&part, &loop->result);
    }
    return is_any;
}

/* Returns whether an operator reads an operand with the size of a result. Weights do not count. */
static bool reads_result(const struct loop *loop, uint32_t op)
{
    struct tp_str dims = operator_dims(loop->operators->model, op), name = operator_name(loop->operators->model, op);
    struct tp_samples samples = tp_samples_of_operator(loop->operators->model, op);
    if (samples.count || tp_str_equal(name, TP_STR("aten::linear")))
        return is_result(loop, tp_shape_item(dims, tp_samples_operand_index(name)));
    bool is_any = false;
    for (unsigned k = 0; k < MOST_OPERANDS && !is_any; k++)
        is_any = is_result(loop, tp_shape_item(dims, k));
    return is_any;
}

static bool contains_product(const struct tp_model *model, uint32_t op)
{
    bool is_any = false;
    for (uint32_t i = op; i < model->operators.subtree_end[op] && !is_any; i++)
        is_any = tp_operator_is_eligible(model, i);
    return is_any;
}

/* Returns whether a call may need the result of the previous call. */
static bool needs_previous_result(const struct loop *loop)
{
    const struct tp_operator_list *operators = loop->operators;
    const struct tp_model *model = operators->model;
    bool is_read = false, is_needed = false;
    if (!loop->result.rank) /* one number is no state of a model */
        return false;
    for (uint32_t i = first_operator_at(operators, loop->last->time.a); i < operators->count; i++) {
        uint32_t op = operators->items[i];
        if (tp_operator_event(model, op)->ts_ns >= loop->last->time.b)
            break;
        if (!is_outermost(model, op))
            continue;
        is_read |= reads_result(loop, op);
        is_needed |= is_read && contains_product(model, op);
    }
    return is_needed;
}

static bool has_equal_operands(const struct loop *loop)
{
    bool is_same = loop->first->dims != TP_NO_ID;
    for (const struct tp_cpu_call *call = loop->first; call <= loop->last && is_same; call++)
        is_same = call->dims == loop->first->dims;
    return is_same;
}

static bool is_loop_over_parts(struct loop *loop)
{
    return loop->count >= MIN_PARTS && has_equal_operands(loop) && has_stacked_results(loop) &&
           takes_tensor_apart(loop) && !needs_previous_result(loop);
}

/* Returns the end of the loop that starts at call i: the next call of another step, or after more than longest_ns. */
static size_t end_of_loop(const struct tp_vec *calls, size_t i, int64_t longest_ns)
{
    const struct tp_cpu_call *all = calls->data;
    size_t end = i + 1;
    while (end < calls->count && all[end].step == all[i].step && all[end].time.a - all[end - 1].time.b <= longest_ns)
        end++;
    return end;
}

static bool is_loop_of_calls(const struct tp_operator_list *operators, const struct tp_vec *calls, size_t first,
                             size_t end)
{
    struct loop loop = {.operators = operators,
                        .first = TP_AT(calls, struct tp_cpu_call, first),
                        .last = TP_AT(calls, struct tp_cpu_call, end - 1),
                        .count = (int64_t)(end - first)};
    return is_loop_over_parts(&loop);
}

void tp_keep_calls_on_parts(struct tp_operator_list operators, struct tp_vec *calls, int64_t longest_ns)
{
    size_t kept = 0, tested_until = 0; /* end of the step whose calls were tested together */
    for (size_t i = 0, end; i < calls->count; i = end) {
        /* all calls of a step, else those without a long time between them, which may be a pause */
        bool is_loop = false;
        if (i >= tested_until) {
            end = tested_until = end_of_loop(calls, i, INT64_MAX);
            is_loop = is_loop_of_calls(&operators, calls, i, end);
        }
        if (!is_loop) {
            end = end_of_loop(calls, i, longest_ns);
            is_loop = is_loop_of_calls(&operators, calls, i, end);
        }
        for (size_t k = i; k < end && is_loop; k++)
            *TP_AT(calls, struct tp_cpu_call, kept++) = *TP_AT(calls, struct tp_cpu_call, k);
    }
    calls->count = kept;
}
