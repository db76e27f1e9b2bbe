/* Rule R6: in a program that only calls a model, each step works on one sample. More samples would take little more
 * time, because the step reads all weights for a few rows, or because its operators are shorter than their calls.
 *
 * The trace does not show whether other samples are waiting, so the finding estimates no gain. A batch raises the
 * throughput, but a single user gains nothing. In steps of a serving engine, the step's name contains the number of
 * requests. In other steps, the operands of the outermost operators show the number of samples. */
#include "webreport/measure/rules/host/rules_cpu.h"
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/measure/rules/rules_work.h"
#include "webreport/measure/serving/serving_marks.h"
#include "webreport/measure/work/cost_call.h"
#include "webreport/measure/work/operator_samples.h"
#include "webreport/model/main_thread.h"
#include "webreport/model/numbers.h"

static void evaluate_one_sample(struct tp_advisor *a);

const struct tp_rule tp_rule_R6 = {
    .id = "R6",
    .title = "Batch requests that wait: the model works on one sample at a time",
    .confidence = TP_CONFIDENCE_LOW,
    .thresholds = {{"min_pct", 5.0, false},
                   {"max_rows", 32, true},
                   {"short_us", 200, true},
                   {"short_kernel_us", 20, true}},
    .advice = "If several requests wait at the same time, run them in one batch. A batch reads the weights and calls "
              "each operator once for all requests. The throughput rises, but a single request is not answered sooner.",
    .doc_url = DOC_TUNE,
    .cause = "batch.too_small",
    .native = {.title = "Batch inputs that wait: the program works on one at a time",
               .advice = "If several inputs wait at the same time, process them in one batch. The throughput rises, "
                         "but a single input is not ready sooner."},
    .serving = {.title = "Send requests together: the engine decodes one at a time",
                .advice = "If several requests wait at the same time, send them to the engine together, so that the "
                          "engine batches them. Use a list of prompts in one call, or concurrent requests to the "
                          "server. The throughput rises, but a single request is not answered sooner."},
    .on_device = evaluate_one_sample,
    .on_host = evaluate_one_sample,
};

/* MOST_OF: "most" means all but at most 1 / MOST_OF. LEAST_BYTES: number of bytes of weights per step from which on the
 * detail mentions the weights */
enum { MIN_STEPS = 3, MOST_OF = 5, LEAST_BYTES = 1000000 };

/* the matrix products, convolutions and recurrent layers in the window of analysed steps */
struct matrix_work {
    struct tp_advisor *a;
    /* all_ns: time of all the matrix work, ns; one_sample_ns: time of the part that works on one sample, ns (a batch
     * would hardly lengthen this time) */
    int64_t all_ns, one_sample_ns;
    int64_t one_sample_host_ns; /* host time of the operators whose time is in one_sample_ns, ns */
    /* bytes of weights that the products on one sample read; TP_NULL_INT if some are unknown */
    int64_t weight_bytes;
    struct tp_picks picks; /* evidence: operators on one sample, longest first */
    bool *has_one;         /* for each step: true if an operator on one sample starts in the step */
};

static bool is_nearly_all_of_total(int64_t part, int64_t whole)
{
    return whole > 0 && part >= whole - whole / MOST_OF;
}

/* Returns the time of an operator, ns: the time of its device work, or its time on the host without pauses if the
 * program has no device. */
static int64_t operator_time(const struct tp_advisor *a, uint32_t op)
{
    if (!a->cpu)
        return tp_narrow_get(&a->model->operators.device_total, op);
    const struct tp_event *e = tp_operator_event(a->model, op);
    return e->dur_ns - tp_intervals_length_within(a->cpu->pauses, e->ts_ns, tp_event_end(e));
}

/* Returns the batch size of a recurrent layer; 0 if unknown. The batch size is the second size of the layer's state,
 * because the input alone does not show it. */
static int64_t batch_size_of_state(const struct tp_model *model, uint32_t op)
{
    struct tp_str dims =
        tp_strings_get(&model->trace->values, model->trace->hosts[tp_operator_event(model, op)->detail].dims);
    struct tp_shape state = tp_shape_input(dims, 1);
    if (!state.is_known) /* an LSTM has two states in a list */
        state = tp_shape_parse(tp_shape_item(tp_shape_item(dims, 1), 0));
    return state.is_known && state.rank == 3 ? state.sizes[1] : 0;
}

