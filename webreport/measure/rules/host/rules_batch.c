/* Rules about the amount of work in a step, in programs without a device: a model that is called sample by sample
 * (H18), a batch that is too small for its model (H19), steps of unequal work (H20). */
#include "webreport/measure/rules/host/rules_cpu.h"
#include "webreport/measure/rules/host/rules_unbatched.h"
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/measure/work/operator_samples.h"
#include "writer/base/stats.h"

static void evaluate_batch(struct tp_advisor *a);

const struct tp_rule tp_rule_H18 = {
    .id = "H18",
    .title = "Stack the samples and call the model once per batch",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 3.0, false}},
    .advice = "Stack the samples and call the model once. Pad samples of different length.",
    .doc_url = DOC_TUNE,
    .cause = "batch.per_sample_loop",
    .gain = {.low = 0.75, .high = 1.0, .right = 1, .known = 1},
    .native = {.title = "Combine the samples in one batch and make one call",
               .advice = "Combine the samples in one batch and make one call."},
    .is_about_small_batches = true,
    .on_host = evaluate_batch,
};

const struct tp_rule tp_rule_H19 = {
    .id = "H19",
    .title = "Use a larger batch: fixed costs dominate each step",
    .confidence = TP_CONFIDENCE_LOW,
    .thresholds = {{"min_pct", 5.0, false}, {"work_pct", 20.0, false}},
    .advice = "Use a larger batch and adapt the learning rate, because reading and updating the weights costs the same "
              "for every batch size.",
    .doc_url = DOC_TUNE,
    .cause = "batch.too_small",
    .gain = {.low = 0.75, .high = 1.0, .right = 1, .known = 2},
    .native = {.advice = "Use a larger batch, because reading the weights costs the same for every batch size."},
    .inference = {.advice = "Use a larger batch, because reading the weights costs the same for every batch size."},
    .is_about_small_batches = true,
    .on_host = evaluate_batch,
};

const struct tp_rule tp_rule_H20 = {
    .id = "H20",
    .title = "Batch samples of similar size: steps do very different amounts of work",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_ratio", 1.5, false}},
    .advice = "Combine samples of similar size (length buckets), or limit the number of elements of a batch instead of "
              "the number of samples.",
    .doc_url = DOC_DATA,
    .cause = "step.imbalance",
    .gain = {.right = 1, .known = 1},
    .native = {.title = "Batch inputs of similar size: steps do very different amounts of work",
               .advice = "Combine inputs of similar size, or limit the number of elements of a batch instead of the "
                         "number of inputs."},
    .on_host = evaluate_batch,
};

/* rates at which a core works at most, in products of few columns (H16) */
static const double FLOPS_PER_NS = 60, BYTES_PER_NS = 6;

/* SMALL_BATCH: most samples of a small batch; SMALL_BATCH_OF_LITTLE_WORK: the same if the work on the samples takes a
 * small part of the time */
enum {
    MIN_CALLS = 4,
    MIN_INNER_CALLS = 8,
    SMALL_BATCH = 4,
    SMALL_BATCH_OF_LITTLE_WORK = 8,
    USUAL_BATCH = 32,
    MIN_STEPS = 3
};

/* Returns the value id of the shapes of an operator's operands ("Input Dims"). */
static uint32_t operator_dims(const struct tp_model *model, uint32_t op)
{
    return model->trace->hosts[tp_operator_event(model, op)->detail].dims;
}

/* Returns the number of rows of a matrix product's first operand in the forward pass. Returns 0 if the operator is no
 * matrix product of the forward pass, or if the number is unknown. */
static int64_t product_rows(const struct tp_model *model, uint32_t op)
{
    static const struct tp_str names[] = {TP_STR("aten::mm"), TP_STR("aten::addmm")};
    struct tp_str name = tp_trace_event_name(model->trace, tp_operator_event(model, op));
    for (unsigned i = 0; i < 2; i++) {
        if (!tp_str_equal(name, names[i]))
            continue;
        struct tp_shape shape = tp_operand_shape(model, op, i);
        return shape.is_known && shape.rank == 2 ? shape.sizes[0] : 0;
    }
    return 0;
}

