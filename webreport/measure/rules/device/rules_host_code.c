/* Rule A13: lines and annotations of host code that launch no work, and that run while a device waits for a long time.
 *
 * If operators that launch work take this time, the calls are too slow for the device. Rule A1 reports this case and
 * names the code that makes the calls. */
#include "webreport/measure/idle/idle_flame.h"
#include "webreport/measure/rules/rules_eval.h"
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/trace/regions.h"

static void evaluate_host_code(struct tp_advisor *a);

const struct tp_rule tp_rule_A13 = {
    .id = "A13",
    .title = "Run the code between launches in a worker process, or on the GPU",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 5.0, false}, {"min_gap_us", 200, true}, {"max_lines", 5, true}},
    .advice =
        "Shorten the code between launches, cache its results, or run it in another thread while the device works.",
    .doc_url = DOC_TUNE,
    .cause = "launch.framework",
    .gain = {.low = 0.7, .high = 1.0},
    .native = {.title = "Shorten the code between launches, or run it on another thread"},
    .serving = {.title = "Let the engine prepare the next step while the GPU works",
                .advice = OVERLAP
                " Handle tokens, texts and logs in another thread than the thread that launches device work."},
    .is_about_late_host = true,
    .is_slowed_by_recording = true,
    .on_device = evaluate_host_code,
};

struct host_code {
    struct tp_advisor *a;
    /* least waiting time in a gap, ns; gaps in which the device waits for the host for a shorter time are ignored */
    int64_t min_gap_ns;
    /* second collector, for code inside operators that launch work; NULL in the second collector itself */
    struct host_code *calling;
    const uint8_t *launching; /* for each event: 1 if the event is an outermost operator that launches device work */
    struct tp_id_map ids;
    struct tp_vec lines;     /* elements: struct code_line */
    struct tp_vec intervals; /* elements: struct code_interval */
    uint32_t gpu;
};

struct code_line {
    struct tp_line_time line;
    struct tp_intervals time;
    uint32_t gpu;        /* index of the device at which the evidence occurred; TP_NO_ID: no evidence yet */
    int64_t at;          /* start of the first stack segment that is evidence, ns */
    bool has_other_rule; /* true if another rule reports this line */
};

struct code_interval {
    uint32_t line;
    struct tp_interval time;
};

/* Returns whether another rule reports a segment of the stack. Annotations of input and optimizer have their own
 * rules. */
static bool belongs_to_other_rule(const struct tp_model *model, const struct tp_stack_segment *segment)
{
    struct tp_fold fold = segment->fold;
    if (segment->event != TP_NO_ID && tp_event_declared_kind(&model->trace->events[segment->event]) == TP_RANGE_INPUT)
        return true;
    if (fold.kind != TP_STACK_ANNOTATION)
        return false;
    return tp_regions_by_name(tp_fold_text(model, fold)) & (TP_REGION_LOADER | TP_REGION_OPTIMIZER);
}

/* Returns whether a segment belongs to a call that is too slow for the device: the segment is inside an operator that
 * launches device work, or inside an operator too short to be real work. */
static bool is_in_launching_operator(const struct host_code *code, const struct tp_stack_segment *segment)
{
    const struct tp_model *model = code->a->model;
    uint32_t innermost = TP_NO_ID, outermost = TP_NO_ID;
    for (uint32_t i = segment->event; i != TP_NO_ID; i = tp_find_event_around(model, model->inside[i], segment->a))
        if (model->trace->events[i].kind == TP_KIND_OPERATOR) {
            innermost = innermost == TP_NO_ID ? i : innermost;
            outermost = i;
        }
    return outermost != TP_NO_ID &&
           (model->trace->events[innermost].dur_ns < code->min_gap_ns || code->launching[outermost]);
}

