/* Rules that recognize code by its frames or operators: compiling in steps (H9), files written in steps (H10), repeated
 * forward pass (H11, on devices C19), garbage collection (H12), debugging features (H13), double precision (H14),
 * gradients filled with zeros (H15).
 *
 * These rules name a root cause, so H6 does not report their time again as Python code between operators. With a
 * device, they use only the time in which the device waits. */
#include "webreport/measure/rules/host/known_code.h"
#include "webreport/measure/rules/host/rules_cpu.h"
#include "webreport/measure/rules/host/rules_hooks.h"
#include "webreport/measure/rules/rules_functions.h"
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/measure/rules/rules_work.h"
#include "webreport/measure/work/cost_call.h"
#include "webreport/trace/json/value.h"
#include "writer/text/format.h"

static void evaluate_code(struct tp_advisor *a);
static void evaluate_device_code(struct tp_advisor *a);

const struct tp_rule tp_rule_H9 = {
    .id = "H9",
    .title = "Trace or compile before the loop, not in its steps",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 3.0, false}},
    .advice = "Trace or compile once before the loop, and call the result. If torch.compile compiles again, use fixed "
              "shapes or dynamic=True.",
    .doc_url = "https://docs.pytorch.org/docs/stable/torch.compiler_troubleshooting.html",
    .cause = "compile.in_step",
    .gain = {.low = 0.75, .high = 1.0, .right = 1, .known = 1},
    .native = {.title = "Compile before the loop, not in its steps",
               .advice = "Compile once, before the loop, and call the result."},
    .is_about_late_host = true,
    .on_device = evaluate_device_code,
    .on_host = evaluate_code,
};

const struct tp_rule tp_rule_H10 = {
    .id = "H10",
    .title = "Write files every N steps, or in the background: `async_save`",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 3.0, false}},
    .advice = "Save only every N steps, or give a copy to another thread that writes while the next steps run "
              "(torch.distributed.checkpoint.async_save).",
    .doc_url = DOC_TUNE,
    .cause = "io.in_step",
    .gain = {.low = 0.75, .high = 1.0, .right = 1, .known = 1},
    .native = {.title = "Write files every N steps, or on another thread",
               .advice = "Write only every N steps, or give a copy to another thread that writes meanwhile."},
    .inference = {.title = "Write files every N steps, or on another thread",
                  .advice = "Write only every N steps, or give a copy to another thread that writes while the next "
                            "steps run."},
    .on_device = evaluate_device_code,
    .on_host = evaluate_code,
};

const struct tp_rule tp_rule_H11 = {
    .id = "H11",
    .title = "Checkpoint fewer blocks: the backward pass computes the forward pass again",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 3.0, false}},
    .advice = "If enough memory is free, call the module without torch.utils.checkpoint, or checkpoint fewer blocks.",
    .doc_url = "https://docs.pytorch.org/docs/stable/checkpoint.html",
    .cause = "compute.recompute",
    .gain = {.low = 0.75, .high = 1.0, .right = 1, .known = 1},
    .native = {.title = "Keep results in memory: some are computed twice",
               .advice = "Keep the results in memory if enough memory is free."},
    .on_host = evaluate_code,
};

const struct tp_rule tp_rule_H12 = {
    .id = "H12",
    .title = "Collect garbage between epochs, not in steps: `gc.freeze()`",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 3.0, false}},
    .advice = "Run the garbage collector between epochs instead of in every step. gc.freeze() after start-up excludes "
              "long-lived objects from each collection. The collector takes less time without the profiler, because "
              "recording stacks slows it down.",
    .doc_url = "https://docs.python.org/3/library/gc.html",
    .cause = "host.gc",
    .gain = {.low = 0.75, .high = 1.0, .right = 1, .known = 1},
    .native = {.title = "Collect garbage between rounds of work, not in steps",
               .advice = "Run the garbage collector between rounds of work instead of in every step."},
    .inference = {.title = "Collect garbage when nobody waits for a result: `gc.freeze()`",
                  .advice = "Run the garbage collector when nobody waits for a result instead of in every step. "
                            "gc.freeze() after start-up excludes long-lived objects from each collection. The "
                            "collector takes less time without the profiler, because recording stacks slows it down."},
    .on_device = evaluate_device_code,
    .on_host = evaluate_code,
};

