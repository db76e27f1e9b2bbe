/* Rule H21: single steps of programs without a device that do additional work, such as validation, writing a
 * checkpoint, or recomputing stored data.
 *
 * A slow step with the same calls as other steps is not reported. With gradient accumulation, micro-steps that update
 * the parameters are compared only with each other. */
#include "webreport/measure/rules/host/rules_cpu.h"
#include "webreport/measure/rules/rules_texts.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

static void evaluate_outlier(struct tp_advisor *a);

const struct tp_rule tp_rule_H21 = {
    .id = "H21",
    .title = "Spread the extra work of some steps, or do it less often",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_ratio", 1.5, false}, {"min_pct", 4.0, false}},
    .advice = "Spread the extra work over the steps, do it less often, or do it in another thread or process.",
    .doc_url = DOC_TUNE,
    .cause = "step.outlier",
    .gain = {.right = 1, .known = 1},
    .on_host = evaluate_outlier,
};

/* MOST_PART: at most one in MOST_PART steps may have additional work; otherwise the steps are unequal (H20) */
enum { MIN_STEPS = 4, MOST_PART = 4 };

struct outliers {
    struct tp_advisor *a;
    struct tp_id_map usual; /* results of key_of_call_and_step_kind for calls in steps that are not long */
    bool *is_long;          /* for each step: true if the step is long */
    /* for each step: additional calls, empty unless the step is long; elements: struct tp_interval */
    struct tp_vec *extra;
    struct tp_picks picks;
    /* for each kind of step (tp_accumulation_step_kind): median length, ns; -1 if there are too few steps to compare */
    int64_t median_ns[2];
};

/* Returns a key that combines the label of a call with the kind of its step. */
static uint64_t key_of_call_and_step_kind(const struct outliers *o, uint32_t event, uint32_t step)
{
    const struct tp_trace *trace = o->a->model->trace;
    uint64_t label = tp_frames_label(&trace->frames, trace->events[event].name);
    return label << 1 | tp_accumulation_step_kind(&o->a->accumulation, step);
}

/* Computes the median length for each kind of step. Returns the number of steps that can be compared. */
static uint32_t find_median_lengths_of_steps(struct outliers *o)
{
    const struct tp_model *model = o->a->model;
    int64_t *lengths = tp_arena_array(o->a->arena, model->used_count, sizeof *lengths);
    uint32_t judged = 0;
    for (unsigned kind = 0; kind < 2; kind++) {
        uint32_t count = 0;
        for (uint32_t s = 0; s < model->step_count; s++)
            if (tp_step_is_used(&model->steps[s]) && tp_accumulation_step_kind(&o->a->accumulation, s) == kind)
                lengths[count++] = model->steps[s].end_ns - model->steps[s].start_ns;
        o->median_ns[kind] = count < MIN_STEPS ? -1 : tp_lower_median(lengths, count);
        judged += count < MIN_STEPS ? 0 : count;
    }
    return judged;
}

/* Fills is_long by the lengths of the steps, whatever made a step long. Returns the number of steps that can be
 * compared; 0 if there are too few, or if no step is long. */
static uint32_t find_long_steps(struct outliers *o)
{
    const struct tp_model *model = o->a->model;
    uint32_t count = find_median_lengths_of_steps(o), long_count = 0, first = TP_NO_ID;
    double ratio = tp_rule_value(o->a, TP_RULE_H21, "min_ratio");
    for (uint32_t s = 0; s < model->step_count; s++) {
        if (!tp_step_is_used(&model->steps[s]))
            continue;
        int64_t median_ns = o->median_ns[tp_accumulation_step_kind(&o->a->accumulation, s)];
        /* the first step is never long, because it does work that is needed only once */
        first = first == TP_NO_ID ? s : first;
        o->is_long[s] = s != first && median_ns >= 0 && model->steps[s].event != TP_NO_ID &&
                        (double)(model->steps[s].end_ns - model->steps[s].start_ns) >= ratio * (double)median_ns;
        long_count += o->is_long[s];
    }
    return long_count ? count : 0;
}

/* Calls `visit` for each operator and frame of the main thread in analysed steps. step: index of the step that contains
 * the call. */
