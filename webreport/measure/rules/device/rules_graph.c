/* Rule A2: the same launches repeat in every step, so a captured graph could replay them. */
#include "webreport/measure/rules/rules_eval.h"
#include "webreport/measure/rules/rules_texts.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

static void evaluate_graph(struct tp_advisor *a);

const struct tp_rule tp_rule_A2 = {
    .id = "A2",
    .title = "Capture the launches that repeat in every step as a CUDA graph",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_steps", 2, true},
                   {"min_launches", 50, true},
                   {"min_equal_pct", 90.0, false},
                   {"max_p50_us", 50, true},
                   {"min_idle_pct", 10.0, false},
                   {"replay_us", 10, true}},
    .advice = "Capture the repeated launches as a graph and replay the graph. First remove waits, allocations and "
              "pageable copies from the captured code.",
    .doc_url = DOC_GRAPH,
    .cause = "launch.bound",
    .gain = {.low = 0.5, .high = 0.95, .right = 1, .known = 1},
    .native = {.title = "Capture the launches that repeat in every step as a graph"},
    .serving = {.title = "Let the engine replay captured graphs: its launches repeat in every step",
                .advice = "Let the engine replay captured graphs. " GRAPH_OPTIONS},
    .is_about_late_host = true,
    .is_slowed_by_recording = true,
    .on_device = evaluate_graph,
};

/* the kernels of every analysed step, in order of their launches */
struct sequences {
    uint32_t *devices, *first; /* the kernels of analysed step s are devices[first[s]] to devices[first[s + 1] - 1] */
    int64_t shortest, total, graph_count;
};

static int compare_by_launch(const void *x, const void *y, const void *context)
{
    const struct tp_model *model = context;
    uint32_t p = *(const uint32_t *)x, q = *(const uint32_t *)y;
    int64_t a = tp_launch_of_device(model, p)->ts_ns, b = tp_launch_of_device(model, q)->ts_ns;
    if (a != b)
        return a < b ? -1 : 1;
    uint32_t i = model->devices.event[p], j = model->devices.event[q];
    return i < j ? -1 : i > j;
}

/* Returns, for each step, the position of the step among the analysed steps; TP_NO_ID for a step that is not used. */
static uint32_t *find_positions_of_used_steps(const struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    uint32_t *numbers = tp_arena_array(a->arena, model->step_count, sizeof *numbers), next = 0;
    for (uint32_t i = 0; i < model->step_count; i++)
        numbers[i] = tp_step_is_used(&model->steps[i]) ? next++ : TP_NO_ID;
    return numbers;
}

static uint32_t used_step_of_device(const struct tp_model *model, const uint32_t *numbers, uint32_t device)
{
    uint32_t launch = model->devices.launch[device];
    uint32_t step = launch == TP_NO_ID ? TP_NO_ID : model->launches.step[launch];
    return step < model->step_count ? numbers[step] : TP_NO_ID;
}

static void list_sequences(struct tp_advisor *a, struct sequences *s)
{
    const struct tp_model *model = a->model;
    uint32_t steps = model->used_count, *numbers = find_positions_of_used_steps(a);
    s->first = tp_arena_array(a->arena, (size_t)steps + 2, sizeof *s->first);
    for (uint32_t k = 0; k < model->devices.count; k++) {
        uint32_t step = used_step_of_device(model, numbers, k);
        if (step == TP_NO_ID)
            continue;
        s->graph_count += tp_is_graph_launched(model, k);
        s->first[step + 2] += tp_device_event(model, k)->kind == TP_KIND_KERNEL;
    }
    s->shortest = INT64_MAX;
    for (uint32_t i = 0; i < steps; i++) {
        s->shortest = tp_ns_min(s->shortest, s->first[i + 2]);
        s->first[i + 2] += s->first[i + 1];
    }
    s->total = s->first[steps + 1];
    s->devices = tp_arena_array(a->arena, (size_t)s->total, sizeof *s->devices);
    for (uint32_t k = 0; k < model->devices.count; k++) {
        uint32_t step = used_step_of_device(model, numbers, k);
        if (step != TP_NO_ID && tp_device_event(model, k)->kind == TP_KIND_KERNEL)
            s->devices[s->first[step + 1]++] = k;
    }
}

static bool is_equal_kernel(const struct tp_model *model, uint32_t x, uint32_t y)
{
    const struct tp_device_setup *p = tp_device_operation_setup(model, x), *q = tp_device_operation_setup(model, y);
    return tp_device_event(model, x)->name == tp_device_event(model, y)->name && p->grid == q->grid &&
           p->block == q->block;
}

/* Compares each analysed step with the next analysed step. Returns the lowest percentage of positions at which both
 * steps have the same kernel. */
static double smallest_equal_share(struct tp_advisor *a, const struct sequences *s)
{
    const struct tp_model *model = a->model;
    double least = INFINITY;
    for (uint32_t i = 0; i < model->used_count; i++)
        tp_merge_sort(a->arena, s->devices + s->first[i], s->first[i + 1] - s->first[i], sizeof *s->devices,
                      compare_by_launch, model);
    for (uint32_t i = 0; i + 1 < model->used_count; i++) {
        const uint32_t *p = s->devices + s->first[i], *q = s->devices + s->first[i + 1];
        int64_t n = s->first[i + 1] - s->first[i], m = s->first[i + 2] - s->first[i + 1], equal = 0;
        for (int64_t k = 0; k < n && k < m; k++)
            equal += is_equal_kernel(model, p[k], q[k]);
        least = fmin(least, tp_percent(equal, tp_ns_max(n, m)));
    }
    return least;
}

