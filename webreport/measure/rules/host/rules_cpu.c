/* Rules about programs without a device: loader (H1), small operators (H5), copies (H7), exposed communication (H8).
 * Other files contain the rules about loops (H2), the optimizer (H3), crowded processors (H4) and Python between
 * operators (H6). */
#include "webreport/measure/rules/host/rules_cpu.h"
#include "webreport/measure/rules/rules_texts.h"

#include "webreport/measure/audience/wording.h"
#include "webreport/measure/rules/rules_functions.h"
#include "webreport/model/flops.h"
#include "webreport/model/main_thread.h"
#include "webreport/model/operator_shapes.h"
#include "writer/text/format.h"

static void evaluate_loader(struct tp_advisor *a);
static void evaluate_small_operators(struct tp_advisor *a);
static void evaluate_copies(struct tp_advisor *a);
static void evaluate_communication(struct tp_advisor *a);

const struct tp_rule tp_rule_H1 = {
    .id = "H1",
    .title = "Load data faster: raise `num_workers`, prefetch more batches, or decode cheaper",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 5.0, false}, {"collation", 1, true}},
    .advice = "Use loader workers (num_workers above 0), prefetch more batches, or make decoding cheaper.",
    .doc_url = DOC_DATA,
    .gain = {.low = 0.75, .high = 1.0, .right = 4, .known = 6},
    .native =
        {.title = "Read input ahead on other threads, or make decoding cheaper",
         .advice =
             "Read ahead on other threads, prepare more batches in advance, or make reading and decoding cheaper."},
    .on_host = evaluate_loader,
};

const struct tp_rule tp_rule_H5 = {
    .id = "H5",
    .title = "Batch small operators, or compile them: `torch.compile`",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"small_us", 20, true},
                   {"min_count_pct", 50.0, false},
                   {"min_pct", 10.0, false},
                   {"min_per_step", 20, true},
                   {"gap_us", 20, true}},
    .advice = "Batch the work, use torch.compile, or use inference_mode if no gradient is needed. Each call costs a "
              "few microseconds before the computation starts.",
    .doc_url = DOC_TUNE,
    .cause = "host.small_operators",
    .gain = {.low = 0.75, .high = 1.0},
    .native =
        {.title = "Batch small calls, or combine them",
         .advice =
             "Batch the work, or combine calls. Each call costs a few microseconds before the computation starts."},
    .inference = {.title = "Batch small operators, compile them, or use `torch.inference_mode`",
                  .advice = "Batch the work, use torch.compile, or run in torch.inference_mode. Each call costs a few "
                            "microseconds before the computation starts."},
    .compiled =
        {.title = "Move small operators into a compiled region, or batch the work",
         .advice = "Move these operators into a compiled region, or batch the work so that each call does more. Other "
                   "parts of the program are already compiled."},
    .on_host = evaluate_small_operators,
};

const struct tp_rule tp_rule_H7 = {
    .id = "H7",
    .title = "Avoid copies: use one layout and type, views, and preallocated outputs",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 10.0, false}, {"min_values", 2, true}, {"cold_pct", 25.0, false}},
    .advice = "Use one memory layout and data type, prefer views, and write into preallocated outputs.",
    .doc_url = DOC_TUNE,
    .cause = "copy.layout",
    .gain = {.low = 0.75, .high = 1.0, .right = 2, .known = 2},
    .native = {.title = "Avoid copies: use one layout and type, work in place, and preallocate outputs",
               .advice = "Use one memory layout and data type, work in place, and write into preallocated outputs."},
    .on_host = evaluate_copies,
};

const struct tp_rule tp_rule_H8 = {
    .id = "H8",
    .title = "Overlap communication with backward: use larger buckets, or `no_sync()`",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 5.0, false}, {"max_missing_pct", 10.0, false}},
    .advice = "Overlap communication with the backward pass. Use DistributedDataParallel with larger buckets, or "
              "gradient accumulation with no_sync.",
    .doc_url = DOC_DIST,
    .cause = "comm.exposed",
    .gain = {.low = 0, .high = 1.0, .known = 1},
    .native = {.title = "Start communication in parts, and compute meanwhile",
               .advice = "Start communication in parts, each as soon as its data is ready, and compute meanwhile."},
    .mpi = {.title = "Start communication early with `MPI_Isend` or `MPI_Iallreduce`, and compute meanwhile",
            .advice = OVERLAP_WITH_MPI},
    .inference = {.title = "Start communication as soon as its data is ready, and compute meanwhile",
                  .advice = "Start communication as soon as its data is ready, and compute meanwhile. "
                            "Alternatively, " LESS_COMMUNICATION "."},
    .on_host = evaluate_communication,
};