const struct tp_rule tp_rule_H13 = {
    .id = "H13",
    .title = "Switch debugging off: `set_detect_anomaly(False)`, `validate_args=False`",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 3.0, false}},
    .advice = "Switch torch.autograd.set_detect_anomaly off in real runs, check values only every N steps, and create "
              "torch.distributions with validate_args=False.",
    .doc_url = "https://docs.pytorch.org/docs/stable/autograd.html",
    .cause = "debug.checks",
    .gain = {.low = 0.75, .high = 1.0, .right = 1, .known = 1},
    .native = {.title = "Switch the checks of values off", .advice = "Switch checks of every value off in real runs."},
    .inference = {.title = "Switch the checks of values off, or check every N steps",
                  .advice =
                      "Switch checks of every value off in real runs, and check values in hooks only every N steps."},
    .on_device = evaluate_device_code,
    .on_host = evaluate_code,
};

const struct tp_rule tp_rule_H14 = {
    .id = "H14",
    .title = "Compute in float32 instead of float64: `x.float()`",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 3.0, false}},
    .advice = "Convert inputs and model to float32 (.float()), which needs half the bytes and at most half the time. "
              "The data is often float64 because that is NumPy's default.",
    .doc_url = DOC_TUNE,
    .cause = "compute.float64",
    .gain = {.low = 0.75, .high = 1.0, .right = 1, .known = 1},
    .native = {.title = "Compute in single precision instead of double precision",
               .advice = "Compute in single precision if the accuracy permits, which needs half the bytes and at most "
                         "half the time."},
    .on_host = evaluate_code,
};

const struct tp_rule tp_rule_H15 = {
    .id = "H15",
    .title = "Drop gradients instead of zeroing: `zero_grad(set_to_none=True)`",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 3.0, false}},
    .advice = "Set gradients to None with optimizer.zero_grad(set_to_none=True), which is the default. The backward "
              "pass then writes each gradient once.",
    .doc_url = DOC_OPT,
    .cause = "optimizer.zero_grad",
    .gain = {.low = 0.75, .high = 1.0, .right = 1, .known = 1},
    .native = {.title = "Write the first gradient instead of adding it to zeros",
               .advice = "Write the first gradient instead of adding it to zeros."},
    .on_host = evaluate_code,
};

const struct tp_rule tp_rule_C19 = {
    .id = "C19",
    .title = "Checkpoint fewer layers: activations are computed twice",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 2.0, false}},
    .advice = "Checkpoint fewer layers if enough memory is free.",
    .doc_url = DOC_CHECKPOINT,
    .cause = "compute.recompute",
    .gain = {.low = 0.5, .high = 1.0, .right = 1, .known = 1},
    .native = {.title = "Keep results in memory: some are computed twice",
               .advice = "Keep the results in memory if enough memory is free."},
    .rule_with_same_flaws = "C11",
    .on_device = evaluate_device_code,
};

/* first and last rule whose times this file collects */
enum { FIRST = TP_RULE_H9, LAST = TP_RULE_H15 };

struct found {
    struct tp_candidate candidates[LAST - FIRST + 1];
    struct tp_vec times[LAST - FIRST + 1]; /* elements: struct tp_interval; for H14 the part that a fix saves */
    int64_t doubles;                       /* number of matrix operators with inputs of double precision */
    struct tp_vec decompositions; /* times of decompositions in double precision; elements: struct tp_interval */
    int64_t zeros, adds; /* zeros: number of operators that make zeros; adds: number of operators that add gradients */
    int64_t new_zeros; /* number of operators in `zeros` that make new tensors instead of filling gradients in place */
    int64_t zeros_ns, adds_ns;          /* total time of the operators in `zeros` and in `adds`, ns */
    struct tp_busy_functions functions; /* functions of the project that write files, check values or make zeros */
    struct tp_vec writers; /* calls of project functions that write files, in order of time; elements: uint32_t */
};

static void add_event_to_rule(struct found *found, const struct tp_model *model, enum tp_rule_id rule, uint32_t event)
{
    const struct tp_event *e = &model->trace->events[event];
    tp_intervals_push(&found->times[rule - FIRST], e->ts_ns, tp_event_end(e));
    tp_picks_add_by_length(&found->candidates[rule - FIRST].picks, model, event);
}

/* ---- frames ---- */