/* ---- a model called sample by sample (H18) ---- */

/* calls of modules on the main thread within the window of analysed steps */
struct calls {
    struct tp_advisor *a;
    uint32_t *of_name; /* number of calls for each name id; each module has its own name */
    /* name id of the module with the most calls, among modules for which is_repeated_module is true; TP_NO_ID: no such
     * module */
    uint32_t name;
    bool is_inner; /* true if the module `name` is a part of another module */
};

static bool is_counted_module(const struct calls *c, uint32_t module)
{
    const struct tp_model *model = c->a->model;
    uint32_t event = model->modules.event[module];
    return tp_event_is_in_window(c->a, event) && model->trace->events[event].thread == model->host_main &&
           !tp_intervals_contain(c->a->cpu->loading, model->trace->events[event].ts_ns);
}

static uint32_t module_call_count(const struct calls *c, uint32_t module)
{
    return c->of_name[c->a->model->trace->events[c->a->model->modules.event[module]].name];
}

/* Returns whether a module has enough calls in each step, but none of its enclosing modules has. A part of another
 * module needs more calls, because it may be shared, such as a head for maps of several sizes. */
static bool is_repeated_module(const struct calls *c, uint32_t module)
{
    uint32_t outer = c->a->model->modules.parent[module];
    uint32_t least = (outer == TP_NO_ID ? MIN_CALLS : MIN_INNER_CALLS) * c->a->model->used_count;
    for (; outer != TP_NO_ID; outer = c->a->model->modules.parent[outer])
        if (module_call_count(c, outer) >= MIN_CALLS * c->a->model->used_count)
            return false;
    return module_call_count(c, module) >= least;
}

static void count_calls_of_modules(struct calls *c)
{
    const struct tp_model *model = c->a->model;
    uint32_t most = 0;
    c->of_name = tp_arena_array(c->a->arena, model->trace->names.count, sizeof *c->of_name);
    c->name = TP_NO_ID;
    for (uint32_t m = 0; m < model->modules.count; m++)
        c->of_name[model->trace->events[model->modules.event[m]].name] += is_counted_module(c, m);
    for (uint32_t m = 0; m < model->modules.count; m++)
        if (is_counted_module(c, m) && module_call_count(c, m) > most && is_repeated_module(c, m)) {
            most = module_call_count(c, m);
            c->name = model->trace->events[model->modules.event[m]].name;
            c->is_inner = model->modules.parent[m] != TP_NO_ID;
        }
}

static struct tp_vec list_calls_of_module(const struct calls *c)
{
    const struct tp_model *model = c->a->model;
    struct tp_vec calls = TP_VEC(c->a->arena, struct tp_cpu_call);
    for (uint32_t m = 0; m < model->modules.count; m++) {
        const struct tp_event *e = &model->trace->events[model->modules.event[m]];
        if (e->name == c->name && is_counted_module(c, m))
            *(struct tp_cpu_call *)tp_vec_push(&calls) =
                (struct tp_cpu_call){.time = {e->ts_ns, tp_event_end(e)},
                                     .event = model->modules.event[m],
                                     .step = tp_step_of_host_time(model, e->ts_ns),
                                     .dims = TP_NO_ID};
    }
    return calls;
}

/* Removes the calls that work on a batch, because a fix leaves them as they are. Returns whether most calls remain. */
static bool remove_calls_of_batches(const struct calls *c, struct tp_vec *calls)
{
    size_t kept = 0, all = calls->count;
    for (size_t i = 0; i < all; i++)
        if (!TP_AT(calls, struct tp_cpu_call, i)->is_of_batch)
            *TP_AT(calls, struct tp_cpu_call, kept++) = *TP_AT(calls, struct tp_cpu_call, i);
    calls->count = kept;
    return kept >= MIN_CALLS * c->a->model->used_count && 2 * kept > all;
}