/* Lists the operators of the main thread in the order of the tree. In the model, unfinished operators follow all
 * finished operators; a walk along the thread visits both in order. */
static void list_operators(struct tp_advisor *a, struct tp_cpu_program *cpu)
{
    const struct tp_model *model = a->model;
    const struct tp_operators *ops = &model->operators;
    const struct tp_order *order = model->order;
    uint32_t finished = ops->thread_first[model->host_main], unfinished = ops->finished_count;
    uint32_t most = ops->thread_first[model->host_main + 1] - finished + ops->count - unfinished;
    cpu->ops = tp_arena_array(a->arena, most, sizeof *cpu->ops);
    while (unfinished < ops->count && tp_operator_event(model, unfinished)->thread != model->host_main)
        unfinished++;
    for (uint32_t i = order->thread_first[model->host_main]; i < order->thread_first[model->host_main + 1]; i++) {
        uint32_t event = order->host[i], op = TP_NO_ID;
        if (finished < ops->thread_first[model->host_main + 1] && ops->event[finished] == event)
            op = finished++;
        else if (unfinished < ops->count && ops->event[unfinished] == event)
            op = unfinished++;
        if (op != TP_NO_ID && tp_event_is_in_window(a, event))
            cpu->ops[cpu->count++] = op;
    }
}

void tp_rules_prepare_cpu(struct tp_advisor *a)
{
    tp_rules_compute_recording_cost(a);
    a->cpu = tp_arena_alloc(a->arena, sizeof *a->cpu);
    a->cpu->loading = tp_main_thread_loading(a->model, a->arena);
    list_operators(a, a->cpu);
    a->cpu->pauses = tp_cpu_find_pauses(a);
}

int64_t tp_cpu_sequence_number(const struct tp_model *model, uint32_t op)
{
    const struct tp_event *e = tp_operator_event(model, op);
    return tp_host_rare(model->trace, &model->trace->hosts[e->detail]).sequence;
}

bool tp_cpu_find_cost(struct tp_cost *cost, const struct tp_advisor *a, uint32_t op)
{
    const struct tp_trace *trace = a->model->trace;
    const struct tp_event *e = tp_operator_event(a->model, op);
    const struct tp_host_detail *host = &trace->hosts[e->detail];
    struct tp_op_call call = {tp_strings_get(&trace->values, host->dims), tp_strings_get(&trace->values, host->types),
                              tp_strings_get(&trace->values, tp_concrete_inputs(trace, e->detail))};
    return tp_cost_of_call(cost, trace->names.items[e->name], &call, NULL);
}

struct tp_intervals tp_cpu_add_backward_time(struct tp_advisor *a, struct tp_intervals forward)
{
    const struct tp_model *model = a->model;
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    struct tp_id_map sequences;
    tp_id_map_init(&sequences, a->arena);
    for (uint32_t i = 0; i < a->cpu->count; i++) {
        uint32_t op = a->cpu->ops[i];
        int64_t sequence = tp_cpu_sequence_number(model, op);
        if (!tp_cpu_is_backward(model, op) && sequence != TP_NULL_INT &&
            tp_intervals_contain(forward, tp_operator_event(model, op)->ts_ns))
            *tp_id_map_find_or_add(&sequences, (uint64_t)sequence) = 1;
    }
    /* previous node if its time is included; the engine's work between two included nodes is included, too */
    const struct tp_event *last = NULL;
    for (uint32_t i = 0; i < a->cpu->count; i++) {
        uint32_t op = a->cpu->ops[i], event = model->operators.event[op];
        const struct tp_event *e = tp_operator_event(model, op);
        int64_t sequence = tp_cpu_is_backward(model, op) ? tp_cpu_sequence_number(model, op) : TP_NULL_INT;
        bool is_taken = sequence != TP_NULL_INT && tp_id_map_find(&sequences, (uint64_t)sequence);
        bool is_next = last && model->inside[event] == model->inside[last - model->trace->events];
        if (is_taken)
            tp_intervals_push(&time, is_next ? tp_event_end(last) : e->ts_ns, tp_event_end(e));
        if (tp_cpu_is_outermost(a, op))
            last = is_taken ? e : NULL;
    }
    tp_id_map_release(&sequences);
    tp_intervals_append(&time, forward);
    return tp_intervals_from_vec(&time);
}