/* state of the walk over the frames */
struct frames_seen {
    /* time from a TP_CODE_BEGIN frame to the end of its code; empty before the first such frame */
    struct tp_interval open_code_time;
    uint32_t begun_event;
    int64_t write_end_ns, print_end_ns; /* end of the last counted write, and end of the last short print, ns */
};

/* Returns whether a frame prints a text without waiting for the reader of the output. Such a print writes no file, and
 * recording it takes longer than the print itself. */
static bool is_print_without_wait(const struct tp_known_code *code, const struct tp_event *e)
{
    enum { LONG_PRINT_NS = 1000000 };
    return code->function && strcmp(code->function, TP_PRINT_FRAME) == 0 && e->dur_ns < LONG_PRINT_NS;
}

static void add_frame_of_known_code(struct found *found, struct frames_seen *seen, const struct tp_model *model,
                                    uint32_t event, const struct tp_known_code *code)
{
    const struct tp_event *e = &model->trace->events[event];
    if (is_print_without_wait(code, e))
        seen->print_end_ns = tp_event_end(e);
    if (code->rule == TP_RULE_H10 && e->ts_ns < seen->print_end_ns)
        return;
    if (code->part == TP_CODE_BEGIN) {
        seen->open_code_time = (struct tp_interval){e->ts_ns, tp_event_end(e)};
        seen->begun_event = event;
    } else if (code->part == TP_CODE_END) {
        if (e->ts_ns >= seen->open_code_time.b)
            return;
        tp_intervals_push(&found->times[code->rule - FIRST], seen->open_code_time.a, e->ts_ns);
        tp_picks_add_by_length(&found->candidates[code->rule - FIRST].picks, model, seen->begun_event);
        seen->open_code_time.b = e->ts_ns;
    } else {
        add_event_to_rule(found, model, code->rule, event);
        /* counts only the outermost frame that writes */
        if (code->rule == TP_RULE_H10 && e->ts_ns >= seen->write_end_ns) {
            tp_busy_functions_count(&found->functions, code->rule, event, true);
            *(uint32_t *)tp_vec_push(&found->writers) = tp_enclosing_project_call(model, event);
            seen->write_end_ns = tp_event_end(e);
        }
    }
}

/* Returns whether a module is called inside a node of the backward pass. In this case the module's forward pass runs
 * again (recomputation), no matter which code starts it. */
static bool is_module_recomputed(const struct tp_model *model, uint32_t event)
{
    uint32_t outer = model->inside[event];
    while (outer != TP_NO_ID && !(tp_event_marks(model, outer) & TP_MARK_BACKWARD_NODE))
        outer = model->inside[outer];
    return outer != TP_NO_ID;
}

/* Returns whether an event is an operator that does more than read, copy or select numbers for a file. */
static bool computes(const struct tp_model *model, const struct tp_event *e)
{
    const uint64_t reads = TP_MARK_SCALAR_OP | TP_MARK_INDEX_OP | TP_MARK_PART_OP | TP_MARK_SPLIT_OP | TP_MARK_COPY_OP |
                           TP_MARK_ALLOCATION_HELPER;
    struct tp_str name = tp_trace_event_name(model->trace, e);
    return e->kind == TP_KIND_OPERATOR && !(model->marks[e->name] & reads) && !tp_str_equal(name, TP_STR("detach")) &&
           !tp_str_starts(name, "aten::detach") && !tp_str_starts(name, "aten::as_strided");
}

/* Returns whether a call computes nothing, and is inside of one step. Calls around several steps are those of the whole
 * program. */
static bool only_prepares_files(const struct tp_model *model, uint32_t call)
{
    const struct tp_order *order = model->order;
    const struct tp_event *e = &model->trace->events[call];
    bool is_preparing = true;
    for (uint32_t i = 0; i < model->step_count; i++)
        is_preparing &= model->steps[i].host_start_ns <= e->ts_ns || model->steps[i].host_start_ns >= tp_event_end(e);
    for (uint32_t i = tp_order_first_from(order, model->trace, e->thread, e->ts_ns);
         i < order->thread_first[e->thread + 1] && is_preparing; i++) {
        const struct tp_event *inner = &model->trace->events[order->host[i]];
        if (inner->ts_ns >= tp_event_end(e))
            break;
        is_preparing = inner->kind != TP_KIND_MODULE && !computes(model, inner);
    }
    return is_preparing;
}