/* Returns whether an operator works on one sample. longest: length of the longest sequence of one sample so far in the
 * step. A matrix product with at most this number of rows may work on the elements of this sequence. */
static bool is_one_sample(const struct tp_model *model, uint32_t op, const struct tp_samples *samples, int64_t longest)
{
    if (samples->is_recurrent)
        return samples->count == 1 && batch_size_of_state(model, op) == 1;
    return samples->count == 1 || (samples->rows && samples->rows <= longest);
}

/* Adds the bytes of a product's weights. The weights are the operand that follows the samples. */
static void add_weights(struct matrix_work *work, uint32_t op)
{
    const struct tp_trace *trace = work->a->model->trace;
    const struct tp_event *e = tp_operator_event(work->a->model, op);
    const struct tp_host_detail *host = &trace->hosts[e->detail];
    struct tp_op_call call = {
        tp_strings_get(&trace->values, host->dims), tp_strings_get(&trace->values, host->types), {"", 0}};
    struct tp_cost_arguments arguments;
    int weight = (int)tp_samples_operand_index(tp_trace_event_name(trace, e)) + 1;
    bool is_known = work->weight_bytes != TP_NULL_INT && tp_cost_read_arguments(&arguments, &call, NULL) &&
                    tp_cost_tensor_shape(&arguments, weight) && arguments.items[weight].has_size;
    work->weight_bytes =
        is_known ? tp_sat_add(work->weight_bytes, tp_cost_tensor_bytes(&arguments, weight)) : TP_NULL_INT;
}

static void add_operator(struct matrix_work *work, uint32_t op, const struct tp_samples *samples, uint32_t step,
                         int64_t *longest)
{
    const struct tp_model *model = work->a->model;
    bool is_one = samples->count && is_one_sample(model, op, samples, *longest);
    if (is_one && samples->count == 1)
        *longest = tp_ns_max(*longest, samples->length);
    if (samples->is_of_words)
        return;
    int64_t ns = operator_time(work->a, op);
    const char *shortest = work->a->cpu ? "short_us" : "short_kernel_us";
    bool is_light = samples->is_recurrent ||
                    (samples->rows && (double)samples->rows <= tp_rule_value(work->a, TP_RULE_R6, "max_rows")) ||
                    (double)ns < 1000 * tp_rule_value(work->a, TP_RULE_R6, shortest);
    work->all_ns = tp_sat_add(work->all_ns, ns);
    if (!is_one || !is_light)
        return;
    work->one_sample_ns = tp_sat_add(work->one_sample_ns, ns);
    work->one_sample_host_ns = tp_sat_add(work->one_sample_host_ns, tp_operator_event(model, op)->dur_ns);
    if (step < model->step_count)
        work->has_one[step] = true;
    if (samples->rows)
        add_weights(work, op);
    tp_picks_add_by_length(&work->picks, model, model->operators.event[op]);
}

/* Adds the outermost operators with matrix work on the main thread that start in the window of analysed steps. */
static void add_operators(struct matrix_work *work)
{
    const struct tp_model *model = work->a->model;
    const struct tp_operators *operators = &model->operators;
    uint32_t near = 0, last_step = TP_NO_ID, end = operators->thread_first[model->host_main + 1];
    int64_t longest = 0;
    for (uint32_t op = operators->thread_first[model->host_main], next; op < end; op = next) {
        const struct tp_event *e = tp_operator_event(model, op);
        struct tp_samples samples = tp_samples_of_operator(model, op);
        bool is_matrix_work =
            samples.count || samples.is_unknown || tp_is_batched_product(tp_trace_event_name(model->trace, e));
        next = is_matrix_work ? operators->subtree_end[op] : op + 1;
        if (!is_matrix_work || !tp_event_is_in_window(work->a, operators->event[op]) ||
            (work->a->cpu && tp_cpu_is_in_loader(work->a, op)))
            continue;
        uint32_t step = tp_step_of_host_time_near(model, e->ts_ns, &near);
        longest = step == last_step ? longest : 0;
        last_step = step;
        add_operator(work, op, &samples, step, &longest);
    }
}

/* Returns the number of analysed steps in which an operator on one sample starts. */
static uint32_t count_steps_with_one_sample(const struct matrix_work *work)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < work->a->model->step_count; s++)
        count += tp_step_is_used(&work->a->model->steps[s]) && work->has_one[s];
    return count;
}

/* Returns the number of a serving engine's analysed steps that decode one request. Sets *named to the number of all
 * used steps of the engine. */