static void collect_code_of_segment(void *context, const struct tp_stack_segment *segment)
{
    struct host_code *code = context;
    if (code->calling && is_in_launching_operator(code, segment)) {
        code->calling->gpu = code->gpu;
        code = code->calling;
    }
    if (segment->fold.kind != TP_STACK_LINE && segment->fold.kind != TP_STACK_ANNOTATION)
        return;
    uint32_t *id = tp_id_map_find_or_add(&code->ids, tp_id_pair(segment->fold.kind, segment->fold.text));
    if (*id == TP_NO_ID) {
        *id = (uint32_t)code->lines.count;
        struct code_line *added = tp_vec_push(&code->lines);
        added->line.fold = segment->fold;
        added->gpu = TP_NO_ID;
        added->has_other_rule = belongs_to_other_rule(code->a->model, segment);
    }
    struct code_line *line = TP_AT(&code->lines, struct code_line, *id);
    if (line->has_other_rule)
        return;
    if (line->gpu == TP_NO_ID || (line->gpu == code->gpu && segment->a < line->at)) {
        line->gpu = code->gpu;
        line->at = segment->a;
        line->line.event = segment->event;
    }
    *(struct code_interval *)tp_vec_push(&code->intervals) = (struct code_interval){*id, {segment->a, segment->b}};
}

/* Returns the indexes of the idle intervals in which the device waits for the host. Includes only gaps with at least
 * min_ns of such intervals. The intervals of a gap are adjacent. */
static struct tp_vec find_long_gaps(struct tp_advisor *a, const struct tp_gpu *gpu, int64_t min_ns)
{
    struct tp_vec found = TP_VEC(a->arena, uint32_t);
    for (uint32_t i = 0, end; i < gpu->idle_count; i = end) {
        int64_t ns = 0;
        for (end = i; end < gpu->idle_count && gpu->idle[end].next == gpu->idle[i].next; end++)
            ns += tp_idle_waits_for_host(&gpu->idle[end]) ? gpu->idle[end].b - gpu->idle[end].a : 0;
        for (uint32_t k = i; k < end && ns >= min_ns; k++)
            if (tp_idle_waits_for_host(&gpu->idle[k]))
                *(uint32_t *)tp_vec_push(&found) = k;
    }
    return found;
}

