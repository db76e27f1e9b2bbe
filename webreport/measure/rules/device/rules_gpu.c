/* Rules about a device that waits for its host: blocking host waits (A4, A5, A6), loading of code (A8), allocator calls
 * (A12, D2), short kernels (A3), slow launches (A1). Rules about host code (A13) and repeated launches (A2) are in
 * other files. */
#include "webreport/measure/rules/rules_eval.h"
#include "webreport/measure/rules/rules_texts.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

static void evaluate_waits(struct tp_advisor *a);
static void evaluate_loading(struct tp_advisor *a);
static void evaluate_allocator(struct tp_advisor *a);
static void evaluate_short_kernels(struct tp_advisor *a);
static void evaluate_launches(struct tp_advisor *a);

const struct tp_rule tp_rule_A1 = {
    .id = "A1",
    .title = "Launch less often: use larger batches, or `torch.compile(mode=\"reduce-overhead\")`",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 10.0, false}, {"high_pct", 25.0, false}},
    .advice = "Use a larger batch, torch.compile, captured graphs, or less Python code between launches.",
    .doc_url = DOC_TUNE,
    .cause = "launch.bound",
    .gain = {.low = 0.6, .high = 0.95, .right = 8, .known = 8},
    .native = {.title = "Launch less often: use larger batches, fused kernels, or a captured graph",
               .advice = "Give every launch more work: use larger batches, fused kernels, or a captured graph that "
                         "replays many launches."},
    .serving = {.title = "Launch less often: let the engine replay captured graphs, and batch more requests",
                .advice = "Let the engine replay captured graphs, and batch more requests. " GRAPH_OPTIONS},
    .replayed = {.title = "Shorten the CPU code between graph replays, or use a larger batch",
                 .advice =
                     "Shorten the host code between graph replays, capture the launches between replays too, or use a "
                     "larger batch. The program already replays graphs."},
    .compiled =
        {.title = "Launch less often: capture graphs with `mode=\"reduce-overhead\"`, or use larger batches",
         .advice =
             "Use captured graphs (mode=\"reduce-overhead\"), remove graph breaks, or use a larger batch. The code "
             "is already compiled."},
    .is_about_late_host = true,
    .is_slowed_by_recording = true,
    .on_device = evaluate_launches,
};

const struct tp_rule tp_rule_A3 = {
    .id = "A3",
    .title = "Merge short kernels: use `torch.compile`, `foreach=True` or a fused kernel",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"short_us", 10, true}, {"min_count_pct", 40.0, false}, {"min_launch_pct", 20.0, false}},
    .advice = "Merge small operations with torch.compile, foreach variants, or a fused kernel.",
    .doc_url = DOC_TUNE,
    .cause = "launch.bound",
    .gain = {.low = 0.3, .high = 0.95},
    .native = {.title = "Merge short kernels: batch the work, or write one kernel for several operations",
               .advice = "Merge small operations: batch them, or write one kernel for several operations."},
    .inference = {.title = "Merge short kernels: use `torch.compile` or a fused kernel"},
    .serving = {.title = "Merge short kernels: let the engine compile the model and replay captured graphs",
                .advice = "Let the engine compile the model and replay captured graphs. " GRAPH_OPTIONS},
    .compiled =
        {.title = "Move short operations into a compiled region, or write a fused kernel",
         .advice =
             "Move these small operations into a compiled region, or write a fused kernel for them. Other parts of "
             "the program are already compiled."},
    .is_about_late_host = true,
    .is_slowed_by_recording = true,
    .on_device = evaluate_short_kernels,
};

const struct tp_rule tp_rule_A4 = {
    .id = "A4",
    .title = "Remove waits for the GPU, or move them out of the step",
    .confidence = TP_CONFIDENCE_LOW,
    .thresholds = {{"min_pct", 1.0, false}, {"single_us", 50, true}},
    .advice = "Remove the wait, or move it out of the step. If the wait is necessary, wait later, and for an event "
              "instead of the whole device.",
    .doc_url = DOC_TUNE,
    .gain = {.low = 0.3, .high = 1.0, .known = 6},
    .native = {.title = "Remove waits for the device, or move them out of the step"},
    .serving = {.title = "Let the engine prepare the next step while the GPU works",
                .advice = OVERLAP " In your own code, wait later, and for an event instead of the whole device."},
    .is_about_late_host = true,
    .on_device = evaluate_waits,
};

