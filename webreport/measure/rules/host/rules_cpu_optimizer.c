/* Rule H3: an optimizer runs several operators for each tensor, in a program without a device. A fused optimizer would
 * make one pass over all tensors. The optimizer is one of torch, or code of the project.
 *
 * The rule uses only the part of a step in which the optimizer itself works. The closure of optimizer.step(closure), as
 * in every Lightning program, runs the forward and backward pass inside the step's range. Without a device, foreach
 * runs the same operators as the loop and gains nothing. Four optimizers have a fused form (torch 2.13, torch/optim:
 * _fused_* in sgd.py, adam.py, adamw.py, adagrad.py). */
#include "webreport/measure/audience/wording.h"
#include "webreport/measure/rules/host/rules_cpu.h"
#include "webreport/measure/rules/rules_functions.h"
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/measure/work/operator_samples.h"
#include "webreport/model/main_thread.h"
#include "webreport/model/operator_shapes.h"
#include "webreport/trace/frame.h"
#include "writer/base/stats.h"

static void evaluate_optimizer(struct tp_advisor *a);

const struct tp_rule tp_rule_H3 = {
    .id = "H3",
    .title = "Update all parameters together: `fused=True`",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_calls", 20, true}, {"min_pct", 3.0, false}, {"kept_pct", 20, true}},
    .advice = "Pass fused=True to the optimizer (PyTorch 2.4 and later). Without a GPU, foreach=True saves nothing.",
    .doc_url = DOC_OPT,
    .cause = "optimizer.per_tensor",
    .gain = {.low = 0.75, .high = 1.0, .right = 1, .known = 1},
    .native = {.title = "Update all parameters in one pass over the arrays",
               .advice = "Update all parameters in one pass over a list of arrays."},
    .on_host = evaluate_optimizer,
};

/* A step of an optimizer, or code of the project that updates tensors. The optimizer's own time is the part after the
 * closure, from the first to the last operator of the step. */
struct update {
    uint32_t event; /* evidence: range of the step, or first operator of the code */
    struct tp_interval own;
    uint32_t first, end; /* the operators in the optimizer's own time are cpu->ops[first] to cpu->ops[end - 1] */
};

/* Operators that contain no other operator, in the optimizer's own time of all steps. calls: number of these operators;
 * names: number of different operator names; tensors: approximate number of tensors, which is the lower median of the
 * number of calls of each name. */
struct leaves {
    int64_t calls, names, tensors;
};

enum { MIN_TENSORS = 10 };

struct optimizers {
    struct tp_advisor *a;
    struct tp_vec steps; /* steps of optimizers, without steps of fused operators; elements: struct update */
    uint32_t next;       /* index in cpu->ops of the first operator that may be in the next range */
};

/* Returns whether the optimizer of a range such as "..#Adam.step" has a fused form for programs without a device. */
static bool has_fused_optimizer(const struct tp_advisor *a, struct tp_str range)
{
    static const char *const steps[] = {"#SGD.step", "#Adam.step", "#AdamW.step", "#Adagrad.step"};
    if (!tp_uses_torch_words(a->model->producer))
        return true; /* the optimizers of other libraries are unknown and may have a fused form */
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (tp_str_ends(range, steps[i]))
            return true;
    return false;
}

/* Returns whether an operator belongs to the closure, not to the optimizer. Forward operators of the closure have a
 * sequence number; operators of the optimizer have none, because the optimizer runs without autograd. */
static bool is_closure_operator(const struct tp_advisor *a, uint32_t op)
{
    return tp_cpu_is_backward(a->model, op) || tp_cpu_sequence_number(a->model, op) != TP_NULL_INT;
}

static bool is_leaf_operator(const struct tp_advisor *a, uint32_t op)
{
    return a->model->operators.subtree_end[op] == op + 1;
}

