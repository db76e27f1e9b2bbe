/* Rules about gradient accumulation. R5: the steps are micro-steps. E8: micro-steps send their gradients to the other
 * ranks, although only the last micro-step must.
 *
 * E8 divides a recording into spans. A span starts with a forward pass of a wrapper for data parallelism, or with a
 * micro-step if there is no wrapper. The span ends where the next span starts. A span that reduces gradients without
 * updating the parameters could omit the reduction. */
#include "webreport/measure/rules/device/rules_collectives.h"
#include "webreport/measure/rules/host/rules_cpu.h"
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/measure/verdict/accumulation.h"
#include "webreport/model/collectives_build.h"
#include "webreport/model/main_thread.h"
#include "webreport/model/numbers.h"
#include "webreport/trace/collective_kinds.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"

static void evaluate_micro_steps(struct tp_advisor *a);
static void evaluate_each_micro_step(struct tp_advisor *a);

const struct tp_rule tp_rule_R5 = {
    .id = "R5",
    .title = "Compare whole optimizer steps: the recorded steps are only parts of them",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_micro_steps", 2, true}},
    .advice = "Compare and average whole optimizer steps, because micro-steps differ by design.",
    .doc_url = DOC_PROFILER,
    .cause = "step.accumulation",
    .on_device = evaluate_micro_steps,
    .on_host = evaluate_micro_steps,
};

const struct tp_rule tp_rule_E8 = {
    .id = "E8",
    .title = "Reduce gradients once per optimizer step: `model.no_sync()`",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 1.0, false}},
    .advice = "Before each optimizer step, run all backward passes except the last one inside model.no_sync(). With "
              "fully_shard, call set_requires_gradient_sync(False) instead. The last backward pass reduces the sum of "
              "the gradients.",
    .doc_url = DOC_DDP "#torch.nn.parallel.DistributedDataParallel.no_sync",
    .cause = "comm.accumulation",
    .gain = {.low = 0.5, .high = 1.0},
    .native = {.title = "Reduce gradients once per update",
               .advice = "Add the gradients up first, and reduce them once per update."},
    .rule_with_same_flaws = "E1",
    .on_device = evaluate_each_micro_step,
    .on_host = evaluate_each_micro_step,
};

/* ---- R5: steps that are micro-steps ---- */

/* Returns the median length of the analysed steps of one kind (tp_accumulation_step_kind), ns; 0 without such steps. */
static int64_t median_of_kind(const struct tp_advisor *a, unsigned kind)
{
    const struct tp_model *model = a->model;
    int64_t *lengths = tp_arena_array(a->arena, model->used_count, sizeof *lengths);
    size_t count = 0;
    for (uint32_t s = 0; s < model->step_count; s++)
        if (tp_step_is_used(&model->steps[s]) && tp_accumulation_step_kind(&a->accumulation, s) == kind)
            lengths[count++] = model->steps[s].end_ns - model->steps[s].start_ns;
    return count ? tp_lower_median(lengths, count) : 0;
}

static void evaluate_micro_steps(struct tp_advisor *a)
{
    const struct tp_accumulation *found = &a->accumulation;
    struct tp_candidate c = {.rule = TP_RULE_R5, .is_forced = true, .severity = TP_SEVERITY_INFO, .share = NAN};
    if (!found->micro_steps_per_step || found->micro_steps_per_step < tp_rule_value(a, TP_RULE_R5, "min_micro_steps"))
        return;
    int64_t plain_ns = median_of_kind(a, 0), update_ns = median_of_kind(a, 1);
    int64_t whole_ns = tp_sat_add(tp_sat_mul(plain_ns, found->micro_steps_per_step - 1), update_ns);
    for (uint32_t s = 0; s < a->model->step_count; s++)
        if (tp_step_is_used(&a->model->steps[s]) && found->updates[s] && a->model->steps[s].event != TP_NO_ID)
            tp_picks_append_event(&c.picks, a->model->steps[s].event);
    c.details = TP_DETAIL(a, found->is_lower_bound ? TP_DETAIL_MICRO_STEPS_MIN : TP_DETAIL_MICRO_STEPS,
                          TP_OF_NUMBER(found->micro_steps_per_step), TP_OF_REAL(tp_microseconds(whole_ns) / 1e3),
                          TP_OF_REAL(tp_microseconds(plain_ns) / 1e3), TP_OF_REAL(tp_microseconds(update_ns) / 1e3));
    tp_advisor_add_finding(a, &c);
}

/* ---- E8: gradients that are reduced in each micro-step ---- */

