/* Rule H3: an optimizer runs several operators for each tensor, in a program without a device. A fused optimizer would
 * make one pass over all tensors.
 *
 * The rule uses only the part of a step in which the optimizer itself works. The closure of optimizer.step(closure), as
 * in every Lightning program, runs the forward and backward pass inside the step's range. Without a device, foreach
 * runs the same operators as the loop and gains nothing. Four optimizers have a fused form (torch 2.13, torch/optim:
 * _fused_* in sgd.py, adam.py, adamw.py, adagrad.py). */
#include "webreport/measure/audience/wording.h"
#include "webreport/measure/rules/host/rules_cpu.h"
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/model/main_thread.h"
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

/* A step of an optimizer. The optimizer's own time is the part after the closure, from the first to the last operator
 * of the step. */
struct optimizer_step {
    uint32_t event;
    struct tp_interval own;
    uint32_t first, end; /* the operators in the optimizer's own time are cpu->ops[first] to cpu->ops[end - 1] */
};

struct optimizers {
    struct tp_advisor *a;
    struct tp_vec steps; /* steps of optimizers, without steps of fused operators; elements: struct optimizer_step */
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

static bool is_leaf_operator(const struct tp_advisor *a, uint32_t op)
{
    return a->model->operators.subtree_end[op] == op + 1;
}

static void add_optimizer_range(void *context, uint32_t event)
{
    struct optimizers *found = context;
    struct tp_advisor *a = found->a;
    const struct tp_event *range = &a->model->trace->events[event];
    struct optimizer_step step = {.event = event};
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
            step = (struct optimizer_step){.event = event, .first = i + 1, .end = i + 1};
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
        *(struct optimizer_step *)tp_vec_push(&found->steps) = step;
}

/* Operators that contain no other operator, in the optimizer's own time of all steps. calls: number of these operators;
 * names: number of different operator names; tensors: approximate number of tensors, which is the lower median of the
 * number of calls of each name. */
struct leaves {
    int64_t calls, names, tensors;
};

static struct leaves count_leaves(const struct optimizers *found)
{
    struct tp_advisor *a = found->a;
    uint32_t count = a->model->trace->names.count;
    int64_t *calls = tp_arena_array(a->arena, count, sizeof *calls),
            *kept = tp_arena_array(a->arena, count, sizeof *kept);
    struct leaves leaves = {0};
    for (size_t i = 0; i < found->steps.count; i++) {
        const struct optimizer_step *step = TP_AT(&found->steps, struct optimizer_step, i);
        for (uint32_t k = step->first; k < step->end; k++) {
            bool is_one = is_leaf_operator(a, a->cpu->ops[k]);
            leaves.calls += is_one;
            calls[tp_operator_event(a->model, a->cpu->ops[k])->name] += is_one;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        if (calls[i])
            kept[leaves.names++] = calls[i];
    leaves.tensors = leaves.names ? tp_lower_median(kept, (size_t)leaves.names) : 0;
    tp_arena_free_item(a->arena, kept, count * sizeof *kept);
    tp_arena_free_item(a->arena, calls, count * sizeof *calls);
    return leaves;
}

/* Returns the part of the optimizer's own time that a fused optimizer would save. A fused optimizer reads and writes
 * the same data in one pass, which takes about as long as 1.5 operators per tensor. */
static struct tp_intervals claimed_time(struct optimizers *found, const struct leaves *leaves, struct tp_picks *picks)
{
    struct tp_advisor *a = found->a;
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    int64_t kept_pct = (int64_t)tp_rule_value(a, TP_RULE_H3, "kept_pct");
    for (size_t i = 0; i < found->steps.count; i++) {
        const struct optimizer_step *step = TP_AT(&found->steps, struct optimizer_step, i);
        int64_t dur = step->own.b - step->own.a - tp_intervals_length_within(a->cpu->pauses, step->own.a, step->own.b);
        int64_t needed = tp_ns_max(tp_ns_scaled(dur, tp_sat_mul(3, leaves->tensors), tp_sat_mul(2, leaves->calls)),
                                   tp_ns_scaled(dur, kept_pct, 100));
        tp_intervals_push(&time, step->own.a + needed, step->own.b);
        tp_picks_add_by_length(picks, a->model, step->event);
    }
    return tp_intervals_from_vec(&time);
}

static void evaluate_optimizer(struct tp_advisor *a)
{
    struct optimizers found = {a, TP_VEC(a->arena, struct optimizer_step), 0};
    struct tp_candidate c = {.rule = TP_RULE_H3, .has_ceiling = true};
    if (tp_any_name_has_marks(a->model, TP_MARK_OPTIMIZER_STEP))
        tp_cpu_visit_annotations(a, TP_MARK_OPTIMIZER_STEP, TP_RANGE_NONE, add_optimizer_range, &found);
    int64_t count = (int64_t)found.steps.count;
    struct leaves leaves = count_leaves(&found);
    if (!count || leaves.calls < count ||
        (double)leaves.calls < tp_rule_value(a, TP_RULE_H3, "min_calls") * (double)count)
        return;
    c.time = tp_cpu_claimable_time(a, claimed_time(&found, &leaves, &c.picks));
    if (tp_analysed_set_percent(a, c.time) < tp_rule_value(a, TP_RULE_H3, "min_pct"))
        return;
    c.details = TP_DETAIL(a, TP_DETAIL_OPTIMIZER, TP_OF_NUMBER(leaves.calls / count), TP_OF_NUMBER(leaves.names));
    tp_advisor_add_cpu_finding(a, &c);
}