/* Returns the longest time between two calls of a step that belongs to the loop over the samples, ns. In a longer time,
 * the program does other work, such as a move of a game in which each player asks the model once. */
static int64_t longest_time_between_calls(struct tp_advisor *a, const struct tp_vec *calls)
{
    enum { USUAL_TIMES = 4 };
    int64_t *times = tp_arena_array(a->arena, calls->count + 1, sizeof *times);
    size_t count = 0;
    for (size_t i = 1; i < calls->count; i++) {
        const struct tp_cpu_call *last = TP_AT(calls, struct tp_cpu_call, i - 1),
                                 *call = TP_AT(calls, struct tp_cpu_call, i);
        if (call->step == last->step)
            times[count++] = call->time.a - last->time.b;
    }
    int64_t usual = count ? tp_lower_median(times, count) : 0;
    tp_arena_free_item(a->arena, times, (calls->count + 1) * sizeof *times);
    return tp_sat_mul(USUAL_TIMES, usual);
}

/* Returns the time from the second call to the end of the last call of each loop over samples. This includes the time
 * between the calls, which a single call of the model would save too. */
static struct tp_intervals find_repeated_calls(struct tp_advisor *a, const struct tp_vec *calls, struct tp_picks *picks)
{
    struct tp_vec repeated = TP_VEC(a->arena, struct tp_interval);
    int64_t longest = longest_time_between_calls(a, calls);
    struct tp_interval *of_loop = NULL;
    for (size_t i = 0; i < calls->count; i++) {
        const struct tp_cpu_call *call = TP_AT(calls, struct tp_cpu_call, i),
                                 *last = i ? TP_AT(calls, struct tp_cpu_call, i - 1) : NULL;
        bool is_next = last && call->step == last->step && call->time.a - last->time.b <= longest;
        if (!is_next)
            of_loop = NULL;
        else if (of_loop)
            of_loop->b = call->time.b;
        else
            *(of_loop = tp_vec_push(&repeated)) = call->time;
        tp_picks_add_by_length(picks, a->model, call->event);
    }
    return tp_intervals_from_vec(&repeated);
}

/* Returns whether an operator may work on the elements of a sequence. The operator is in a call whose first operator
 * works on one sample. Attention uses the elements as samples of [length, 1, features] or as rows of [length,
 * features]. */
static bool is_work_on_elements(const struct tp_samples *batch, int64_t longest)
{
    return batch->is_length_first || (batch->rows && batch->rows <= longest);
}

/* Finds the calls that work on several samples, and the length of the sequence in each other call. */
static void examine_samples_of_calls(const struct tp_advisor *a, struct tp_vec *calls)
{
    const struct tp_model *model = a->model;
    uint32_t inside = 0;
    int64_t longest = 0;
    size_t at = 0;
    for (uint32_t i = 0; i < a->cpu->count; i++) {
        int64_t ts = tp_operator_event(model, a->cpu->ops[i])->ts_ns;
        while (at < calls->count && TP_AT(calls, struct tp_cpu_call, at)->time.b <= ts)
            at++;
        if (at == calls->count)
            break;
        struct tp_cpu_call *call = TP_AT(calls, struct tp_cpu_call, at);
        if (ts < call->time.a || call->is_of_batch || a->cpu->ops[i] < inside)
            continue;
        struct tp_samples batch = tp_samples_of_operator(model, a->cpu->ops[i]);
        if (!batch.count)
            continue;
        bool is_first = call->dims == TP_NO_ID;
        call->is_of_batch = batch.count > 1 && (is_first || !is_work_on_elements(&batch, longest));
        inside = model->operators.subtree_end[a->cpu->ops[i]];
        int64_t length = batch.is_length_first ? batch.count : batch.length;
        longest = is_first ? length : tp_ns_max(longest, length);
        if (!is_first) /* only the first operator of a call shows the length of the call's sequence */
            continue;
        call->dims = operator_dims(model, a->cpu->ops[i]);
        call->length = batch.length;
    }
}