bool tp_cpu_lacks_record(struct tp_advisor *a, enum tp_rule_id rule)
{
    static const enum tp_lost missing[] = {TP_LOST_BROKEN, TP_LOST_UNKNOWN, TP_LOST_NUMBERS, TP_LOST_IDS,
                                           TP_LOST_BY_RECORDER};
    const struct tp_input_evidence *evidence = &a->model->trace->evidence;
    int64_t lost = 0;
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        lost = tp_sat_add(lost, evidence->lost[missing[i]]);
    double percent = tp_percent(lost, tp_sat_add(lost, evidence->event_count));
    if (evidence->lost[TP_LOST_OPERATORS])
        percent = 100;
    bool is_much = percent > tp_rule_value(a, TP_RULE_H8, "max_missing_pct");
    if (is_much)
        tp_advisor_note_skipped_rule(a, rule, "many host events are missing in the recording");
    return is_much;
}

bool tp_advisor_add_cpu_finding(struct tp_advisor *a, const struct tp_candidate *candidate)
{
    bool is_once = tp_rule_value(a, TP_RULE_H5, "gap_us") > 0;
    return is_once ? tp_advisor_add_and_claim_time(a, candidate) : tp_advisor_add_finding(a, candidate);
}

struct tp_intervals tp_cpu_subtract_claimed(struct tp_advisor *a, struct tp_intervals time)
{
    struct tp_vec claimed = a->claimed;
    return claimed.count ? tp_intervals_difference(a->arena, time, tp_intervals_from_vec(&claimed)) : time;
}

void tp_cpu_visit_annotations(struct tp_advisor *a, uint64_t mark, enum tp_range_kind kind,
                              void (*visit)(void *context, uint32_t event), void *context)
{
    const struct tp_order *order = a->model->order;
    for (uint32_t i = order->thread_first[a->model->host_main]; i < order->thread_first[a->model->host_main + 1]; i++) {
        const struct tp_event *e = &a->model->trace->events[order->host[i]];
        if (e->kind != TP_KIND_ANNOTATION || !tp_event_is_in_window(a, order->host[i]))
            continue;
        if (kind ? tp_event_range_kind(a->model, e) == kind : (a->model->marks[e->name] & mark) != 0)
            visit(context, order->host[i]);
    }
}

/* ---- loader (H1) ---- */

struct loads {
    const struct tp_model *model;
    struct tp_candidate candidate;
    bool is_in_process; /* true if the training process loads the data itself */
};

static void add_loading_time(void *context, uint32_t event)
{
    static const struct tp_detail in_process = {.id = TP_DETAIL_IN_PROCESS};
    struct loads *loads = context;
    tp_picks_add_by_length(&loads->candidate.picks, loads->model, event);
    const struct tp_event *e = &loads->model->trace->events[event];
    if (tp_uses_torch_words(loads->model->producer) && !tp_event_declared_kind(e) &&
        loads->model->marks[e->name] & TP_MARK_SINGLE_PROCESS) {
        loads->candidate.details = &in_process;
        loads->is_in_process = true;
    }
}

/* Adds the time in which batches are assembled to the claimed time. If the samples are already tensors, a fix saves all
 * of this time. Otherwise the fix must still make tensors, so the least gain may be much lower. The estimate is at most
 * 20 points wide, because a wider estimate is useless. */
static void claim_collation(struct tp_advisor *a, struct tp_candidate *c, struct tp_intervals collation,
                            int64_t python_ns)
{
    c->details = TP_DETAIL(a, TP_DETAIL_COLLATION, TP_OF_PERCENT(tp_analysed_set_percent(a, c->time)),
                           TP_OF_PERCENT(tp_analysed_set_percent(a, collation)));
    c->time = collation;
    c->has_lower_bound = python_ns < tp_intervals_length(collation);
    c->low = fmax((double)python_ns / (double)tp_ns_max(1, tp_intervals_length(collation)),
                  1 - 20 / tp_analysed_set_percent(a, collation));
}

/* Raises the upper end of the estimate by the time of making tensors that the claimed time excludes. A fix that stores
 * the samples as tensors saves this time, but a faster way of joining the same numbers does not. */
static void raise_gain_by_making(const struct tp_advisor *a, struct tp_candidate *c, int64_t making_ns)
{
    double share = tp_analysed_set_percent(a, c->time);
    double low = share * (c->has_lower_bound ? c->low : tp_rule_measured_gain(TP_RULE_H1).low);
    if (making_ns > 0)
        c->most_percent = fmin(share + tp_analysed_percent(a, making_ns), low + TP_WIDEST_PERCENT);
}