/* Adds whole calls of the functions that write files and compute nothing. The other code of such a function prepares
 * the text or the data for the file, so a fix saves its time too. */
static void add_calls_that_only_write(const struct tp_model *model, struct found *found)
{
    uint32_t last = TP_NO_ID;
    for (size_t i = 0; i < found->writers.count; i++) {
        uint32_t call = *TP_AT(&found->writers, uint32_t, i);
        if (call != TP_NO_ID && call != last && only_prepares_files(model, call))
            tp_intervals_push(&found->times[TP_RULE_H10 - FIRST], model->trace->events[call].ts_ns,
                              tp_event_end(&model->trace->events[call]));
        last = call;
    }
}

static void find_events_of_known_frames(struct tp_advisor *a, struct found *found)
{
    const struct tp_order *order = a->model->order;
    const uint8_t *known = tp_find_known_frames(&a->model->trace->names, a->arena);
    struct frames_seen seen = {{INT64_MIN, INT64_MIN}, TP_NO_ID, INT64_MIN, INT64_MIN};
    for (uint32_t i = order->thread_first[a->model->host_main]; i < order->thread_first[a->model->host_main + 1]; i++) {
        const struct tp_event *e = &a->model->trace->events[order->host[i]];
        if (!tp_kind_is_frame(e->kind) || !tp_event_is_in_window(a, order->host[i]) ||
            tp_intervals_contain(a->cpu->loading, e->ts_ns))
            continue;
        if (known[e->name])
            add_frame_of_known_code(found, &seen, a->model, order->host[i], tp_known_code(known[e->name]));
        else if (e->kind == TP_KIND_MODULE && is_module_recomputed(a->model, order->host[i]))
            add_event_to_rule(found, a->model, TP_RULE_H11, order->host[i]);
    }
    add_calls_that_only_write(a->model, found);
}

/* ---- operators ---- */

/* bits of the properties that an operator's name shows */
enum { IS_CHECK = 1, IS_ANSWER = 2, IS_ZERO = 4, IS_ADD = 8, IS_FILLED = 16, IS_LIST = 32 };
enum { FEW_GRADIENTS = 4, MUCH_PERCENT = 10 };

static const struct {
    const char *name;
    uint8_t part;
} operators[] = {
    {"aten::isnan", IS_CHECK},       {"aten::isinf", IS_CHECK},
    {"aten::isfinite", IS_CHECK},    {"aten::_is_any_true", IS_CHECK},
    {"aten::any", IS_ANSWER},        {"aten::all", IS_ANSWER},
    {"aten::allclose", IS_CHECK},    {"aten::isclose", IS_CHECK},
    {"aten::is_nonzero", IS_ANSWER}, {"aten::item", IS_ANSWER},
    {"aten::abs", IS_ANSWER},        {"aten::max", IS_ANSWER},
    {"aten::min", IS_ANSWER},        {"aten::lt", IS_ANSWER},
    {"aten::gt", IS_ANSWER},         {"aten::logical_not", IS_ANSWER},
    {"aten::logical_or", IS_ANSWER}, {"aten::zeros_like", IS_ZERO},
    {"aten::zero_", IS_ZERO},        {"aten::_foreach_zero_", IS_ZERO | IS_LIST},
    {"aten::add_", IS_ADD},          {"aten::clone", IS_FILLED},
    {"aten::detach", IS_FILLED},     {"aten::empty_like", IS_FILLED},
};

/* Returns the properties of operators for each name id. */
static uint8_t *find_known_operators(struct tp_advisor *a)
{
    const struct tp_strings *names = &a->model->trace->names;
    uint8_t *known = tp_arena_array(a->arena, names->count, 1);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        uint32_t name = tp_strings_find(names, tp_str_of(operators[i].name));
        if (name != TP_NO_ID)
            known[name] = operators[i].part;
    }
    return known;
}

enum { NOT_ASKED, HAS_DOUBLE, HAS_NONE };

static bool has_type_double(struct tp_str types)
{
    struct tp_str item;
    size_t at = 0;
    while (tp_value_next(types, &at, NULL, &item))
        if (tp_number_type_by_name(item) == TP_NUMBER_FP64)
            return true;
    return false;
}