const struct tp_rule tp_rule_A5 = {
    .id = "A5",
    .title = "Read values of the GPU every 50 steps, not in each",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 0.5, false}, {"min_per_step", 1, true}},
    .advice = "Keep the value on the device, or read it only every N steps. Alternatively, copy the value with "
              "non_blocking=True into pinned memory and read it one step later.",
    .doc_url = DOC_TUNE,
    .gain = {.low = 0.3, .high = 1.0},
    .native = {.title = "Read values of the device every 50 steps, not in each",
               .advice = "Keep the value on the device, or read it only every N steps. Alternatively, copy the value "
                         "asynchronously into pinned memory and read it one step later."},
    .inference = {.title = "Keep values on the GPU, or read them one step later"},
    .serving = {.title = "Let the engine read tokens one step later, while the GPU works",
                .advice = OVERLAP " With these options, the engine reads the tokens one step later."},
    .on_device = evaluate_waits,
};

const struct tp_rule tp_rule_A6 = {
    .id = "A6",
    .title = "Avoid operators whose output size depends on data: the CPU waits for it",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 0.5, false}, {"min_per_step", 1, true}},
    .advice = "Use a mask or torch.where with a fixed size, or pass the output size, so that the host does not wait "
              "for the size.",
    .doc_url = DOC_TUNE,
    .gain = {.low = 0.3, .high = 1.0},
    .native = {.title = "Keep counts on the device: the CPU waits for the size of results",
               .advice = "Allocate memory for the largest size and keep the count on the device, so that the host does "
                         "not wait for the count."},
    .on_device = evaluate_waits,
};

const struct tp_rule tp_rule_A8 = {
    .id = "A8",
    .title = "Load GPU code before the loop: warm up, and set `CUDA_MODULE_LOADING=EAGER`",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 0.5, false}},
    .advice = "Warm up longer, load modules eagerly (CUDA_MODULE_LOADING=EAGER), and ship binaries for this device.",
    .doc_url = DOC_CUDA,
    .gain = {.low = 0.5, .high = 1.0},
    .native = {.title = "Load device code before the loop: warm up, and set `CUDA_MODULE_LOADING=EAGER`"},
    .serving = {.title = "Send requests of all sizes before you record, so that all code is loaded",
                .advice = "Send requests of all sizes before the recording, so that the engine has compiled and "
                          "captured everything when the recording starts."},
    .on_device = evaluate_loading,
};

const struct tp_rule tp_rule_A12 = {
    .id = "A12",
    .title = "Stop allocating memory in the step: keep and reuse the buffers",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_per_step", 1, true}},
    .advice = "Allocate memory once and reuse it. In C, use a memory pool (cudaMallocAsync).",
    .doc_url = DOC_CUDA,
    .cause = "memory.allocator",
    .gain = {.low = 0.3, .high = 1.0},
    .native = {.advice = "Allocate memory once and reuse it, or take memory from a pool (cudaMallocAsync)."},
    .is_about_late_host = true,
    .on_device = evaluate_allocator,
};

const struct tp_rule tp_rule_D2 = {
    .id = "D2",
    .title = "Keep shapes fixed, so that the allocator stops calling the driver",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_per_step", 1, true}},
    .advice = "Keep shapes fixed, do not call empty_cache in the loop, and try expandable segments.",
    .doc_url = DOC_CUDA,
    .cause = "memory.allocator",
    .native =
        {.title = "Keep sizes fixed, and take memory from a pool that keeps it",
         .advice =
             "Keep sizes fixed and take memory from a pool that keeps freed memory (cudaMemPoolAttrReleaseThreshold)."},
    .on_device = evaluate_allocator,
};

/* Returns, for each operator, whether this operator directly contains a call that starts a copy to the host. */

/* Returns, for each operator, whether the operator directly contains a call that starts a copy to the host. */
static bool *find_value_reads(const struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    bool *reads = tp_arena_array(a->arena, model->operators.count, sizeof *reads);
    for (uint32_t k = 0; k < model->devices.count; k++) {
        uint32_t launch = model->devices.launch[k];
        uint32_t op = launch == TP_NO_ID ? TP_NO_ID : model->launches.op[launch];
        if (op != TP_NO_ID && tp_event_marks(model, model->devices.event[k]) & TP_MARK_TO_HOST)
            reads[op] = true;
    }
    return reads;
}