/* Adds the time in which Python code transforms samples to the claimed time. Faster code still needs the rest of the
 * loading time, for operators on tensors, reading and assembling batches. */
static void claim_transforms(struct tp_advisor *a, struct tp_candidate *c, struct tp_intervals transforms)
{
    c->details = tp_detail_join(a->arena, c->details,
                                TP_DETAIL(a, TP_DETAIL_TRANSFORMS, TP_OF_PERCENT(tp_analysed_set_percent(a, c->time)),
                                          TP_OF_PERCENT(tp_analysed_set_percent(a, transforms))));
    c->time = transforms;
}

/* Estimates the gain from more loader workers. Two workers halve the part of loading that exceeds the rest of a step.
 * In a program that already has workers, more workers gain nothing unless a CPU is idle. */
static void examine_loader_workers(const struct tp_advisor *a, struct loads *loads)
{
    struct tp_candidate *c = &loads->candidate;
    double part = tp_analysed_set_percent(a, c->time) / 100, usual = tp_rule_measured_gain(TP_RULE_H1).low;
    if (!c->cause)
        c->cause = loads->is_in_process ? "input.single_process" : "input.too_few_workers";
    c->title = TP_TITLE(loads->is_in_process ? TP_TITLE_LOADING_IN_PROCESS : TP_TITLE_SLOW_WORKERS, TP_NO_ARGUMENT);
    if (!loads->is_in_process)
        c->advice = "The data loader's workers are slower than the steps. Make decoding cheaper, cache decoded data, "
                    "or use more workers if CPUs are idle.";
    if (c->has_lower_bound || !(part > 0))
        return;
    c->has_lower_bound = true;
    c->low = loads->is_in_process ? fmin(usual, (1 - fmax(1 - part, part / 2)) / part) : 0;
}

static void evaluate_loader(struct tp_advisor *a)
{
    struct loads loads = {.model = a->model,
                          .candidate = {.rule = TP_RULE_H1, .has_ceiling = true, .time = a->cpu->loading}};
    if (!(tp_analysed_set_percent(a, a->cpu->loading) > tp_rule_value(a, TP_RULE_H1, "min_pct")))
        return;
    tp_cpu_visit_annotations(a, 0, TP_RANGE_INPUT, add_loading_time, &loads);
    struct tp_loader_cause found =
        tp_find_loader_cause(a, a->model->host_main, a->cpu->loading, &loads.candidate.picks);
    bool is_transform = found.name && strcmp(found.name, "input.transform") == 0;
    bool is_collation = found.part.count && !is_transform && tp_rule_value(a, TP_RULE_H1, "collation") > 0;
    loads.candidate.cause = found.name;
    if (is_collation)
        claim_collation(a, &loads.candidate, found.part, found.python_ns);
    else if (found.part.count && is_transform)
        claim_transforms(a, &loads.candidate, found.part);
    if (tp_uses_torch_words(a->model->producer))
        examine_loader_workers(a, &loads);
    if (is_collation && tp_intervals_length(found.part) == found.python_ns)
        raise_gain_by_making(a, &loads.candidate, found.making_ns);
    tp_advisor_add_finding(a, &loads.candidate);
}

/* ---- small operators (H5) ---- */