/* Returns whether an operator has an input of double precision. doubles: cached results for each value id of types. */
static bool has_double_input(const struct tp_advisor *a, uint8_t *doubles, uint32_t op)
{
    const struct tp_trace *trace = a->model->trace;
    uint32_t types = trace->hosts[tp_operator_event(a->model, op)->detail].types;
    if (types >= trace->values.count)
        return false;
    if (doubles[types] == NOT_ASKED)
        doubles[types] = has_type_double(trace->values.items[types]) ? HAS_DOUBLE : HAS_NONE;
    return doubles[types] == HAS_DOUBLE;
}

/* Returns whether an operator decomposes a matrix, or solves a system of equations. */
static bool is_decomposition(struct tp_str name)
{
    static const char *const parts[] = {"cholesky",   "triangular",  "linalg_solve", "linalg_inv",   "linalg_lu",
                                        "linalg_qr",  "linalg_svd",  "linalg_eig",   "linalg_lstsq", "linalg_ldl",
                                        "linalg_det", "linalg_pinv", "geqrf",        "lu_solve",     "slogdet"};
    bool is_any = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && tp_str_starts(name, "aten::") && !is_any; i++)
        is_any = tp_str_find(name, parts[i]) >= 0;
    return is_any;
}

static void add_operator_time(struct tp_vec *times, const struct tp_model *model, uint32_t op)
{
    const struct tp_event *e = tp_operator_event(model, op);
    tp_intervals_push(times, e->ts_ns, tp_event_end(e));
}

/* Adds the time that double precision costs an operator. Double precision takes at least twice as long as single
 * precision, because it has twice the bytes and half the vector lanes. Functions such as tanh, and data that no longer
 * fit into a cache, take three times as long; whole programs 2.5 times. Convolutions take four times as long (3.7 is
 * the mean of six sizes), because the fast library has only single precision. */
static void add_cost_of_double_precision(struct tp_advisor *a, struct found *found, uint32_t op)
{
    const struct tp_event *e = tp_operator_event(a->model, op);
    bool is_matrix = a->model->marks[e->name] & TP_MARK_ELIGIBLE;
    bool is_convolution = tp_str_starts(tp_trace_event_name(a->model->trace, e), "aten::conv");
    int64_t gained = is_convolution ? tp_ns_scaled(e->dur_ns, 3, 4) : tp_ns_scaled(e->dur_ns, 3, 5);
    tp_intervals_push(&found->times[TP_RULE_H14 - FIRST], e->ts_ns, e->ts_ns + gained);
    found->doubles += is_matrix;
    if (is_matrix)
        tp_picks_add_by_length(&found->candidates[TP_RULE_H14 - FIRST].picks, a->model, a->model->operators.event[op]);
}

static bool is_inside_operator(const struct tp_advisor *a, uint32_t op, const char *name)
{
    for (op = a->model->operators.parent[op]; op != TP_NO_ID; op = a->model->operators.parent[op])
        if (tp_str_ends(tp_trace_event_name(a->model->trace, tp_operator_event(a->model, op)), name))
            return true;
    return false;
}