/* Returns whether most calls do not generate text. If the module is a part of another module, its calls must also work
 * on samples of equal size. If a sequence grows or has one element, the call generates text word by word and needs the
 * previous result. */
static bool has_independent_calls(const struct calls *c, const struct tp_vec *calls)
{
    uint32_t known = 0, growing = 0, dims = TP_NO_ID;
    int64_t last = 0;
    for (size_t i = 0; i < calls->count; i++) {
        const struct tp_cpu_call *call = TP_AT(calls, struct tp_cpu_call, i);
        if (call->dims == TP_NO_ID)
            continue;
        if (c->is_inner && dims != TP_NO_ID && dims != call->dims)
            return false;
        dims = call->dims;
        known++;
        growing += call->length == 1 || (last && call->length > last);
        last = call->length;
    }
    return known && growing < known / 2;
}

/* Returns half of the time of each convolution. A batch would not save this time, because a convolution of one sample
 * keeps a processor busy. In contrast, a product of one row mostly reads the weights, which a batch reads once. */
static struct tp_intervals half_of_convolution_time(struct tp_advisor *a)
{
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    uint32_t inside = 0;
    for (uint32_t i = 0; i < a->cpu->count; i++) {
        const struct tp_event *e = tp_operator_event(a->model, a->cpu->ops[i]);
        if (a->cpu->ops[i] < inside || !tp_str_starts(tp_trace_event_name(a->model->trace, e), "aten::conv"))
            continue;
        inside = a->model->operators.subtree_end[a->cpu->ops[i]];
        tp_intervals_push(&time, e->ts_ns, e->ts_ns + e->dur_ns / 2);
    }
    return tp_intervals_from_vec(&time);
}

/* Returns the least time of the products in `time`: the least time of a core for their work (work_on_samples_ns). A
 * batch does not save this time. */
static struct tp_intervals least_time_of_products(struct tp_advisor *a)
{
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    for (uint32_t i = 0; i < a->cpu->count; i++) {
        const struct tp_event *e = tp_operator_event(a->model, a->cpu->ops[i]);
        struct tp_cost cost;
        if (!tp_operator_is_eligible(a->model, a->cpu->ops[i]) || !tp_cpu_find_cost(&cost, a, a->cpu->ops[i]))
            continue;
        double least_ns = fmin((double)cost.flops / FLOPS_PER_NS, (double)e->dur_ns);
        tp_intervals_push(&time, e->ts_ns, e->ts_ns + (int64_t)least_ns);
    }
    return tp_intervals_from_vec(&time);
}

/* Finds the calls of a module with one sample each. Sets *is_of_parts to whether the samples have no batch dimension.
 * Such a call works on several rows. */
static struct tp_vec find_calls_with_one_sample(const struct calls *calls, bool *is_of_parts)
{
    struct tp_vec each = list_calls_of_module(calls), all = list_calls_of_module(calls);
    examine_samples_of_calls(calls->a, &each);
    examine_samples_of_calls(calls->a, &all);
    *is_of_parts = !remove_calls_of_batches(calls, &each) || !has_independent_calls(calls, &each);
    if (!*is_of_parts)
        return each;
    size_t count = all.count;
    struct tp_operator_list operators = {calls->a->model, calls->a->cpu->ops, calls->a->cpu->count};
    tp_keep_calls_on_parts(operators, &all, longest_time_between_calls(calls->a, &all));
    if (all.count < MIN_CALLS * calls->a->model->used_count || 2 * all.count <= count)
        all.count = 0;
    return all;
}