static int64_t median_duration(struct tp_advisor *a, const struct sequences *s)
{
    int64_t *durations = tp_arena_array(a->arena, (size_t)s->total, sizeof *durations);
    for (int64_t i = 0; i < s->total; i++)
        durations[i] = tp_device_event(a->model, s->devices[i])->dur_ns;
    int64_t median = tp_lower_median(durations, (size_t)s->total);
    tp_arena_free_item(a->arena, durations, (size_t)s->total * sizeof *durations);
    return median;
}

/* Adds evidence: the calls that a captured graph must not contain, such as waits, allocator calls, and pageable
 * copies. */
static void add_graph_blockers_as_evidence(struct tp_advisor *a, struct tp_picks *picks)
{
    const struct tp_model *model = a->model;
    for (uint32_t i = 0; i < model->wait_count; i++) {
        uint32_t event = model->waits[i].event;
        if (tp_event_is_in_window(a, event))
            tp_picks_append_event(picks, event);
    }
    for (size_t i = 0; i < a->allocators.count; i++)
        tp_picks_append_event(picks, *TP_AT(&a->allocators, uint32_t, i));
    for (size_t i = 0; i < a->copies.count; i++) {
        uint32_t k = *TP_AT(&a->copies, uint32_t, i);
        if (tp_event_marks(model, model->devices.event[k]) & TP_MARK_PAGEABLE && model->devices.launch[k] != TP_NO_ID)
            tp_picks_append_operation(picks, model, k);
    }
}

/* Returns a detail on the number of calls that a captured graph must not contain; NULL if none exist. */
static struct tp_detail *make_graph_blockers_detail(struct tp_advisor *a, int64_t blockers)
{
    return blockers ? TP_DETAIL(a, TP_DETAIL_BLOCKERS, TP_OF_NUMBER(blockers), TP_OF_NUMBER(a->model->used_count))
                    : NULL;
}

static bool is_program_fit_for_graph(struct tp_advisor *a, struct sequences *s)
{
    if (!a->model->launches.step ||
        tp_analysed_percent(a, tp_intervals_length(a->model->starved)) < tp_rule_value(a, TP_RULE_A2, "min_idle_pct"))
        return false;
    list_sequences(a, s);
    if ((double)s->shortest < tp_rule_value(a, TP_RULE_A2, "min_launches") || 2 * s->graph_count >= s->total ||
        (double)median_duration(a, s) >= tp_rule_value(a, TP_RULE_A2, "max_p50_us") * 1000)
        return false;
    return a->model->used_count < 2 || smallest_equal_share(a, s) >= tp_rule_value(a, TP_RULE_A2, "min_equal_pct");
}

static void evaluate_graph(struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    struct sequences s = {0};
    if (model->step_marker == TP_MARKER_WINDOW ||
        (double)model->used_count < fmax(2, tp_rule_value(a, TP_RULE_A2, "min_steps"))) {
        tp_advisor_note_skipped_rule(a, TP_RULE_A2, "the trace has fewer than two usable steps");
        return;
    }
    if (!is_program_fit_for_graph(a, &s))
        return;
    struct tp_candidate c = {.rule = TP_RULE_A2, .has_ceiling = true};
    add_graph_blockers_as_evidence(a, &c.picks);
    int64_t blockers = c.picks.total;
    for (uint32_t i = 0; i < model->step_count && !blockers; i++)
        if (tp_step_is_used(&model->steps[i]))
            tp_picks_append_event(&c.picks, model->steps[i].event);
    int64_t replay = (int64_t)(tp_rule_value(a, TP_RULE_A2, "replay_us") * 1000);
    int64_t want = tp_sat_sub(tp_intervals_length(a->rest), tp_sat_mul(model->used_count, replay));
    c.time = tp_intervals_prefix(a->arena, a->rest, tp_ns_max(0, want));
    c.lower = blockers ? 1 : 0;
    c.fix.kept = tp_intervals_from_vec(&a->claimed);
    c.fix.spares_host = true;
    c.fix.host = c.time;
    c.title = TP_TITLE(TP_TITLE_REPEATED_LAUNCHES, TP_OF_NUMBER(s.shortest));
    c.details = TP_DETAIL(a, TP_DETAIL_GRAPH, TP_OF_NUMBER(s.shortest), TP_OF_NUMBER(blockers));
    if (a->reported[TP_RULE_A1]) /* rule A1 has already reported this time and cause, so no second finding is added */
        tp_advisor_set_details(a, TP_RULE_A1,
                               tp_detail_join(a->arena, TP_DETAIL(a, TP_DETAIL_REPLAY, TP_OF_NUMBER(s.shortest)),
                                              make_graph_blockers_detail(a, blockers)));
    else
        tp_advisor_add_finding(a, &c);
}