static void visit_calls_in_used_steps(struct outliers *o,
                                      void (*visit)(struct outliers *o, uint32_t event, uint32_t step))
{
    const struct tp_model *model = o->a->model;
    const struct tp_order *order = model->order;
    uint32_t near = 0;
    for (uint32_t i = order->thread_first[model->host_main]; i < order->thread_first[model->host_main + 1]; i++) {
        const struct tp_event *e = &model->trace->events[order->host[i]];
        uint32_t step = tp_step_of_host_time_near(model, e->ts_ns, &near);
        bool is_call = e->kind == TP_KIND_OPERATOR || tp_kind_is_frame(e->kind);
        if (is_call && step < model->step_count && tp_step_is_used(&model->steps[step]))
            visit(o, order->host[i], step);
    }
}

static void store_usual_event(struct outliers *o, uint32_t event, uint32_t step)
{
    if (!o->is_long[step])
        *tp_id_map_find_or_add(&o->usual, key_of_call_and_step_kind(o, event, step)) = 1;
}

/* Adds a call in a long step if no shorter step contains such a call. Ignores calls inside a call that was added. */
static void add_extra_call(struct outliers *o, uint32_t event, uint32_t step)
{
    const struct tp_model *model = o->a->model;
    const struct tp_event *e = &model->trace->events[event];
    int64_t end = tp_ns_min(tp_event_end(e), model->steps[step].end_ns);
    struct tp_vec *extra = &o->extra[step];
    const struct tp_interval *last = extra->count ? TP_AT(extra, struct tp_interval, extra->count - 1) : NULL;
    if (!o->is_long[step] || end <= e->ts_ns || (last && last->b >= end) ||
        tp_id_map_find(&o->usual, key_of_call_and_step_kind(o, event, step)))
        return;
    tp_intervals_push(extra, e->ts_ns, end);
    tp_picks_add_by_length(&o->picks, model, event);
}

/* Returns the time by which a step exceeds the median because of calls that other steps do not make, ns. Returns 0 if
 * the step is long for another reason. */
static int64_t excess_ns(struct outliers *o, uint32_t step)
{
    const struct tp_step *s = &o->a->model->steps[step];
    unsigned kind = tp_accumulation_step_kind(&o->a->accumulation, step);
    struct tp_intervals extra =
        tp_intervals_difference(o->a->arena, tp_intervals_from_vec(&o->extra[step]), o->a->cpu->loading);
    int64_t own = tp_intervals_length(extra), longer = s->end_ns - s->start_ns - o->median_ns[kind];
    return own >= longer / 2 ? tp_ns_min(own, longer) : 0;
}

static void evaluate_outlier(struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    struct outliers o = {.a = a,
                         .is_long = tp_arena_array(a->arena, model->step_count, sizeof *o.is_long),
                         .extra = tp_arena_array(a->arena, model->step_count, sizeof *o.extra)};
    struct tp_candidate c = {.rule = TP_RULE_H21, .is_forced = true, .severity = TP_SEVERITY_MEDIUM, .share = NAN};
    int64_t beyond = 0;
    uint32_t count = 0, most = 0, judged = find_long_steps(&o);
    if (!judged)
        return;
    for (uint32_t s = 0; s < model->step_count; s++)
        o.extra[s] = TP_VEC(a->arena, struct tp_interval);
    tp_id_map_init(&o.usual, a->arena);
    visit_calls_in_used_steps(&o, store_usual_event);
    visit_calls_in_used_steps(&o, add_extra_call);
    for (uint32_t s = 0; s < model->step_count; s++) {
        int64_t ns = o.is_long[s] ? excess_ns(&o, s) : 0;
        most = ns && (!count || model->steps[s].end_ns - model->steps[s].start_ns >
                                    model->steps[most].end_ns - model->steps[most].start_ns)
                   ? s
                   : most;
        count += ns > 0;
        beyond = tp_sat_add(beyond, ns);
    }
    tp_id_map_release(&o.usual);
    c.weight = tp_percent(beyond, model->window_ns);
    if (!count || count * MOST_PART > judged || c.weight < tp_rule_value(a, TP_RULE_H21, "min_pct"))
        return;
    if (2 * beyond > model->window_ns)
        c.severity = TP_SEVERITY_HIGH;
    c.picks = o.picks;
    const struct tp_step *step = &model->steps[most];
    double median_ns = (double)o.median_ns[tp_accumulation_step_kind(&a->accumulation, most)];
    c.details = TP_DETAIL(a, TP_DETAIL_OUTLIER, TP_OF_TEXT(step->name),
                          TP_OF_REAL((double)(step->end_ns - step->start_ns) / median_ns), TP_OF_PERCENT(c.weight));
    tp_advisor_add_finding(a, &c);
}