/* Counts the operators without children in `count` updates. */
static struct leaves count_leaves(struct tp_advisor *a, const struct update *updates, size_t count)
{
    uint32_t name_count = a->model->trace->names.count;
    int64_t *calls = tp_arena_array(a->arena, name_count, sizeof *calls),
            *kept = tp_arena_array(a->arena, name_count, sizeof *kept);
    struct leaves leaves = {0};
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

/* Returns whether an event is a frame of torch's optimizers. */
static bool is_optimizer_frame(const struct tp_model *model, uint32_t event)
{
    const struct tp_event *e = &model->trace->events[event];
    return tp_kind_is_frame(e->kind) && tp_str_find(tp_trace_event_name(model->trace, e), "torch/optim/") >= 0;
}

/* Returns the end of the closure that contains an operator: the end of the outermost call inside the range, or inside a
 * frame of torch.optim. */
static int64_t closure_end(const struct tp_model *model, uint32_t op, uint32_t range)
{
    uint32_t at = model->operators.event[op];
    for (uint32_t up = model->inside[at]; up != TP_NO_ID && up != range && !is_optimizer_frame(model, up);
         up = model->inside[at])
        at = up;
    return tp_event_end(&model->trace->events[at]);
}

static void add_optimizer_range(void *context, uint32_t event)
{
    struct optimizers *found = context;
    struct tp_advisor *a = found->a;
    const struct tp_event *range = &a->model->trace->events[event];
    struct update step = {.event = event};
    int64_t closure = INT64_MIN, end = tp_event_end(range);
    bool is_fused = false;
    if (a->model->marks[range->name] & TP_MARK_FUSED ||
        !has_fused_optimizer(a, tp_trace_event_name(a->model->trace, range)))
        return;
    while (found->next < a->cpu->count && tp_operator_event(a->model, a->cpu->ops[found->next])->ts_ns < range->ts_ns)
        found->next++;
    for (uint32_t i = step.first = step.end = found->next; i < a->cpu->count; i++) {
        uint32_t op = a->cpu->ops[i];
        const struct tp_event *e = tp_operator_event(a->model, op);
        if (e->ts_ns >= end)
            break;
        if (e->ts_ns < closure)
            continue;
        if (is_closure_operator(a, op)) {
            closure = closure_end(a->model, op, event);
            step = (struct update){.event = event, .first = i + 1, .end = i + 1};
            is_fused = false;
            continue;
        }
        is_fused |= (a->model->marks[e->name] & TP_MARK_FUSED) != 0;
        if (step.end == step.first) {
            step.first = i;
            step.own.a = e->ts_ns;
        }
        step.own.b = tp_ns_max(step.own.b, tp_ns_min(tp_event_end(e), end));
        step.end = i + 1;
    }
    if (!is_fused)
        *(struct update *)tp_vec_push(&found->steps) = step;
}

/* ---- updates by hand ----
 *
 * A run of outermost operators that one call of a project function makes, without autograd and without matrix products.
 * Most operator names of the run occur once for each tensor, the tensors have different sizes, and some operators write
 * their first operand. Only programs with a backward pass train a model. */

/* Returns the call of a project function that makes an operator without torch's optimizers; TP_NO_ID: no such call. */
static uint32_t calling_function(const struct tp_model *model, uint32_t op)
{
    uint32_t event = model->operators.event[op], call = tp_enclosing_project_call(model, event);
    bool is_torch = call != TP_NO_ID && is_optimizer_frame(model, call);
    for (uint32_t up = model->inside[event]; up != TP_NO_ID && up != call; up = model->inside[up])
        is_torch |= is_optimizer_frame(model, up);
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

/* Returns whether an operator writes its first operand, or gives a tensor the memory of another one (`p.data = ..`). */
static bool writes_first_operand(const struct tp_advisor *a, uint32_t op)
{
    struct tp_str name = tp_trace_event_name(a->model->trace, tp_operator_event(a->model, op));
    if (tp_str_ends(name, "__")) /* aten::__iand__ writes its operand, aten::__and__ does not */
        return tp_str_starts(name, "aten::__i");
    return tp_str_ends(name, "_") || tp_str_equal(name, TP_STR("aten::_has_compatible_shallow_copy_type"));
}

/* Returns whether the outermost operators of a run write tensors of different sizes. */
static bool writes_different_tensors(const struct tp_advisor *a, const struct update *run)
{
    struct tp_shape first = {.is_known = false};
    bool is_written = false, is_different = false;
    for (uint32_t k = run->first; k < run->end; k++) {
        struct tp_shape shape = tp_operand_shape(a->model, a->cpu->ops[k], 0);
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
static void add_run(struct tp_advisor *a, struct tp_vec *updates, const struct update *run, double least_calls)
{
    if ((double)(run->end - run->first) < least_calls) /* most calls of functions are no updates */
        return;
    struct leaves leaves = count_leaves(a, run, 1);
    if ((double)leaves.calls >= least_calls && leaves.tensors >= MIN_TENSORS && writes_different_tensors(a, run))
        *(struct update *)tp_vec_push(updates) = *run;
}

static bool has_backward_pass(const struct tp_advisor *a)
{
    bool is_any = false;
    for (uint32_t i = 0; i < a->cpu->count && !is_any; i++)
        is_any = tp_cpu_is_backward(a->model, a->cpu->ops[i]);
    return is_any;
}

static struct tp_vec find_updates_by_hand(struct tp_advisor *a, double least_calls)
{
    struct tp_vec updates = TP_VEC(a->arena, struct update);
    struct update run = {0};
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
            run = (struct update){.event = a->model->operators.event[op], .first = i, .own.a = e->ts_ns};
            caller = next;
        }
        run.own.b = tp_event_end(e);
    }
    run.end = a->cpu->count;
    if (caller != TP_NO_ID)
        add_run(a, &updates, &run, least_calls);
    return updates;
}

/* ---- findings ---- */

/* Adds the part of the updates' time that a fused optimizer would save. A fused optimizer reads and writes the same
 * data in one pass, which takes about as long as 1.5 operators per tensor. */
static void add_claimed_time(struct tp_advisor *a, const struct tp_vec *updates, struct leaves leaves,
                             struct tp_vec *time, struct tp_picks *picks)
{
    int64_t kept_pct = (int64_t)tp_rule_value(a, TP_RULE_H3, "kept_pct");
    for (size_t i = 0; i < updates->count; i++) {
        const struct update *step = TP_AT(updates, struct update, i);
        int64_t dur = step->own.b - step->own.a - tp_intervals_length_within(a->cpu->pauses, step->own.a, step->own.b);
        int64_t needed = tp_ns_max(tp_ns_scaled(dur, tp_sat_mul(3, leaves.tensors), tp_sat_mul(2, leaves.calls)),
                                   tp_ns_scaled(dur, kept_pct, 100));
        if (needed < step->own.b - step->own.a)
            tp_intervals_push(time, step->own.a + needed, step->own.b);
        tp_picks_add_by_length(picks, a->model, step->event);
    }
}

/* Lists the steps of torch's optimizers that a fused optimizer would make faster. */
static struct tp_vec list_optimizer_steps(struct tp_advisor *a, double least_calls)
{
    struct optimizers found = {a, TP_VEC(a->arena, struct update), 0};
    if (tp_any_name_has_marks(a->model, TP_MARK_OPTIMIZER_STEP))
        tp_cpu_visit_annotations(a, TP_MARK_OPTIMIZER_STEP, TP_RANGE_NONE, add_optimizer_range, &found);
    int64_t count = (int64_t)found.steps.count;
    int64_t calls = count_leaves(a, found.steps.data, found.steps.count).calls;
    if (calls < count || (double)calls < least_calls * (double)count)
        found.steps.count = 0;
    return found.steps;
}

static void evaluate_optimizer(struct tp_advisor *a)
{
    struct tp_candidate c = {.rule = TP_RULE_H3, .has_ceiling = true};
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    double least_calls = tp_rule_value(a, TP_RULE_H3, "min_calls");
    struct tp_vec steps = list_optimizer_steps(a, least_calls), updates = find_updates_by_hand(a, least_calls);
    struct leaves leaves = count_leaves(a, steps.data, steps.count);
    struct leaves by_hand = count_leaves(a, updates.data, updates.count);
    add_claimed_time(a, &steps, leaves, &time, &c.picks);
    add_claimed_time(a, &updates, by_hand, &time, &c.picks);
    if (!time.count)
        return;
    c.time = tp_cpu_claimable_time(a, tp_intervals_from_vec(&time));
    if (tp_analysed_set_percent(a, c.time) < tp_rule_value(a, TP_RULE_H3, "min_pct"))
        return;
    if (!steps.count) {
        leaves = by_hand;
        steps = updates;
        c.title = TP_TITLE(TP_TITLE_UPDATES, TP_OF_TEXT(tp_picks_first_line(a, &c.picks)));
        c.advice = "Use an optimizer of torch with fused=True, or functions such as torch._foreach_add_ for lists of "
                   "tensors.";
    }
    c.details = TP_DETAIL(a, TP_DETAIL_OPTIMIZER, TP_OF_NUMBER(leaves.calls / (int64_t)steps.count),
                          TP_OF_NUMBER(leaves.names));
    tp_advisor_add_cpu_finding(a, &c);
}