struct waits {
    struct tp_picks picks;
    struct tp_fix_draft fix;
    struct tp_vec time, calls;
    int64_t count, cost, largest;
};

enum { WAIT_OTHER, WAIT_SCALAR, WAIT_SHAPE, WAIT_KINDS };

/* Returns the kind of a wait, WAIT_*. *reads: NULL in the first call; the function sets *reads to the result of
 * find_value_reads when it needs this result. */
static int kind_of_wait(struct tp_advisor *a, const struct tp_wait *wait, bool **reads)
{
    uint32_t op = wait->op;
    unsigned above = tp_enclosing_kinds(a, op);
    if (above & TP_ENCLOSED_BY_SHAPE)
        return WAIT_SHAPE;
    if (above & TP_ENCLOSED_BY_SCALAR)
        return WAIT_SCALAR;
    if (op == TP_NO_ID || !(tp_event_marks(a->model, a->model->operators.event[op]) & TP_MARK_ATEN_COPY))
        return WAIT_OTHER;
    if (!*reads)
        *reads = find_value_reads(a);
    return (*reads)[op] ? WAIT_SCALAR : WAIT_OTHER;
}

static void add_wait_to_kind(const struct tp_advisor *a, struct waits *waits, const struct tp_wait *wait)
{
    const struct tp_event *call = &a->model->trace->events[wait->event];
    uint32_t event = wait->event;
    waits->count++;
    waits->cost = tp_sat_add(waits->cost, wait->cost_ns);
    waits->largest = tp_ns_max(waits->largest, wait->cost_ns);
    tp_intervals_push(&waits->time, wait->at_ns, tp_sat_add(wait->at_ns, wait->cost_ns));
    tp_intervals_push(&waits->calls, call->ts_ns, tp_event_end(call));
    tp_fix_add_call(a, &waits->fix, event, TP_FIX_WHOLE);
    tp_picks_add_by_weight(&waits->picks, (struct tp_pick){wait->cost_ns, call->ts_ns, -call->dur_ns, event, event, 0});
}

/* Returns the name, without "aten::", of the innermost operator around a wait whose output size depends on data; "" if
 * this operator is internal ("_unique2"). */
static struct tp_str name_of_operator_of_wait(struct tp_advisor *a, uint32_t event)
{
    for (uint32_t i = 0; i < a->model->wait_count; i++) {
        uint32_t op = a->model->waits[i].op;
        if (a->model->waits[i].event != event)
            continue;
        while (op != TP_NO_ID && !(tp_event_marks(a->model, a->model->operators.event[op]) & TP_MARK_SHAPE_OP))
            op = a->model->operators.parent[op];
        struct tp_str name =
            op == TP_NO_ID ? TP_STR("") : tp_trace_event_name(a->model->trace, tp_operator_event(a->model, op));
        size_t prefix = strlen("aten::");
        return tp_str_starts(name, "aten::") && name.len > prefix && name.ptr[prefix] != '_'
                   ? (struct tp_str){name.ptr + prefix, name.len - prefix}
                   : TP_STR("");
    }
    return TP_STR("");
}

static struct tp_title title_of_waits(struct tp_advisor *a, enum tp_rule_id rule, const struct waits *waits)
{
    struct tp_str line = tp_picks_first_line(a, &waits->picks);
    if (rule == TP_RULE_A4)
        return TP_TITLE(TP_TITLE_WAIT, TP_OF_TEXT(line), TP_OF_NS(waits->largest));
    if (rule == TP_RULE_A5)
        return TP_TITLE(TP_TITLE_VALUE_READ, TP_OF_TEXT(line));
    return TP_TITLE(TP_TITLE_DATA_SIZE, TP_OF_TEXT(name_of_operator_of_wait(a, waits->picks.items[0].event)),
                    TP_OF_TEXT(line));
}