static void evaluate_small_operators(struct tp_advisor *a)
{
    struct tp_candidate c = {.rule = TP_RULE_H5, .has_ceiling = true};
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval), between = time;
    double small_us = tp_rule_value(a, TP_RULE_H5, "small_us"), gap_us = tp_rule_value(a, TP_RULE_H5, "gap_us");
    /* last_end: end of the previous operator if it is small, otherwise INT64_MIN */
    int64_t all = 0, last_end = INT64_MIN;
    struct tp_busy_functions functions;
    tp_busy_functions_init(&functions, a);
    for (uint32_t i = 0; i < a->cpu->count; i++) {
        uint32_t op = a->cpu->ops[i];
        const struct tp_event *e = tp_operator_event(a->model, op);
        if (!tp_cpu_is_outermost(a, op) || tp_cpu_is_in_loader(a, op))
            continue;
        all++;
        int64_t before = last_end;
        last_end = (double)e->dur_ns < small_us * 1000 ? tp_event_end(e) : INT64_MIN;
        if (last_end == INT64_MIN)
            continue;
        tp_intervals_push(&time, e->ts_ns, tp_event_end(e));
        if (before != INT64_MIN && (double)(e->ts_ns - before) < gap_us * 1000) {
            tp_intervals_push(&between, before, e->ts_ns);
            tp_busy_functions_add(&functions, TP_RULE_H5, a->model->operators.event[op], true, e->ts_ns - before);
        }
        tp_busy_functions_count(&functions, TP_RULE_H5, a->model->operators.event[op], true);
        tp_picks_add_by_length(&c.picks, a->model, a->model->operators.event[op]);
    }
    if ((double)c.picks.total < tp_rule_value(a, TP_RULE_H5, "min_per_step") * a->model->used_count ||
        tp_percent(c.picks.total, all) < tp_rule_value(a, TP_RULE_H5, "min_count_pct"))
        return;
    c.time = tp_intervals_from_vec(&time);
    if (tp_cpu_pause_free_percent(a, c.time) < tp_rule_value(a, TP_RULE_H5, "min_pct"))
        return;
    tp_intervals_append(&between, c.time);
    if (gap_us > 0)
        tp_busy_functions_find_times(&functions, TP_RULE_H5, &between);
    c.time = tp_intervals_from_vec(&between);
    if (gap_us > 0) /* includes the backward pass of small operators, whose operators are small, too */
        c.time = tp_cpu_add_backward_time(a, c.time);
    c.time = tp_cpu_subtract_claimed(a, c.time);
    if (tp_cpu_pause_free_percent(a, c.time) < tp_rule_value(a, TP_RULE_H5, "min_pct"))
        return;
    c.details =
        TP_DETAIL(a, TP_DETAIL_SMALL_OPERATORS, TP_OF_NUMBER(c.picks.total), TP_OF_NUMBER(all), TP_OF_REAL(small_us));
    tp_advisor_add_cpu_finding(a, &c); /* removes the Python code between small operators from H6, too */
}

/* ---- copies (H7) ---- */

/* Returns whether a convolution, a matrix product or a Fourier transform calls the operator. Such callers order their
 * operands as their library requires, and expand a bias. */
static bool is_called_by_product(const struct tp_advisor *a, uint32_t op)
{
    static const char *const callers[] = {"aten::addmm", "aten::baddbmm", "aten::bmm",
                                          "aten::_fft_", "aten::fft_",    NULL};
    const struct tp_model *model = a->model;
    for (op = model->operators.parent[op]; op != TP_NO_ID; op = model->operators.parent[op]) {
        const struct tp_event *e = tp_operator_event(model, op);
        if (model->marks[e->name] & TP_MARK_CONV ||
            tp_str_starts_with_one_of(tp_trace_event_name(model->trace, e), callers))
            return true;
    }
    return false;
}

/* Returns whether an operator that computes makes a copy of complex numbers. Such an operator applies a pending
 * conjugation, or makes complex numbers of real ones. Operators that only change the layout are excluded. */
static bool is_complex_operand(const struct tp_advisor *a, uint32_t op)
{
    const struct tp_model *model = a->model;
    const struct tp_trace *trace = model->trace;
    bool is_complex = false, is_computing = false;
    for (uint32_t i = op; i < model->operators.subtree_end[op] && !is_complex; i++)
        is_complex =
            tp_str_find(tp_strings_get(&trace->values, trace->hosts[tp_operator_event(model, i)->detail].types),
                        "complex") >= 0;
    for (op = model->operators.parent[op]; op != TP_NO_ID && is_complex; op = model->operators.parent[op]) {
        const struct tp_event *e = tp_operator_event(model, op);
        struct tp_str name = tp_trace_event_name(trace, e);
        is_computing |= tp_str_starts(name, "aten::") && !(model->marks[e->name] & TP_MARK_COPY_OP) &&
                        !tp_str_equal(name, TP_STR("aten::reshape")) && !tp_str_equal(name, TP_STR("aten::flatten"));
    }
    return is_computing;
}

/* Returns whether a copy is unavoidable. Some products and operators on complex numbers need copies. A Python number
 * that is combined with a tensor becomes a tensor with one value, so copies of few values are unavoidable, too. */
static bool is_unavoidable_copy(const struct tp_advisor *a, uint32_t op)
{
    const struct tp_trace *trace = a->model->trace;
    double least = tp_rule_value(a, TP_RULE_H7, "min_values");
    if (least > 0 && (is_called_by_product(a, op) || is_complex_operand(a, op)))
        return true;
    uint32_t dims = trace->hosts[tp_operator_event(a->model, op)->detail].dims;
    struct tp_shape shape = tp_shape_input(tp_strings_get(&trace->values, dims), 0);
    return shape.is_known && (double)tp_shape_product(&shape) < least;
}

