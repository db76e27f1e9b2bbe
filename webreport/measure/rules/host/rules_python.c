/* Rule H6: Python code between operators of the main thread. The detail names the longest lines. */
#include "webreport/measure/rules/fitted_costs.h"
#include "webreport/measure/rules/host/rules_cpu.h"
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/model/main_thread.h"
#include "webreport/trace/frame.h"
#include "webreport/trace/regions.h"

static void evaluate_python(struct tp_advisor *a);

const struct tp_rule tp_rule_H6 = {
    .id = "H6",
    .title = "Move Python code out of the step, or compile the model",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 30.0, false},
                   {"frame_ns", TP_FITTED_FRAME_NS, true},
                   {"operator_ns", TP_FITTED_OPERATOR_NS, true},
                   {"shapes_ns", TP_FITTED_SHAPES_NS, true},
                   {"page_bytes", 4096, true},
                   {"python_times", TP_FITTED_PYTHON_TIMES, false},
                   {"memory_ns", TP_FITTED_MEMORY_NS, true},
                   {"pause_us", 500, true},
                   {"stretch_pct", 3.0, false}},
    .advice = "Move Python work out of the step, or compile the model. The profiler itself enlarges the share of "
              "Python code if stacks are recorded.",
    .doc_url = DOC_TUNE,
    .cause = "host.python",
    .gain = {.low = 0.75, .high = 1.0, .known = 1},
    .native = {.title = "Move the code between recorded calls out of the step",
               .advice = "Mark the code between recorded calls with ranges to see which code runs. Then move this code "
                         "out of the step or to other threads."},
    .serving = {.title = "Let the engine prepare the next step while the model runs",
                .advice = OVERLAP " The profiler itself enlarges the share of Python code if stacks are recorded."},
    .on_host = evaluate_python,
};

struct python_lines {
    const struct tp_advisor *a;
    struct tp_id_map ids;
    struct tp_vec lines; /* elements: struct tp_line_time */
};

static void collect_line(void *context, const struct tp_stack_segment *segment)
{
    struct python_lines *p = context;
    uint32_t *id = tp_id_map_find_or_add(&p->ids, tp_id_pair(segment->fold.kind, segment->fold.text));
    if (*id == TP_NO_ID) {
        *id = (uint32_t)p->lines.count;
        *(struct tp_line_time *)tp_vec_push(&p->lines) =
            (struct tp_line_time){.fold = segment->fold, .event = segment->event};
    }
    struct tp_line_time *line = TP_AT(&p->lines, struct tp_line_time, *id);
    struct tp_interval piece = {segment->a, segment->b};
    line->ns = tp_sat_add(line->ns, tp_set_without_recording_ns(p->a, (struct tp_intervals){&piece, 1}));
}

static struct tp_vec find_lines(struct tp_advisor *a, struct tp_intervals time)
{
    struct python_lines p = {.a = a};
    tp_id_map_init(&p.ids, a->arena);
    p.lines = TP_VEC(a->arena, struct tp_line_time);
    tp_walk_main_thread(a, time, collect_line, &p);
    tp_line_times_sort(a, p.lines.data, p.lines.count);
    return p.lines;
}

static bool is_users_line(const struct tp_model *model, const struct tp_line_time *line)
{
    return line->fold.kind == TP_STACK_LINE &&
           tp_frames_line_origin(&model->trace->frames, line->fold.text) == TP_ORIGIN_USER;
}

/* Returns the least part of Python time spread over the step that a fix removes: the share of the longest line of the
 * user's own code. Users of a library can hardly reduce the library's Python time. */
static double least_gain(const struct tp_advisor *a, const struct tp_vec *lines)
{
    int64_t all = 0, longest = 0;
    for (size_t i = 0; i < lines->count; i++) {
        const struct tp_line_time *line = TP_AT(lines, struct tp_line_time, i);
        all = tp_sat_add(all, line->ns);
        if (line->ns > longest && is_users_line(a->model, line))
            longest = line->ns;
    }
    return tp_rule_measured_gain(TP_RULE_H6).low * (double)longest / (double)tp_ns_max(1, all);
}

/* Returns the title with the line or annotation that takes the most time. Other code has no name of the user, and the
 * step cannot do without its optimizer. */
static struct tp_title title_of_longest_line(const struct tp_model *model, const struct tp_vec *lines)
{
    struct tp_fold fold = {.kind = TP_STACK_NONE};
    if (lines->count)
        fold = TP_AT(lines, struct tp_line_time, 0)->fold;
    struct tp_str text = fold.kind == TP_STACK_NONE ? TP_STR("") : tp_fold_text(model, fold);
    bool is_named = fold.kind == TP_STACK_LINE ||
                    (fold.kind == TP_STACK_ANNOTATION && !(tp_regions_by_name(text) & TP_REGION_OPTIMIZER));
    return TP_TITLE(TP_TITLE_PYTHON_CODE, TP_OF_TEXT(is_named ? text : TP_STR("")));
}

static void evaluate_python(struct tp_advisor *a)
{
    enum { SHOWN_LINES = 5 };
    /* percent; puts the finding last in its severity, because the possible gain is unknown */
    static const double UNKNOWN_GAIN_WEIGHT = 0.01;
    struct tp_candidate c = {.rule = TP_RULE_H6, .has_ceiling = true};
    if (tp_cpu_lacks_record(a, TP_RULE_H6))
        return;
    c.time = tp_cpu_subtract_claimed(a, tp_main_thread_unrecorded(a->model, a->cpu->loading, a->arena));
    c.time = tp_intervals_difference(a->arena, c.time, a->cpu->pauses);
    double least_percent = tp_rule_value(a, TP_RULE_H6, "min_pct");
    bool is_spread = tp_analysed_set_percent(a, c.time) >= least_percent;
    if (!a->cpu->count)
        return;
    if (!is_spread && !tp_cpu_find_long_function(a, c.time, tp_rule_value(a, TP_RULE_H6, "stretch_pct"), &c)) {
        is_spread = tp_cpu_pause_free_percent(a, c.time) >= least_percent;
        if (!is_spread)
            return;
    }
    struct tp_vec lines = find_lines(a, c.time);
    for (size_t i = 0; i < lines.count; i++) {
        struct tp_line_time *line = TP_AT(&lines, struct tp_line_time, i);
        if (line->event != TP_NO_ID)
            tp_picks_append_event(&c.picks, line->event);
    }
    /* lowers the confidence of Python time that is spread over the step: a trace without stacks cannot name a line, and
     * recording stacks slows Python */
    c.lower = is_spread ? 1 : 0;
    c.has_lower_bound = is_spread;
    c.low = least_gain(a, &lines);
    if (is_spread && c.low <= 0)
        c.weight = UNKNOWN_GAIN_WEIGHT;
    c.details = tp_line_times_make_detail(a, lines.data, lines.count, SHOWN_LINES, TP_DETAIL_LINE);
    c.title = title_of_longest_line(a->model, &lines);
    tp_advisor_add_finding(a, &c);
}
