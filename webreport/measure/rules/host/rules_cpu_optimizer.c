/* Rule H3: an optimizer runs several operators for each tensor, in a program without a device. A fused optimizer would
 * make one pass over all tensors. The optimizer is one of torch, or code of the project (rules_updates.h).
 *
 * The rule uses only the part of a step in which the optimizer itself works. The closure of optimizer.step(closure), as
 * in every Lightning program, runs the forward and backward pass inside the step's range. Without a device, foreach
 * runs the same operators as the loop and gains nothing. Four optimizers have a fused form (torch 2.13, torch/optim:
 * _fused_* in sgd.py, adam.py, adamw.py, adagrad.py). */
#include "webreport/measure/audience/wording.h"
#include "webreport/measure/rules/host/rules_updates.h"
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/model/main_thread.h"
#include "webreport/trace/frame.h"

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

struct optimizers {
    struct tp_advisor *a;
    struct tp_vec steps; /* steps of optimizers, without steps of fused operators; elements: struct tp_cpu_update */
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

/* Returns the end of the closure that contains an operator: the end of the outermost call inside the range, or inside a
 * frame of torch.optim. */
static int64_t closure_end(const struct tp_model *model, uint32_t op, uint32_t range)
{
    uint32_t at = model->operators.event[op];
    for (uint32_t up = model->inside[at]; up != TP_NO_ID && up != range && !tp_is_optimizer_frame(model, up);
         up = model->inside[at])
        at = up;
    return tp_event_end(&model->trace->events[at]);
}

static void add_optimizer_range(void *context, uint32_t event)
{
    struct optimizers *found = context;
    struct tp_advisor *a = found->a;
    const struct tp_event *range = &a->model->trace->events[event];
    struct tp_cpu_update step = {.event = event};
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
            step = (struct tp_cpu_update){.event = event, .first = i + 1, .end = i + 1};
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
        *(struct tp_cpu_update *)tp_vec_push(&found->steps) = step;
}

/* Adds the part of the updates' time that a fused optimizer would save. A fused optimizer reads and writes the same
 * data in one pass, which takes about as long as 1.5 operators per tensor. */
static void add_claimed_time(struct tp_advisor *a, const struct tp_vec *updates, struct tp_cpu_leaves leaves,
                             struct tp_vec *time, struct tp_picks *picks)
{
    int64_t kept_pct = (int64_t)tp_rule_value(a, TP_RULE_H3, "kept_pct");
    for (size_t i = 0; i < updates->count; i++) {
        const struct tp_cpu_update *step = TP_AT(updates, struct tp_cpu_update, i);
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
    struct optimizers found = {a, TP_VEC(a->arena, struct tp_cpu_update), 0};
    if (tp_any_name_has_marks(a->model, TP_MARK_OPTIMIZER_STEP))
        tp_cpu_visit_annotations(a, TP_MARK_OPTIMIZER_STEP, TP_RANGE_NONE, add_optimizer_range, &found);
    int64_t count = (int64_t)found.steps.count;
    int64_t calls = tp_cpu_count_leaves(a, found.steps.data, found.steps.count).calls;
    if (calls < count || (double)calls < least_calls * (double)count)
        found.steps.count = 0;
    return found.steps;
}

static void evaluate_optimizer(struct tp_advisor *a)
{
    struct tp_candidate c = {.rule = TP_RULE_H3, .has_ceiling = true};
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    double least_calls = tp_rule_value(a, TP_RULE_H3, "min_calls");
    struct tp_vec steps = list_optimizer_steps(a, least_calls), updates = tp_cpu_find_updates_by_hand(a, least_calls);
    struct tp_cpu_leaves leaves = tp_cpu_count_leaves(a, steps.data, steps.count);
    struct tp_cpu_leaves by_hand = tp_cpu_count_leaves(a, updates.data, updates.count);
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