/* Returns the number of values in the first input of an operator, which may be a list of tensors. Returns 0 if the
 * number is unknown. */
static int64_t values_of_first_input(const struct tp_advisor *a, uint32_t op)
{
    enum { MOST_TENSORS = 1024 };
    uint32_t dims = a->model->trace->hosts[tp_operator_event(a->model, op)->detail].dims;
    struct tp_str input = tp_shape_item(tp_strings_get(&a->model->trace->values, dims), 0);
    struct tp_shape shape = tp_shape_parse(input);
    if (shape.is_known)
        return tp_shape_product(&shape);
    int64_t values = 0;
    for (unsigned i = 0; i < MOST_TENSORS; i++) {
        shape = tp_shape_parse(tp_shape_item(input, i));
        if (!shape.is_known)
            break;
        values = tp_sat_add(values, tp_shape_product(&shape));
    }
    return values;
}

/* Returns the part of a copy's bytes that can evict data from the caches, from 0 to 1. A larger copy evicts no more
 * than the last cache contains. A copy reads and writes each value. */
static double evicting_part(const struct tp_advisor *a, uint32_t op)
{
    static const double CACHE_BYTES = 32 << 20, BYTES_PER_VALUE = 8;
    double bytes = BYTES_PER_VALUE * (double)values_of_first_input(a, op);
    return bytes > CACHE_BYTES ? CACHE_BYTES / bytes : 1;
}

static void evaluate_copies(struct tp_advisor *a)
{
    const struct tp_operators *ops = &a->model->operators;
    struct tp_candidate c = {.rule = TP_RULE_H7, .has_ceiling = true};
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval), casts = time;
    /* cost of cache misses in the operator that follows a copy, as a part of the copy's time */
    double cold = tp_rule_value(a, TP_RULE_H7, "cold_pct") / 100;
    for (uint32_t i = 0; i < a->cpu->count; i++) {
        uint32_t op = a->cpu->ops[i];
        const struct tp_event *e = tp_operator_event(a->model, op);
        if (!(a->model->marks[e->name] & TP_MARK_COPY_OP) || tp_cpu_is_in_loader(a, op) || is_unavoidable_copy(a, op))
            continue;
        int64_t busy_ns = e->dur_ns - tp_intervals_length_within(a->cpu->pauses, e->ts_ns, tp_event_end(e));
        int64_t end = tp_sat_add(tp_event_end(e), (int64_t)((double)busy_ns * cold * evicting_part(a, op)));
        tp_intervals_push(&time, e->ts_ns, end);
        if (tp_str_equal(tp_trace_event_name(a->model->trace, e), TP_STR("aten::_to_copy")))
            tp_intervals_push(&casts, e->ts_ns, end);
        if (!(tp_enclosing_kinds(a, ops->parent[op]) & TP_ENCLOSED_BY_COPY))
            tp_picks_add_by_length(&c.picks, a->model, ops->event[op]);
    }
    c.time = tp_intervals_from_vec(&time);
    if (2 * tp_intervals_length(tp_intervals_from_vec(&casts)) > tp_intervals_length(c.time))
        c.cause = "copy.cast";
    if (tp_analysed_set_percent(a, c.time) < tp_rule_value(a, TP_RULE_H7, "min_pct"))
        return;
    tp_cpu_lower_gain_of_pauses(a, &c, "min_pct");
    tp_advisor_add_finding(a, &c);
}

/* ---- exposed communication (H8) ---- */

static void evaluate_communication(struct tp_advisor *a)
{
    const struct tp_order *order = a->model->order;
    struct tp_candidate c = {.rule = TP_RULE_H8, .has_ceiling = true};
    c.time = tp_intervals_difference(a->arena, tp_exposed_collectives(a->model, a->arena), a->explained_communication);
    if (tp_cpu_lacks_record(a, TP_RULE_H8) ||
        !(tp_analysed_set_percent(a, c.time) > tp_rule_value(a, TP_RULE_H8, "min_pct")))
        return;
    for (uint32_t i = 0; i < order->host_count; i++)
        if (tp_is_collective(a->model, &a->model->trace->events[order->host[i]]) &&
            tp_event_is_in_window(a, order->host[i]))
            tp_picks_add_by_length(&c.picks, a->model, order->host[i]);
    tp_advisor_add_finding(a, &c);
}