static bool find_calls_per_sample(struct tp_advisor *a)
{
    struct calls calls = {.a = a};
    struct tp_candidate c = {.rule = TP_RULE_H18, .has_ceiling = true};
    if (a->model->step_marker == TP_MARKER_WINDOW) /* an unmarked recording may contain calls of many steps */
        return false;
    count_calls_of_modules(&calls);
    if (calls.name == TP_NO_ID)
        return false;
    bool is_of_parts;
    struct tp_vec each = find_calls_with_one_sample(&calls, &is_of_parts);
    if (!each.count)
        return false;
    struct tp_intervals repeated = find_repeated_calls(a, &each, &c.picks);
    c.time = tp_intervals_difference(a->arena, tp_cpu_add_backward_time(a, repeated), half_of_convolution_time(a));
    if (is_of_parts)
        c.time = tp_intervals_difference(a->arena, c.time, least_time_of_products(a));
    c.details = TP_DETAIL(a, TP_DETAIL_SINGLE_CALLS, TP_OF_NUMBER((int64_t)each.count / a->model->used_count));
    return tp_analysed_set_percent(a, c.time) >= tp_rule_value(a, TP_RULE_H18, "min_pct") &&
           tp_advisor_add_cpu_finding(a, &c);
}

/* ---- a batch that is too small (H19) ---- */

/* Returns the number of samples of a recurrent layer. Returns 0 if the operator is no recurrent layer, or if the number
 * is unknown. */
static int64_t recurrent_samples(const struct tp_model *model, uint32_t op)
{
    struct tp_samples samples = tp_samples_of_operator(model, op);
    return samples.is_recurrent ? samples.count : 0;
}

/* Returns the duration of an operator without pauses, ns. */
static int64_t operator_time_without_pauses_ns(const struct tp_advisor *a, uint32_t op)
{
    const struct tp_event *e = tp_operator_event(a->model, op);
    return e->dur_ns - tp_intervals_length_within(a->cpu->pauses, e->ts_ns, tp_event_end(e));
}

/* Returns whether the call is a large part of the cost of an operator. */
static bool is_short_operator(const struct tp_advisor *a, uint32_t op)
{
    enum { SHORT_NS = 200000 };
    return operator_time_without_pauses_ns(a, op) < SHORT_NS;
}

/* Returns the number of samples of a short convolution. Returns 0 for other operators, or if the number is unknown. In
 * a longer convolution, the time per sample does not depend on the batch. */
static int64_t samples_of_short_convolution(const struct tp_advisor *a, uint32_t op)
{
    struct tp_str name = tp_trace_event_name(a->model->trace, tp_operator_event(a->model, op));
    bool is_one = tp_str_equal(name, TP_STR("aten::convolution")) && is_short_operator(a, op);
    return is_one ? tp_samples_of_operator(a->model, op).count : 0;
}

/* Returns whether the name belongs to matrix work that takes the same time per sample in a small batch. */
static bool is_other_product(struct tp_str name)
{
    return tp_is_batched_product(name) || tp_str_equal(name, TP_STR("aten::convolution"));
}

/* Returns whether an operator belongs to the optimizer, or adds a gradient to the sum of gradients. Its work depends on
 * the number of weights, not on the batch. */
static bool is_work_on_weights(const struct tp_advisor *a, uint32_t op)
{
    for (uint32_t up = a->model->operators.event[op]; up != TP_NO_ID; up = a->model->inside[up])
        if (tp_event_marks(a->model, up) & TP_MARK_OPTIMIZER ||
            tp_str_ends(tp_trace_event_name(a->model->trace, &a->model->trace->events[up]), "AccumulateGrad"))
            return true;
    return false;
}

/* Returns the time that the operators need for their work on the samples, ns: the least time of a core. A larger batch
 * does not save this time, because the work grows with the batch. For products and convolutions, the work is the number
 * of floating-point operations, because most of their bytes are weights. */
static int64_t work_on_samples_ns(const struct tp_advisor *a)
{
    double sum_ns = 0;
    uint32_t inside = 0; /* end of the operators inside the last operator with known work */
    for (uint32_t i = 0; i < a->cpu->count; i++) {
        uint32_t op = a->cpu->ops[i];
        struct tp_cost cost;
        if (op < inside || tp_cpu_is_in_loader(a, op) || !tp_cpu_find_cost(&cost, a, op))
            continue;
        inside = a->model->operators.subtree_end[op];
        double least_ns = cost.flops ? (double)cost.flops / FLOPS_PER_NS : (double)cost.bytes / BYTES_PER_NS;
        if (!is_work_on_weights(a, op))
            sum_ns += fmin(least_ns, (double)operator_time_without_pauses_ns(a, op));
    }
    return (int64_t)sum_ns;
}