static uint32_t count_requests(struct tp_advisor *a, uint32_t *named, struct tp_picks *picks)
{
    const struct tp_model *model = a->model;
    uint32_t single = 0;
    *named = 0;
    for (uint32_t s = 0; s < model->step_count; s++) {
        struct tp_serving_mark mark;
        uint32_t event = model->steps[s].event;
        if (!tp_step_is_used(&model->steps[s]) || event == TP_NO_ID ||
            !tp_serving_mark_read(&mark, tp_trace_event_name(model->trace, &model->trace->events[event])))
            continue;
        ++*named;
        if (mark.phase != TP_SERVING_DECODE || mark.numbers[TP_SERVING_REQUESTS] != 1)
            continue;
        single++;
        tp_picks_add_by_length(picks, model, event);
    }
    return single;
}

static struct tp_detail *work_detail(const struct matrix_work *work)
{
    struct tp_advisor *a = work->a;
    const struct tp_model *model = a->model;
    const struct tp_event *e = &model->trace->events[work->picks.items[0].event];
    struct tp_str name = tp_trace_event_name(model->trace, e);
    struct tp_str dims = tp_strings_get(&model->trace->values, model->trace->hosts[e->detail].dims);
    struct tp_shape shape = tp_shape_input(dims, tp_samples_operand_index(name));
    struct tp_str sizes = tp_shape_text(a, &shape);
    uint32_t count = count_steps_with_one_sample(work);
    struct tp_detail *detail =
        count < model->used_count
            ? TP_DETAIL(a, TP_DETAIL_SINGLE_SAMPLES, TP_OF_NUMBER(count), TP_OF_NUMBER(model->used_count),
                        TP_OF_TEXT(name), TP_OF_TEXT(sizes))
            : TP_DETAIL(a, TP_DETAIL_ALWAYS_SINGLE, TP_OF_NUMBER(count), TP_OF_TEXT(name), TP_OF_TEXT(sizes));
    /* the detail mentions the weights only if the steps read many bytes of them */
    if (work->weight_bytes >= LEAST_BYTES * (int64_t)model->used_count)
        detail->next =
            TP_DETAIL(a, TP_DETAIL_WEIGHTS, TP_OF_REAL((double)work->weight_bytes / model->used_count / 1e6));
    return detail;
}

/* Adds the finding. If a rule for the same cause already has a finding, adds only the detail to that finding. */
static void report_one_sample(struct tp_advisor *a, struct tp_candidate *c)
{
    for (unsigned i = 0; i < TP_RULE_COUNT; i++)
        if (tp_rule_at(i)->is_about_small_batches && a->reported[i]) {
            tp_advisor_set_details(a, (enum tp_rule_id)i, c->details);
            return;
        }
    tp_advisor_add_finding(a, c);
}

static void evaluate_one_sample(struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    struct tp_candidate c = {.rule = TP_RULE_R6, .is_forced = true, .severity = TP_SEVERITY_LOW, .share = NAN};
    struct matrix_work work = {.a = a};
    uint32_t named;
    bool is_marked = model->step_marker != TP_MARKER_WINDOW && model->step_marker != TP_MARKER_OPTIMIZER;
    if (!is_marked || model->used_count < MIN_STEPS || model->host_main == TP_NO_ID ||
        tp_any_name_has_marks(model, TP_MARK_BACKWARD_NODE | TP_MARK_OPTIMIZER_STEP))
        return;
    uint32_t single = count_requests(a, &named, &c.picks);
    if (named) {
        c.details = TP_DETAIL(a, TP_DETAIL_ONE_REQUEST, TP_OF_NUMBER(single), TP_OF_NUMBER(model->used_count));
        if (is_nearly_all_of_total(single, model->used_count))
            report_one_sample(a, &c);
        return;
    }
    work.has_one = tp_arena_array(a->arena, model->step_count, sizeof *work.has_one);
    add_operators(&work);
    if (!is_nearly_all_of_total(work.one_sample_ns, work.all_ns) ||
        !is_nearly_all_of_total(count_steps_with_one_sample(&work), model->used_count) ||
        tp_analysed_percent(a, tp_ns_max(work.one_sample_ns, work.one_sample_host_ns)) <
            tp_rule_value(a, TP_RULE_R6, "min_pct"))
        return;
    c.picks = work.picks;
    c.details = work_detail(&work);
    report_one_sample(a, &c);
}