struct span {
    /* backward_end_ns: end of the backward pass; INT64_MIN: the span has no backward pass */
    int64_t start_ns, backward_end_ns;
    int64_t zeroed_ns; /* time of the last zeroing of gradients in the span, ns; INT64_MIN: no zeroing */
    bool updates;      /* true if an optimizer runs in the span */
    bool is_avoidable;
    int64_t bytes;  /* total bytes of the span's gradient reductions; unknown sizes add 0 */
    uint32_t calls; /* number of gradient reductions in the span */
};

struct micro_steps {
    struct tp_advisor *a;
    struct tp_vec spans; /* elements: struct span, in order of start */
    bool has_wrapper;    /* true if spans start with the wrapper's forward pass */
};

static int compare_by_start(const void *x, const void *y, const void *context)
{
    (void)context;
    int64_t p = ((const struct span *)x)->start_ns, q = ((const struct span *)y)->start_ns;
    return p < q ? -1 : p > q;
}

/* Returns whether a range with this name covers the whole forward pass of a wrapper for data parallelism. */
static bool is_forward_pass_name(struct tp_str name)
{
    return tp_str_equal(name, TP_STR("DistributedDataParallel.forward")) ||
           tp_str_equal(name, TP_STR("FullyShardedDataParallel.forward")) ||
           tp_str_equal(name, TP_STR("FSDP::root_pre_forward"));
}

static void add_span(struct micro_steps *m, int64_t start_ns)
{
    *(struct span *)tp_vec_push(&m->spans) =
        (struct span){.start_ns = start_ns, .backward_end_ns = INT64_MIN, .zeroed_ns = INT64_MIN};
}

/* Adds a span for each outermost forward pass of a wrapper. */
static void find_forwards(struct micro_steps *m)
{
    const struct tp_model *model = m->a->model;
    const struct tp_order *order = model->order;
    uint8_t *is_one = tp_arena_array(m->a->arena, model->trace->names.count, sizeof *is_one);
    bool is_any = false;
    for (uint32_t i = 0; i < model->trace->names.count; i++)
        is_any |= is_one[i] = is_forward_pass_name(model->trace->names.items[i]);
    int64_t end = INT64_MIN;
    for (uint32_t i = 0; is_any && i < order->host_count; i++) {
        const struct tp_event *e = &model->trace->events[order->host[i]];
        if (!is_one[e->name] || (e->ts_ns < end && i != order->thread_first[e->thread]))
            continue;
        add_span(m, e->ts_ns);
        end = tp_event_end(e);
    }
    m->has_wrapper = m->spans.count > 0;
    if (m->spans.count)
        tp_merge_sort(m->a->arena, m->spans.data, m->spans.count, sizeof(struct span), compare_by_start, NULL);
}

/* Returns the index of the span that contains a time; SIZE_MAX if the time is before the first span. */
static size_t find_span_at(const struct micro_steps *m, int64_t at_ns)
{
    size_t lo = 0, hi = m->spans.count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (TP_AT(&m->spans, struct span, mid)->start_ns <= at_ns)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo - 1;
}

/* Fills the members of each span from host events: the updates, the zeroing of gradients, and the end of the backward
 * pass. */
static void store_span_events(struct micro_steps *m)
{
    const struct tp_model *model = m->a->model;
    const uint64_t wanted = TP_MARK_OPTIMIZER_STEP | TP_MARK_ZERO_GRAD | TP_MARK_BACKWARD_NODE;
    for (uint32_t i = 0; i < model->order->host_count; i++) {
        const struct tp_event *e = &model->trace->events[model->order->host[i]];
        uint64_t marks = model->marks[e->name];
        size_t at = marks & wanted ? find_span_at(m, e->ts_ns) : SIZE_MAX;
        if (at == SIZE_MAX)
            continue;
        struct span *span = TP_AT(&m->spans, struct span, at);
        span->updates |= (marks & TP_MARK_OPTIMIZER_STEP) != 0;
        if (marks & TP_MARK_ZERO_GRAD)
            span->zeroed_ns = tp_ns_max(span->zeroed_ns, e->ts_ns);
        if (marks & TP_MARK_BACKWARD_NODE)
            span->backward_end_ns = tp_ns_max(span->backward_end_ns, tp_event_end(e));
    }
}

static bool is_inside_gradient(const struct tp_model *model, uint32_t event)
{
    int64_t at = model->trace->events[event].ts_ns;
    for (uint32_t i = event; i != TP_NO_ID; i = tp_find_next_event_around(model, i, at)) {
        struct tp_str name = tp_trace_event_name(model->trace, &model->trace->events[i]);
        if (tp_is_sharding_name(name) ||
            tp_str_equal(name, TP_STR(TP_BACKWARD_NODE " torch::autograd::AccumulateGrad")))
            return true;
    }
    return false;
}