/* The operators that show the samples of a batch. small_ns: time of those with a small batch; most: largest number of
 * samples among these; recurrent_ns: time of recurrent layers among these; all_ns: time of all matrix work. */
struct batch {
    struct tp_advisor *a;
    /* true in a training program whose work on the samples takes a small part of the time */
    bool has_little_work;
    bool is_training;
    int64_t all_ns, small_ns, recurrent_ns, most;
    struct tp_picks *picks;
};

static void add_operator_to_batch(struct batch *batch, uint32_t op)
{
    struct tp_advisor *a = batch->a;
    const struct tp_model *model = a->model;
    int64_t rows = product_rows(model, op), samples = recurrent_samples(model, op);
    int64_t images = samples_of_short_convolution(a, op);
    struct tp_str name = tp_trace_event_name(model->trace, tp_operator_event(model, op));
    bool is_forward = samples || images || (rows && tp_str_equal(name, TP_STR("aten::addmm")));
    bool is_counted = is_forward || (is_other_product(name) && !(batch->has_little_work && is_short_operator(a, op)));
    if (!is_counted || tp_cpu_is_in_loader(a, op))
        return;
    rows = samples ? samples : images ? images : rows;
    int64_t ns = operator_time_without_pauses_ns(a, op);
    batch->all_ns = tp_sat_add(batch->all_ns, ns);
    if (!is_forward || rows > (batch->has_little_work ? SMALL_BATCH_OF_LITTLE_WORK : SMALL_BATCH))
        return;
    batch->small_ns = tp_sat_add(batch->small_ns, ns);
    batch->recurrent_ns = tp_sat_add(batch->recurrent_ns, samples ? ns : 0);
    batch->most = tp_ns_max(batch->most, rows);
    tp_picks_add_by_length(batch->picks, model, model->operators.event[op]);
}

/* Returns the part of each step that a larger batch saves per sample. needed_ns: time of the work on the samples. */
static struct tp_intervals time_saved_by_larger_batch(const struct batch *batch, int64_t needed_ns)
{
    struct tp_advisor *a = batch->a;
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    bool is_recurrent = batch->recurrent_ns > batch->small_ns / 2;
    for (size_t i = 0; i < a->model->window.count; i++) {
        struct tp_interval step = a->model->window.items[i];
        int64_t fixed = step.b - step.a - tp_ns_scaled(step.b - step.a, needed_ns, a->judged_ns);
        int64_t gained = fixed - tp_ns_scaled(fixed, batch->most, USUAL_BATCH);
        /* recurrent layers process one element after the other, in a batch of any size; if the work takes little time,
         * needed_ns contains it */
        if (is_recurrent && !batch->has_little_work)
            gained = tp_ns_scaled(gained, 2, 3);
        tp_intervals_push(&time, step.a, step.a + gained);
    }
    return tp_intervals_difference(a->arena, tp_intervals_from_vec(&time), a->cpu->loading);
}

static void find_small_batch(struct tp_advisor *a)
{
    struct tp_candidate c = {.rule = TP_RULE_H19, .has_ceiling = true};
    int64_t needed_ns = tp_ns_min(work_on_samples_ns(a), a->judged_ns);
    struct batch batch = {.a = a, .picks = &c.picks};
    for (uint32_t i = 0; i < a->cpu->count; i++)
        batch.is_training |= tp_cpu_is_backward(a->model, a->cpu->ops[i]);
    batch.has_little_work =
        batch.is_training && tp_percent(needed_ns, a->judged_ns) < tp_rule_value(a, TP_RULE_H19, "work_pct");
    for (uint32_t i = 0; i < a->cpu->count; i++)
        add_operator_to_batch(&batch, a->cpu->ops[i]);
    /* a program that gets one sample per request cannot choose a larger batch */
    bool is_chosen = batch.is_training || batch.most > 1;
    if (!is_chosen || !batch.small_ns || batch.small_ns < batch.all_ns - batch.all_ns / 5 ||
        tp_percent(batch.small_ns, a->judged_ns - tp_intervals_length(a->cpu->pauses)) <
            tp_rule_value(a, TP_RULE_H19, "min_pct"))
        return;
    c.time = time_saved_by_larger_batch(&batch, needed_ns);
    c.details = TP_DETAIL(a, TP_DETAIL_FEW_SAMPLES, TP_OF_NUMBER(batch.most), TP_OF_NUMBER(USUAL_BATCH));
    tp_advisor_add_finding(a, &c);
}