static void find_events_of_known_operators(struct tp_advisor *a, struct found *found)
{
    const struct tp_model *model = a->model;
    const uint8_t *known = find_known_operators(a);
    uint8_t *doubles = tp_arena_array(a->arena, model->trace->values.count, 1);
    uint32_t inside = 0; /* end of the operators inside the last operator with inputs of double precision */
    /* end of the operators inside the last operator that checks values or reads the result of a check */
    uint32_t booked = 0;
    for (uint32_t i = 0; i < a->cpu->count; i++) {
        uint32_t op = a->cpu->ops[i];
        uint8_t parts = known[tp_operator_event(model, op)->name];
        if (tp_cpu_is_in_loader(a, op))
            continue;
        bool is_check = parts & IS_CHECK;
        if (is_check)
            add_event_to_rule(found, model, TP_RULE_H13, model->operators.event[op]);
        if ((is_check || parts & IS_ANSWER) && op >= booked) {
            tp_busy_functions_count(&found->functions, TP_RULE_H13, model->operators.event[op], is_check);
            booked = model->operators.subtree_end[op];
        }
        bool is_zero = parts & IS_ZERO && tp_cpu_is_outermost(a, op);
        bool is_add = parts & IS_ADD && is_inside_operator(a, op, "AccumulateGrad");
        found->zeros += !is_zero ? 0 : parts & IS_LIST ? FEW_GRADIENTS : 1;
        found->new_zeros += is_zero && tp_str_equal(tp_trace_event_name(model->trace, tp_operator_event(model, op)),
                                                    TP_STR("aten::zeros_like"));
        found->adds += is_add;
        found->zeros_ns = tp_sat_add(found->zeros_ns, is_zero ? tp_operator_event(model, op)->dur_ns : 0);
        found->adds_ns = tp_sat_add(found->adds_ns, is_add ? tp_operator_event(model, op)->dur_ns : 0);
        /* a copy inside an operator that fills zeros is part of filling the zeros */
        if (is_zero || (parts & IS_FILLED && tp_cpu_is_outermost(a, op)))
            tp_busy_functions_count(&found->functions, TP_RULE_H15, model->operators.event[op], is_zero);
        if (is_zero || is_add)
            add_event_to_rule(found, model, TP_RULE_H15, model->operators.event[op]);
        if (!has_double_input(a, doubles, op))
            continue;
        if (is_decomposition(tp_trace_event_name(model->trace, tp_operator_event(model, op))))
            add_operator_time(&found->decompositions, model, op);
        if (op >= inside) {
            add_cost_of_double_precision(a, found, op);
            inside = model->operators.subtree_end[op];
        }
    }
}

/* Adds hooks that watch values to rule H13 if their time reaches the rule's threshold. */
static void find_events_of_hooks(struct tp_advisor *a, struct found *found)
{
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    struct tp_picks picks = {.total = 0};
    uint32_t calls = tp_find_monitoring_hooks(a, &time, &picks);
    struct tp_candidate *c = &found->candidates[TP_RULE_H13 - FIRST];
    if (!calls || tp_analysed_set_percent(a, tp_intervals_from_vec(&time)) < tp_rule_value(a, TP_RULE_H13, "min_pct"))
        return;
    tp_intervals_append(&found->times[TP_RULE_H13 - FIRST], tp_intervals_from_vec(&time));
    c->picks = picks;
    c->details = TP_DETAIL(a, TP_DETAIL_HOOKS, TP_OF_NUMBER((calls + a->model->used_count - 1) / a->model->used_count));
}

/* ---- findings ---- */

static bool is_worth_reporting(struct tp_advisor *a, struct found *found, enum tp_rule_id rule)
{
    const struct tp_candidate *c = &found->candidates[rule - FIRST];
    int64_t steps = a->model->used_count;
    double least = tp_rule_value(a, rule, "min_pct");
    /* decompositions in single precision often fail, so programs with much of this work need double precision */
    if (rule == TP_RULE_H14 &&
        (!found->doubles || tp_analysed_set_percent(a, tp_intervals_from_vec(&found->decompositions)) >= least))
        return false;
    /* zeroing costs little for a few large gradients, and is needed if gradients of several batches add up */
    if (rule == TP_RULE_H15) {
        bool is_filling = found->zeros_ns >= found->adds_ns / FEW_GRADIENTS;
        bool is_much = is_filling && tp_analysed_set_percent(a, c->time) >= MUCH_PERCENT;
        int64_t count = is_much ? steps : FEW_GRADIENTS * steps;
        if (found->zeros < count || found->adds < count)
            return false;
    }
    return c->picks.total && tp_analysed_set_percent(a, c->time) >= least;
}

/* Lowers the estimate for gradients that are zeroed in place. Without zeroing, each backward pass allocates new memory,
 * and the system must make new pages at the first write. For gradients of 0.6 MiB this took longer than zeroing (torch
 * 2.13). */
static void lower_candidate_gain(struct tp_candidate *c)
{
    static const struct tp_detail zeroed = {.id = TP_DETAIL_ZEROED};
    c->has_lower_bound = true;
    c->low = 0;
    c->lower = 1;
    c->details = &zeroed;
}

/* Returns the title of a rule of this file with the time of its events in the window of analysed steps. */
static struct tp_title title_of_code(const struct tp_advisor *a, unsigned rule, struct tp_intervals time)
{
    if (rule != TP_RULE_H9)
        return TP_TITLE(TP_TITLE_OF_RULE, TP_NO_ARGUMENT);
    return TP_TITLE(TP_TITLE_COMPILATION, TP_OF_NS(tp_intervals_intersection_length(time, a->model->window)));
}