static void add_finding_about_waits(struct tp_advisor *a, enum tp_rule_id rule, struct waits *waits)
{
    struct tp_candidate c = {.rule = rule, .has_ceiling = true, .picks = waits->picks, .fix = waits->fix};
    c.fix.is_whole = true;
    c.title = title_of_waits(a, rule, waits);
    c.may_have_severity_info = rule == TP_RULE_A4;
    c.time = tp_intervals_from_vec(&waits->time);
    c.most_percent = tp_gain_percent_without_waits(a, tp_intervals_from_vec(&waits->calls));
    tp_advisor_add_and_claim_time(a, &c);
}

static void evaluate_waits(struct tp_advisor *a)
{
    static const enum tp_rule_id rules[] = {[WAIT_SCALAR] = TP_RULE_A5, [WAIT_SHAPE] = TP_RULE_A6};
    struct waits waits[WAIT_KINDS] = {0};
    bool *reads = NULL;
    for (int k = 0; k < WAIT_KINDS; k++)
        waits[k].time = waits[k].calls = TP_VEC(a->arena, struct tp_interval);
    for (uint32_t i = 0; i < a->model->wait_count; i++) {
        const struct tp_wait *wait = &a->model->waits[i];
        if (tp_event_is_in_window(a, wait->event))
            add_wait_to_kind(a, &waits[kind_of_wait(a, wait, &reads)], wait);
    }
    for (int k = WAIT_SCALAR; k <= WAIT_SHAPE; k++)
        if ((double)waits[k].count >= tp_rule_value(a, rules[k], "min_per_step") * a->model->used_count &&
            tp_analysed_percent(a, waits[k].cost) >= tp_rule_value(a, rules[k], "min_pct"))
            add_finding_about_waits(a, rules[k], &waits[k]);
    const struct waits *other = &waits[WAIT_OTHER];
    bool is_heavy = tp_analysed_percent(a, other->cost) >= tp_rule_value(a, TP_RULE_A4, "min_pct") ||
                    (double)other->largest > tp_rule_value(a, TP_RULE_A4, "single_us") * 1000;
    if (other->count && is_heavy)
        add_finding_about_waits(a, TP_RULE_A4, &waits[WAIT_OTHER]);
}

/* ---- A8: loading of device code ---- */

static void evaluate_loading(struct tp_advisor *a)
{
    struct tp_vec intervals = TP_VEC(a->arena, struct tp_interval);
    struct tp_candidate c = {.rule = TP_RULE_A8, .has_ceiling = true};
    for (size_t i = 0; i < a->loading.count; i++) {
        uint32_t event = *TP_AT(&a->loading, uint32_t, i);
        const struct tp_event *e = &a->model->trace->events[event];
        tp_intervals_push(&intervals, e->ts_ns, tp_event_end(e));
        if (tp_event_is_in_window(a, event))
            tp_picks_add_by_weight(&c.picks, (struct tp_pick){0, e->ts_ns, 0, event, TP_NO_ID, 0});
    }
    c.fix.host = tp_intervals_from_vec(&intervals);
    if (intervals.count)
        c.time = tp_intervals_intersection(a->arena, c.fix.host, tp_model_idle_times(a->model, false, a->arena));
    if (tp_analysed_percent(a, tp_intervals_length(c.time)) >= tp_rule_value(a, TP_RULE_A8, "min_pct"))
        tp_advisor_add_and_claim_time(a, &c);
}

/* ---- A12, D2: allocator calls in steady steps (all but the first of several steps) ---- */

static int compare_by_start(const void *x, const void *y, const void *context)
{
    const struct tp_event *events = context;
    uint32_t i = *(const uint32_t *)x, j = *(const uint32_t *)y;
    if (events[i].ts_ns != events[j].ts_ns)
        return events[i].ts_ns < events[j].ts_ns ? -1 : 1;
    return i < j ? -1 : i > j;
}

static void find_allocators(struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    struct tp_vec steady = TP_VEC(a->arena, struct tp_interval);
    bool is_first = model->used_count >= 2;
    for (uint32_t i = 0; i < model->step_count; i++) {
        const struct tp_step *step = &model->steps[i];
        if (tp_step_is_used(step) && !is_first)
            tp_intervals_push(&steady, step->start_ns, step->end_ns);
        is_first &= !tp_step_is_used(step);
    }
    struct tp_intervals set = tp_intervals_from_vec(&steady);
    a->allocators = TP_VEC(a->arena, uint32_t);
    for (uint32_t i = 0; i < model->launches.count; i++) {
        const struct tp_event *call = tp_launch_event(model, i);
        if (model->marks[call->name] & TP_MARK_ALLOCATOR_CALL && tp_intervals_contain(set, call->ts_ns))
            *(uint32_t *)tp_vec_push(&a->allocators) = model->launches.event[i];
    }
    tp_merge_sort(a->arena, a->allocators.data, a->allocators.count, sizeof(uint32_t), compare_by_start,
                  model->trace->events);
}