/* For each line: sets `time` to the union of the line's intervals, and `ns` to the length of this union. */
static void merge_intervals_of_lines(struct host_code *code)
{
    struct tp_arena *arena = code->a->arena;
    size_t lines = code->lines.count, count = code->intervals.count;
    const struct code_interval *intervals = code->intervals.data;
    size_t *first = tp_arena_array(arena, lines + 2, sizeof *first);
    struct tp_interval *sorted = tp_arena_array(arena, count, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        first[intervals[i].line + 2]++;
    for (size_t i = 2; i < lines + 2; i++)
        first[i] += first[i - 1];
    for (size_t i = 0; i < count; i++)
        sorted[first[intervals[i].line + 1]++] = intervals[i].time;
    for (size_t i = 0; i < lines; i++) {
        struct code_line *line = TP_AT(&code->lines, struct code_line, i);
        line->time = tp_intervals_union(arena, sorted + first[i], first[i + 1] - first[i]);
        line->line.ns = tp_intervals_length(line->time);
    }
}

static void collect_code_of_all_gpus(struct host_code *code)
{
    struct tp_advisor *a = code->a;
    struct tp_stack_walk walk = {
        .model = a->model, .arena = a->arena, .visit = collect_code_of_segment, .context = code};
    for (code->gpu = 0; code->gpu < a->model->gpu_count && code->gpu < TP_IDLE_FLAME_DEVICES; code->gpu++) {
        const struct tp_gpu *gpu = &a->model->gpus[code->gpu];
        struct tp_vec found = find_long_gaps(a, gpu, code->min_gap_ns);
        if (found.count)
            tp_stack_walk_chosen_slices(&walk, gpu, found.data, (uint32_t)found.count);
        tp_arena_free_item(a->arena, found.data, found.capacity * sizeof(uint32_t));
    }
}

static uint8_t *find_launching_operators(struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    uint8_t *found = tp_arena_array(a->arena, model->trace->event_count, sizeof *found);
    for (uint32_t i = 0; i < model->launches.count; i++) {
        uint32_t op = model->launches.first_device_operation[i] == TP_NO_ID ? TP_NO_ID : model->launches.op[i];
        while (op != TP_NO_ID && model->operators.parent[op] != TP_NO_ID)
            op = model->operators.parent[op];
        if (op != TP_NO_ID)
            found[model->operators.event[op]] = true;
    }
    return found;
}

static void init_host_code(struct host_code *code, struct tp_advisor *a)
{
    *code = (struct host_code){.a = a};
    code->min_gap_ns = (int64_t)(tp_rule_value(a, TP_RULE_A13, "min_gap_us") * 1000);
    tp_id_map_init(&code->ids, a->arena);
    code->lines = TP_VEC(a->arena, struct code_line);
    code->intervals = TP_VEC(a->arena, struct code_interval);
}

/* Returns the lines with at least min_pct of the analysed time, longest first. Sets *time to the union of their
 * times. */
static struct tp_vec find_lines_in_time(struct host_code *code, struct tp_intervals *time)
{
    struct tp_advisor *a = code->a;
    struct tp_vec hits = TP_VEC(a->arena, struct tp_line_time), intervals = TP_VEC(a->arena, struct tp_interval);
    merge_intervals_of_lines(code);
    for (size_t i = 0; i < code->lines.count; i++) {
        const struct code_line *line = TP_AT(&code->lines, struct code_line, i);
        if (line->has_other_rule || tp_analysed_percent(a, line->line.ns) < tp_rule_value(a, TP_RULE_A13, "min_pct"))
            continue;
        *(struct tp_line_time *)tp_vec_push(&hits) = line->line;
        tp_intervals_append(&intervals, line->time);
    }
    tp_line_times_sort(a, hits.data, hits.count);
    *time = tp_intervals_from_vec(&intervals);
    return hits;
}

static struct tp_detail *make_step_lines_detail(struct tp_advisor *a, const struct tp_vec *hits)
{
    return tp_line_times_make_detail(a, hits->data, hits->count, (size_t)tp_rule_value(a, TP_RULE_A13, "max_lines"),
                                     TP_DETAIL_LINE_OF_STEP);
}

/* Stores the lines of slow calls in a->calling, which rule A1 adds to its detail. */
static void store_slow_call_lines(struct host_code *calling)
{
    struct tp_advisor *a = calling->a;
    struct tp_intervals time;
    struct tp_vec hits = find_lines_in_time(calling, &time);
    struct tp_detail *details = make_step_lines_detail(a, &hits);
    if (details)
        details->id = TP_DETAIL_SLOW_LINE;
    a->calling = details;
}

static void evaluate_host_code(struct tp_advisor *a)
{
    struct host_code code, calling;
    struct tp_candidate c = {.rule = TP_RULE_A13, .has_ceiling = true};
    init_host_code(&code, a);
    init_host_code(&calling, a);
    uint8_t *launching = find_launching_operators(a);
    code.calling = &calling;
    code.launching = launching;
    collect_code_of_all_gpus(&code);
    tp_arena_free_item(a->arena, launching, a->model->trace->event_count * sizeof *launching);
    store_slow_call_lines(&calling);
    struct tp_vec hits = find_lines_in_time(&code, &c.time);
    c.fix.host = c.time;
    if (!hits.count)
        return;
    for (size_t i = 0; i < hits.count; i++)
        tp_picks_append_event(&c.picks, TP_AT(&hits, struct tp_line_time, i)->event);
    c.details = make_step_lines_detail(a, &hits);
    c.title =
        TP_TITLE(TP_TITLE_HOST_CODE, TP_OF_TEXT(tp_fold_text(a->model, TP_AT(&hits, struct tp_line_time, 0)->fold)));
    if (tp_analysed_set_percent(a, tp_intervals_difference(a->arena, c.time, a->input)) >=
        tp_rule_value(a, TP_RULE_A13, "min_pct"))
        tp_advisor_add_and_claim_time(a, &c);
    else /* the input waits for this code, so the code is shown in the detail of the finding about the input */
        tp_advisor_set_details(a, a->reported[TP_RULE_B2] ? TP_RULE_B2 : TP_RULE_B1, c.details);
}