static void evaluate_code(struct tp_advisor *a)
{
    struct found found = {.doubles = 0};
    for (unsigned i = 0; i <= LAST - FIRST; i++)
        found.times[i] = TP_VEC(a->arena, struct tp_interval);
    tp_busy_functions_init(&found.functions, a);
    found.writers = TP_VEC(a->arena, uint32_t);
    found.decompositions = TP_VEC(a->arena, struct tp_interval);
    find_events_of_known_frames(a, &found);
    find_events_of_known_operators(a, &found);
    find_events_of_hooks(a, &found);
    for (unsigned rule = FIRST; rule <= LAST; rule++) {
        struct tp_candidate *c = &found.candidates[rule - FIRST];
        tp_busy_functions_find_times(&found.functions, (enum tp_rule_id)rule, &found.times[rule - FIRST]);
        c->rule = rule;
        c->has_ceiling = true;
        c->time = tp_intervals_from_vec(&found.times[rule - FIRST]);
        c->title = title_of_code(a, rule, c->time);
        if (!is_worth_reporting(a, &found, rule))
            continue;
        if (rule == TP_RULE_H15 && !found.new_zeros)
            lower_candidate_gain(c);
        struct tp_intervals time = c->time;
        if (tp_advisor_add_finding(a, c))
            for (size_t i = 0; i < time.count; i++)
                tp_intervals_push(&a->claimed, time.items[i].a, time.items[i].b);
    }
}

/* ---- programs with a device ---- */

/* Finds the kernels that recomputation for a checkpoint launches. time: times of the recomputation. */
static void find_recomputed_kernels(struct tp_advisor *a, struct tp_intervals time)
{
    struct tp_work_claim claim;
    uint32_t k;
    tp_work_claim_begin(&claim, a, TP_RULE_C19);
    for (struct tp_operations w = {.a = a}; time.count && tp_next_kernel(&w, &k);) {
        const struct tp_event *launch = tp_launch_of_device(a->model, k);
        if (launch && tp_intervals_contain(time, launch->ts_ns))
            tp_work_claim_add(&claim, a, k, 1);
    }
    tp_work_claim_add_finding(&claim, a, NULL);
}

/* Finds frames of known code in the window of analysed steps. Returns false if the trace has no name of known code. */
static bool find_device_frames(struct tp_advisor *a, struct found *found)
{
    const struct tp_model *model = a->model;
    const uint8_t *known = tp_find_known_frames(&a->model->trace->names, a->arena);
    bool is_any = false;
    for (uint32_t i = 0; i < model->trace->names.count; i++)
        is_any |= known[i] && tp_known_code(known[i])->part == TP_CODE_WHOLE;
    for (uint32_t i = 0; is_any && i < model->trace->event_count; i++) {
        const struct tp_event *e = &model->trace->events[i];
        if (tp_kind_is_frame(e->kind) && known[e->name] && tp_known_code(known[e->name])->part == TP_CODE_WHOLE &&
            tp_event_is_in_window(a, i))
            add_event_to_rule(found, model, tp_known_code(known[e->name])->rule, i);
    }
    return is_any;
}

static void evaluate_device_code(struct tp_advisor *a)
{
    struct found found = {.doubles = 0};
    for (unsigned i = 0; i <= LAST - FIRST; i++)
        found.times[i] = TP_VEC(a->arena, struct tp_interval);
    if (!find_device_frames(a, &found))
        return;
    struct tp_intervals waits = tp_time_waiting_for_host(a);
    for (unsigned rule = FIRST; rule <= LAST; rule++) {
        struct tp_candidate *c = &found.candidates[rule - FIRST];
        struct tp_intervals time = tp_intervals_from_vec(&found.times[rule - FIRST]);
        c->rule = rule;
        c->has_ceiling = true;
        c->time = tp_intervals_intersection(a->arena, time, waits);
        c->title = title_of_code(a, rule, time);
        if (rule == TP_RULE_H11)
            find_recomputed_kernels(a, time);
        else if (c->picks.total &&
                 tp_analysed_set_percent(a, c->time) >= tp_rule_value(a, (enum tp_rule_id)rule, "min_pct"))
            tp_advisor_add_and_claim_time(a, c);
    }
}