static void add_finding_about_allocators(struct tp_advisor *a)
{
    struct tp_vec intervals = TP_VEC(a->arena, struct tp_interval);
    struct tp_candidate c = {.rule = TP_RULE_A12, .has_ceiling = true, .may_have_severity_info = true};
    for (size_t i = 0; i < a->allocators.count; i++) {
        uint32_t event = *TP_AT(&a->allocators, uint32_t, i);
        const struct tp_event *e = &a->model->trace->events[event];
        tp_intervals_push(&intervals, e->ts_ns, tp_event_end(e));
        tp_picks_append_event(&c.picks, event);
    }
    c.fix.host = tp_intervals_from_vec(&intervals);
    c.time = tp_intervals_intersection(a->arena, c.fix.host, a->model->starved);
    c.title =
        TP_TITLE(TP_TITLE_ALLOCATION,
                 TP_OF_TEXT(tp_trace_event_name(a->model->trace, &a->model->trace->events[c.picks.items[0].event])));
    tp_advisor_add_and_claim_time(a, &c);
}

/* Appends the allocator calls for device memory with this mark to the evidence. Returns their number. */
static int64_t add_allocator_calls_as_evidence(struct tp_advisor *a, uint64_t mark, struct tp_picks *picks)
{
    int64_t before = picks->total;
    for (size_t i = 0; i < a->allocators.count; i++) {
        uint32_t event = *TP_AT(&a->allocators, uint32_t, i);
        uint64_t marks = tp_event_marks(a->model, event);
        if (marks & mark && !(marks & TP_MARK_HOST))
            tp_picks_append_event(picks, event);
    }
    return picks->total - before;
}

static void evaluate_allocator(struct tp_advisor *a)
{
    int64_t steps = a->model->used_count > 1 ? a->model->used_count - 1 : 1;
    if (a->model->step_marker == TP_MARKER_WINDOW) {
        tp_advisor_note_skipped_rule(a, TP_RULE_A12, "the trace has no recognisable steps");
        tp_advisor_note_skipped_rule(a, TP_RULE_D2, "the trace has no recognisable steps");
        return;
    }
    find_allocators(a);
    if (a->allocators.count &&
        (double)a->allocators.count >= tp_rule_value(a, TP_RULE_A12, "min_per_step") * (double)steps)
        add_finding_about_allocators(a);
    struct tp_candidate c = {.rule = TP_RULE_D2, .is_forced = true, .severity = TP_SEVERITY_MEDIUM, .share = NAN};
    int64_t mallocs = add_allocator_calls_as_evidence(a, TP_MARK_MALLOC, &c.picks),
            frees = add_allocator_calls_as_evidence(a, TP_MARK_FREE, &c.picks);
    if ((double)tp_ns_min(mallocs, frees) < tp_rule_value(a, TP_RULE_D2, "min_per_step") * (double)steps)
        return;
    c.details = TP_DETAIL(a, TP_DETAIL_MALLOCS, TP_OF_NUMBER(mallocs), TP_OF_NUMBER(frees), TP_OF_NUMBER(steps));
    tp_advisor_add_finding(a, &c);
}

/* ---- A3: short kernels ---- */