/* Returns whether a record reduces gradients. A wrapper starts reductions inside the nodes that compute gradients. A
 * backend with its own threads (gloo) runs reductions outside all nodes. Without a wrapper, the user's own loop reduces
 * gradients after the backward pass. */
static bool is_gradient_reduction(const struct micro_steps *m, const struct tp_collective *record,
                                  const struct span *span)
{
    const struct tp_collective_kind *kind = tp_collective_kind_by_name(record->name);
    if (!kind || span->backward_end_ns == INT64_MIN ||
        (strcmp(kind->name, "all_reduce") != 0 && strcmp(kind->name, "reduce_scatter") != 0))
        return false;
    if (!m->has_wrapper)
        return record->start_ns >= span->backward_end_ns;
    bool is_apart = !record->is_device && m->a->cpu && m->a->model->inside[record->event] == TP_NO_ID;
    return is_apart || (!record->is_device && is_inside_gradient(m->a->model, record->event));
}

static void store_reductions_of_spans(struct micro_steps *m)
{
    const struct tp_collectives *records = &m->a->model->collectives;
    for (uint32_t i = 0; i < records->count; i++) {
        const struct tp_collective *record = &records->items[i];
        size_t at = find_span_at(m, record->start_ns);
        struct span *span = at == SIZE_MAX ? NULL : TP_AT(&m->spans, struct span, at);
        if (!span || !is_gradient_reduction(m, record, span))
            continue;
        span->calls++;
        span->bytes = tp_sat_add(span->bytes, tp_ns_max(0, record->bytes));
    }
}

/* Marks the spans whose reductions equal the reductions of the next span that updates the parameters. Returns the
 * number of marked spans. Sets *updates to the number of spans that update the parameters. Ignores the last span, which
 * may be incomplete. Also ignores spans that zero and so discard their gradients after the backward pass. */
static uint32_t mark_avoidable_reductions(struct micro_steps *m, uint32_t *updates)
{
    const struct span *next = NULL;
    uint32_t count = 0;
    *updates = 0;
    for (size_t i = m->spans.count; i-- > 0;) {
        struct span *span = TP_AT(&m->spans, struct span, i);
        if (span->updates) {
            next = span;
            ++*updates;
        } else if (span->zeroed_ns > span->backward_end_ns) {
            next = NULL;
        } else if (next && span->calls && span->calls == next->calls && span->bytes == next->bytes) {
            span->is_avoidable = true;
            count++;
        }
    }
    return count;
}

static void evaluate_each_micro_step(struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    struct micro_steps m = {.a = a, .spans = TP_VEC(a->arena, struct span)};
    struct tp_candidate c = {.rule = TP_RULE_E8, .has_ceiling = true};
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    uint32_t updates;
    if (!model->collectives.count || !tp_any_name_has_marks(model, TP_MARK_OPTIMIZER_STEP))
        return;
    find_forwards(&m);
    for (uint32_t s = 0; !m.has_wrapper && a->accumulation.micro_steps_per_step && s < model->step_count; s++)
        add_span(&m, model->steps[s].start_ns);
    if (m.spans.count < 2)
        return;
    store_span_events(&m);
    store_reductions_of_spans(&m);
    uint32_t count = mark_avoidable_reductions(&m, &updates);
    if (!count || count < updates / 2)
        return;
    for (uint32_t i = 0; i < model->collectives.count; i++) {
        const struct tp_collective *record = &model->collectives.items[i];
        size_t at = find_span_at(&m, record->start_ns);
        const struct span *span = at == SIZE_MAX ? NULL : TP_AT(&m.spans, struct span, at);
        if (!span || !span->is_avoidable || !is_gradient_reduction(&m, record, span))
            continue;
        struct tp_interval whole = tp_collective_interval(record);
        tp_intervals_push(&time, whole.a, whole.b);
        tp_picks_add_by_length(&c.picks, model, record->event);
    }
    struct tp_intervals all = tp_intervals_from_vec(&time);
    struct tp_intervals exposed = a->cpu ? tp_exposed_collectives(model, a->arena) : tp_exposed_communication(a);
    c.time = tp_intervals_difference(a->arena, tp_intervals_intersection(a->arena, all, exposed),
                                     a->explained_communication);
    c.details = TP_DETAIL(a, TP_DETAIL_REDUCTIONS, TP_OF_NUMBER(count), TP_OF_NUMBER(m.spans.count));
    if (tp_analysed_set_percent(a, c.time) < tp_rule_value(a, TP_RULE_E8, "min_pct"))
        return;
    if (a->cpu ? tp_advisor_add_cpu_finding(a, &c) : tp_advisor_add_finding(a, &c))
        tp_record_explained_communication(a, all);
}