/* ---- steps with unequal work (H20) ---- */

/* Sets the work of a step to the number of elements in the operand of a matrix product, if this number is larger. */
static void update_largest_operand_of_step(const struct tp_model *model, int64_t *work, uint32_t op)
{
    const struct tp_event *e = tp_operator_event(model, op);
    uint32_t step = tp_step_of_host_time(model, e->ts_ns);
    if (step >= model->step_count || !(model->marks[e->name] & TP_MARK_ELIGIBLE))
        return;
    struct tp_shape shape = tp_operand_shape(model, op, product_rows(model, op) ? 0 : 1);
    if (shape.is_known)
        work[step] = tp_ns_max(work[step], tp_shape_product(&shape));
}

static void find_unequal_steps(struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    struct tp_candidate c = {.rule = TP_RULE_H20, .is_forced = true, .severity = TP_SEVERITY_MEDIUM, .share = NAN};
    int64_t *work = tp_arena_array(a->arena, model->step_count, sizeof *work);
    int64_t *lengths = tp_arena_array(a->arena, model->used_count, sizeof *lengths);
    uint32_t count = 0, longest = 0, shortest = TP_NO_ID;
    for (uint32_t i = 0; i < a->cpu->count; i++)
        update_largest_operand_of_step(model, work, a->cpu->ops[i]);
    for (uint32_t s = 0; s < model->step_count; s++) {
        /* skips micro-steps that update the parameters, because the update makes them longer */
        if (!tp_step_is_used(&model->steps[s]) || tp_accumulation_step_kind(&a->accumulation, s))
            continue;
        lengths[count++] = model->steps[s].end_ns - model->steps[s].start_ns;
        longest = shortest == TP_NO_ID || work[s] > work[longest] ? s : longest;
        shortest = shortest == TP_NO_ID || work[s] < work[shortest] ? s : shortest;
    }
    if (count < MIN_STEPS || work[shortest] <= 0 || work[longest] < 2 * work[shortest])
        return;
    int64_t median = tp_lower_median(lengths, count);
    int64_t most = model->steps[longest].end_ns - model->steps[longest].start_ns;
    if ((double)most < tp_rule_value(a, TP_RULE_H20, "min_ratio") * (double)median ||
        model->steps[longest].event == TP_NO_ID)
        return;
    int64_t beyond = 0;
    for (uint32_t i = 0; i < count; i++)
        beyond = tp_sat_add(beyond, tp_ns_max(0, lengths[i] - median));
    if (2 * beyond >
        model->window_ns) { /* the excess of longer steps over the other steps is more than half of the time */
        c.severity = TP_SEVERITY_HIGH;
        c.weight = tp_percent(beyond, model->window_ns) / 2;
    }
    tp_picks_append_event(&c.picks, model->steps[longest].event);
    c.details = TP_DETAIL(a, TP_DETAIL_UNEQUAL, TP_OF_REAL((double)work[longest] / (double)work[shortest]));
    tp_advisor_add_finding(a, &c);
}

static void evaluate_batch(struct tp_advisor *a)
{
    if (!find_calls_per_sample(a))
        find_small_batch(a);
    if (!a->reported[TP_RULE_H21]) /* H21 has already reported additional work in a single step */
        find_unequal_steps(a);
}