static void evaluate_short_kernels(struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    double limit = tp_rule_value(a, TP_RULE_A3, "short_us") * 1000;
    struct tp_candidate c = {.rule = TP_RULE_A3, .has_ceiling = true};
    uint8_t *is_seen = tp_arena_array(a->arena, model->launches.count, 1);
    struct tp_vec durations = TP_VEC(a->arena, int64_t);
    int64_t sum = 0;
    uint32_t k;
    for (struct tp_operations w = {.a = a}; tp_next_kernel(&w, &k);) {
        if ((double)tp_device_event(model, k)->dur_ns >= limit)
            continue;
        tp_picks_append_operation(&c.picks, model, k);
        uint32_t launch = model->devices.launch[k];
        if (launch == TP_NO_ID || is_seen[launch])
            continue;
        is_seen[launch] = 1;
        tp_fix_add_call(a, &c.fix, model->launches.event[launch], TP_FIX_WHOLE);
        int64_t ns = tp_launch_event(model, launch)->dur_ns;
        sum = tp_sat_add(sum, ns);
        *(int64_t *)tp_vec_push(&durations) = ns;
    }
    tp_arena_free_item(a->arena, is_seen, model->launches.count);
    if (a->kernel_count &&
        tp_percent(c.picks.total, a->kernel_count) >= tp_rule_value(a, TP_RULE_A3, "min_count_pct") &&
        tp_analysed_percent(a, sum) >= tp_rule_value(a, TP_RULE_A3, "min_launch_pct")) {
        int64_t ns = tp_sat_mul((int64_t)durations.count, tp_lower_median(durations.data, durations.count));
        c.time = tp_intervals_prefix(a->arena, model->starved, ns);
        tp_advisor_add_finding(a, &c);
    }
    tp_arena_free_item(a->arena, durations.data, durations.capacity * sizeof(int64_t));
}

/* ---- A1: idle time that no other rule explains ---- */

/* Adds the operations after the longest host gaps as evidence. A host gap is idle time before the host calls an
 * operation. */
static void add_longest_gaps_as_evidence(struct tp_advisor *a, struct tp_picks *picks)
{
    for (uint32_t g = 0; g < a->model->gpu_count; g++) {
        const struct tp_gpu *gpu = &a->model->gpus[g];
        for (uint32_t i = 0; i < gpu->idle_count; i++) {
            const struct tp_idle_slice *piece = &gpu->idle[i];
            if (piece->part != TP_IDLE_HOST)
                continue;
            int64_t ns = piece->b - piece->a;
            if (picks->kept == TP_FINDING_EVIDENCE && ns < picks->items[TP_FINDING_EVIDENCE - 1].weight) {
                picks->total++;
                continue;
            }
            struct tp_pick pick = tp_pick_of_operation(a->model, piece->next);
            pick.weight = ns;
            pick.at = piece->a;
            pick.rank = g;
            tp_picks_add_by_weight(picks, pick);
        }
    }
}

/* Returns a detail on the longest gaps if at most five gaps take half of the idle time; otherwise NULL. picks: the
 * gaps, longest first. */
static struct tp_detail *make_large_gaps_detail(struct tp_advisor *a, const struct tp_picks *picks)
{
    enum { HALF = 2 };
    struct tp_vec gaps = TP_VEC(a->arena, struct tp_interval);
    int64_t whole = tp_intervals_length(a->rest);
    if (picks->total <= picks->kept)
        return NULL;
    for (unsigned i = 0; i < picks->kept; i++) {
        tp_intervals_push(&gaps, picks->items[i].at, picks->items[i].at + picks->items[i].weight);
        int64_t ns = tp_intervals_intersection_length(a->rest, tp_intervals_from_vec(&gaps));
        if (HALF * ns >= whole)
            return TP_DETAIL(a, TP_DETAIL_FEW_GAPS, TP_OF_NUMBER(i + 1), TP_OF_PERCENT(tp_percent(ns, whole)));
    }
    return NULL;
}

static void evaluate_launches(struct tp_advisor *a)
{
    struct tp_candidate c = {.rule = TP_RULE_A1, .has_ceiling = true, .is_forced = true};
    c.fix.kept = tp_intervals_from_vec(&a->claimed);
    c.fix.spares_host = true;
    c.fix.host = a->rest = tp_intervals_difference(a->arena, a->model->starved, c.fix.kept);
    double share = tp_analysed_set_percent(a, a->rest);
    if (share < tp_rule_value(a, TP_RULE_A1, "min_pct"))
        return;
    add_longest_gaps_as_evidence(a, &c.picks);
    c.time = a->rest;
    c.details = tp_detail_join(a->arena, make_large_gaps_detail(a, &c.picks), a->calling);
    c.severity = share >= tp_rule_value(a, TP_RULE_A1, "high_pct") ? TP_SEVERITY_HIGH : TP_SEVERITY_MEDIUM;
    tp_advisor_add_finding(a, &c);
}
