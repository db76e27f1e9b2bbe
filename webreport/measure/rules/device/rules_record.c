/* Rules about the recording itself, for programs with a device: missing records (R1), too little work for findings
 * (R2), first use of the device (R3), edge of the recording (R4). Also rule C14: a device for which no host time can be
 * saved.
 *
 * Rule R2 also reports a recording that consists mostly of capturing device graphs, because this is not the program's
 * usual work. The rules in this file run first, because they determine the analysed time of the other rules, and which
 * rules run. */
#include "webreport/measure/idle/idle_reasons.h"
#include "webreport/measure/rules/rules_eval.h"
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/measure/verdict/captures.h"
#include "webreport/trace/regions.h"
#include "writer/text/format.h"

static void evaluate_record(struct tp_advisor *a);
static void evaluate_no_device(struct tp_advisor *a);

const struct tp_rule tp_rule_R1 = {
    .id = "R1",
    .title = "Find out why the recording lacks device work",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_queue_pct", 30.0, false}},
    .advice =
        "Find out why the recording lacks device work. The report cannot explain time in which this work is missing.",
    .doc_url = DOC_PROFILER,
    .cause = "capture.no_device",
    .gain = {.right = 3, .known = 3},
    /* reports R1 for programs without device work; evaluate_record reports R1 for programs with a device */
    .always = evaluate_no_device,
};

const struct tp_rule tp_rule_R2 = {
    .id = "R2",
    .title = "Record several steps after a warm-up: `schedule(wait=1, warmup=3, active=5)`",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"max_operations", 20, true}, {"max_busy_pct", 50.0, false}},
    .advice = "Record several steps after a warm-up, for example with schedule(wait=1, warmup=3, active=5).",
    .doc_url = DOC_PROFILER,
    .cause = "capture.too_short",
    .gain = {.right = 3, .known = 4},
    .native = {.title = "Record several steps after a warm-up", .advice = "Record several steps after a warm-up."},
    .serving = {.title = "Record the engine under steady load, after requests of all sizes",
                .advice = "Record the engine under steady load, after it has served requests of all sizes. In vLLM or "
                          "SGLang, call start_profile and stop_profile while the engine runs."},
    .on_device = evaluate_record,
};

const struct tp_rule tp_rule_R3 = {
    .id = "R3",
    .title = "Warm up before you record: `schedule(wait=1, warmup=3, active=5)`",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 10.0, false}, {"min_gap_pct", 50.0, false}},
    .advice = "Warm up before the recording, for example with schedule(wait=1, warmup=3, active=5), and look only at "
              "the later steps.",
    .doc_url = DOC_PROFILER,
    .cause = "startup.first_use",
    .gain = {.right = 1, .known = 1},
    .native = {.title = "Warm up before you record",
               .advice = "Warm up before the recording, and look only at the later steps."},
    .serving = {.title = "Send requests of all sizes before you record",
                .advice = "Send requests of all sizes before the recording (vLLM, SGLang: call start_profile after "
                          "these requests)."},
    .on_device = evaluate_record,
};

const struct tp_rule tp_rule_R4 = {
    .id = "R4",
    .title = "Record more steps: the device's state is unknown at the edge",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 1.0, false}, {"much_pct", 20.0, false}},
    .advice = "Record more steps, so that the time of unknown state is a smaller part of the recording.",
    .doc_url = DOC_PROFILER,
    .cause = "capture.edge",
    .gain = {.right = 2, .known = 4},
    .on_device = evaluate_record,
};

const struct tp_rule tp_rule_C14 = {
    .id = "C14",
    .title = "Speed up the GPU's own work: faster CPU code would save little",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 75.0, false}},
    .advice = "Use fewer or cheaper operations, a smaller data type, or faster kernels.",
    .doc_url = DOC_TUNE,
    .cause = "compute.bound",
    .gain = {.right = 3, .known = 5},
    .native = {.title = "Speed up the device's own work: faster host code would save little"},
    .on_device = evaluate_record,
};

static const int64_t LONG_GAP_NS = 1000000, HUGE_GAP_NS = 100000000;

/* idle gaps of all devices, with the total time of each kind of gap */
struct record {
    struct tp_advisor *a;
    /* gpu_count: number of devices, without devices that the program itself registered; all_ns: length of the window of
     * analysed steps times gpu_count, ns */
    int64_t gpu_count, all_ns;
    int64_t unexplained_ns, queue_gaps_ns, blocked_ns;
    int64_t waited_ns;    /* total time of gaps in which the host waits for a device, ns */
    int64_t huge_gaps_ns; /* total time of gaps of more than 100 ms in which a device waits for the host, ns */
    int64_t busy_ns;
    /* time in which devices wait while the program sets up things that it needs only once, ns */
    int64_t setup_ns;
    /* evidence. setup: calls that set things up; unexplained: operations that follow unexplained time */
    struct tp_picks setup, unexplained;
    struct tp_vec short_time; /* busy times of all devices, and gaps below 1 ms; elements: struct tp_interval */
    /* time of the current device that the recording does not explain; elements: struct tp_interval */
    struct tp_vec unexplained_time;
    /* the part of the window of analysed steps that the recording explains for at least one device */
    struct tp_intervals explained;
};

static double percentage_of_total(int64_t ns, int64_t all)
{
    return all ? 100.0 * (double)ns / (double)all : 0;
}

static void add_reason(void *context, enum tp_idle_reason reason, const struct tp_idle_slice *piece, int64_t ns)
{
    struct record *r = context;
    if (reason == TP_IDLE_BY_HOST && ns > HUGE_GAP_NS)
        r->huge_gaps_ns = tp_sat_add(r->huge_gaps_ns, ns);
    if ((reason == TP_IDLE_BY_QUEUE || reason == TP_IDLE_BY_GRAPH) && ns > LONG_GAP_NS)
        r->queue_gaps_ns = tp_sat_add(r->queue_gaps_ns, ns);
    if (reason == TP_IDLE_BY_UNKNOWN && piece->next != TP_NO_ID && tp_launch_of_device(r->a->model, piece->next))
        r->waited_ns = tp_sat_add(r->waited_ns, ns);
    bool is_unexplained =
        reason == TP_IDLE_BY_EARLIER_WORK || reason == TP_IDLE_BY_EARLIER_WORK_LAUNCH || reason == TP_IDLE_BY_EDGE;
    if (is_unexplained) /* the unexplained time is the last part of the idle interval */
        tp_intervals_push(&r->unexplained_time, piece->b - ns, piece->b);
    if (is_unexplained && piece->next != TP_NO_ID) {
        struct tp_pick pick = tp_pick_of_operation(r->a->model, piece->next);
        pick.weight = ns;
        tp_picks_add_by_weight(&r->unexplained, pick);
    }
    if (reason == TP_IDLE_BY_BLOCKED_CALL) {
        uint32_t call = r->a->model->launches.event[r->a->model->devices.launch[piece->next]];
        bool is_launch = tp_call_use_by_name(tp_trace_event_name(r->a->model->trace,
                                                                 &r->a->model->trace->events[call])) == TP_CALL_LAUNCH;
        r->blocked_ns = tp_sat_add(r->blocked_ns, is_launch ? ns : 0);
        if (is_launch)
            tp_picks_add_by_length(&r->setup, r->a->model, call);
    }
}

static void add_short_gaps(struct record *r, const struct tp_gpu *gpu)
{
    for (uint32_t first = 0, end; first < gpu->idle_count; first = end) {
        end = first + 1;
        while (end < gpu->idle_count && gpu->idle[end].a == gpu->idle[end - 1].b)
            end++;
        int64_t ns = tp_sat_sub(gpu->idle[end - 1].b, gpu->idle[first].a);
        if (ns < LONG_GAP_NS)
            tp_intervals_push(&r->short_time, gpu->idle[first].a, gpu->idle[end - 1].b);
    }
}

static void measure_gaps_of_devices(struct record *r)
{
    const struct tp_model *model = r->a->model;
    struct tp_intervals window = model->window;
    struct tp_vec explained = TP_VEC(r->a->arena, struct tp_interval);
    r->short_time = TP_VEC(r->a->arena, struct tp_interval);
    for (uint32_t g = 0; g < model->gpu_count; g++) {
        struct tp_idle_reasons found;
        if (model->gpus[g].is_own)
            continue;
        r->gpu_count++;
        r->unexplained_time = TP_VEC(r->a->arena, struct tp_interval);
        tp_idle_reasons_find(&found, model, &model->gpus[g], r->a->arena, add_reason, r);
        r->all_ns = tp_sat_add(r->all_ns, model->window_ns);
        r->unexplained_ns = tp_sat_add(r->unexplained_ns, tp_idle_outside_program_ns(&found));
        r->busy_ns = tp_sat_add(r->busy_ns, tp_intervals_intersection_length(model->gpus[g].busy, window));
        add_short_gaps(r, &model->gpus[g]);
        tp_intervals_append(&r->short_time, model->gpus[g].busy);
        tp_intervals_append(&explained,
                            tp_intervals_difference(r->a->arena, window, tp_intervals_from_vec(&r->unexplained_time)));
    }
    r->explained = tp_intervals_from_vec(&explained);
}

/* Restricts the analysed time to `time`. is_whole: true if the shares of findings then refer to the restricted time,
 * false if they refer to the same time as before. */
static void restrict_analysed_time(struct tp_advisor *a, struct tp_intervals time, bool is_whole)
{
    a->judged = tp_intervals_intersection(a->arena, time, a->judged);
    if (is_whole)
        a->judged_ns = tp_ns_max(1, tp_intervals_length(a->judged));
}

/* Finds calls that allocate memory, load code or set up things while a device waits for the host. */
static void find_setup_calls_during_gaps(struct record *r)
{
    struct tp_advisor *a = r->a;
    const struct tp_model *model = a->model;
    /* for each name id: 1 + enum tp_call_use; 0: not known yet */
    uint8_t *uses = tp_arena_array(a->arena, model->trace->names.count, 1);
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    for (uint32_t i = 0; i < model->launches.count; i++) {
        const struct tp_event *call = tp_launch_event(model, i);
        uint8_t *use = &uses[call->name];
        if (!*use)
            *use = (uint8_t)(tp_call_use_by_name(tp_trace_event_name(model->trace, call)) + 1);
        if (*use != TP_CALL_ALLOCATE + 1 && *use != TP_CALL_SET_UP + 1)
            continue;
        tp_intervals_push(&time, call->ts_ns, tp_event_end(call));
        if (tp_event_is_in_window(a, model->launches.event[i]))
            tp_picks_add_by_length(&r->setup, model, model->launches.event[i]);
    }
    struct tp_intervals waits = tp_intervals_intersection(a->arena, tp_intervals_from_vec(&time), model->starved);
    r->setup_ns = tp_sat_add(tp_intervals_length(waits), r->blocked_ns);
    tp_arena_free_item(a->arena, uses, model->trace->names.count);
}

/* Records why more than half of the window of analysed steps cannot be analysed. Keeps an earlier reason. ns: part of
 * this window to which the reason applies. */
static void store_reason_of_unanalysed_time(struct tp_advisor *a, enum tp_unjudged_reason reason, int64_t ns,
                                            const struct tp_detail *details)
{
    if (a->unjudged.reason == TP_UNJUDGED_NOTHING && ns > a->model->window_ns - ns)
        a->unjudged = (struct tp_unjudged){reason, ns, details};
}

static void report_recording_finding(struct record *r, enum tp_rule_id rule, bool is_first,
                                     const struct tp_picks *picks, const struct tp_detail *details)
{
    struct tp_candidate c = {.rule = rule, .is_forced = true, .severity = TP_SEVERITY_INFO, .share = NAN};
    c.is_first = is_first;
    c.details = details;
    if (picks)
        c.picks = *picks;
    tp_advisor_add_finding(r->a, &c);
}

/* Marks the rules about a host that launches too late as not evaluated. */
static void skip_rules_about_late_host(struct tp_advisor *a, const char *reason)
{
    for (unsigned i = 0; i < TP_RULE_COUNT; i++)
        if (tp_rule_at(i)->is_about_late_host) {
            a->is_left_out[i] = true;
            tp_advisor_note_skipped_rule(a, (enum tp_rule_id)i, reason);
        }
}

/* ---- R2: a capture, or too little work ---- */

/* Disables all rules except R2 and the rules about memory. */
static void disable_rules_except_memory(struct tp_advisor *a)
{
    for (unsigned i = 0; i < TP_RULE_COUNT; i++)
        a->is_left_out[i] |= i != TP_RULE_R2 && !tp_rule_at(i)->is_about_memory;
}

/* Removes captures of device graphs from the analysed time. Returns whether the remaining time is too short for
 * findings. */
static bool remove_captures_and_test_rest(struct record *r)
{
    struct tp_advisor *a = r->a;
    const struct tp_model *model = a->model;
    struct tp_intervals captures =
        tp_intervals_intersection(a->arena, tp_captures_find(model, a->arena), model->window);
    struct tp_intervals idle = tp_intervals_difference(a->arena, captures, model->device_busy);
    if (!idle.count)
        return false;
    restrict_analysed_time(a, tp_intervals_difference(a->arena, model->window, idle), true);
    struct tp_detail *details = TP_DETAIL(
        a, TP_DETAIL_CAPTURE, TP_OF_PERCENT(percentage_of_total(tp_intervals_length(idle), model->window_ns)));
    store_reason_of_unanalysed_time(a, TP_UNJUDGED_CAPTURE, tp_intervals_length(idle), details);
    if (a->unjudged.reason != TP_UNJUDGED_CAPTURE)
        return false;
    disable_rules_except_memory(a);
    struct tp_candidate c = {
        .rule = TP_RULE_R2, .is_forced = true, .is_first = true, .severity = TP_SEVERITY_INFO, .share = NAN};
    c.details = details;
    c.title = TP_TITLE(TP_TITLE_RECORDED_CAPTURE, TP_NO_ARGUMENT);
    c.advice = "Record the replay of the graphs: capture them before the recording begins, then record some replays.";
    tp_advisor_add_finding(a, &c);
    return true;
}

/* Returns whether the recording consists of one step with few operations and a mostly idle device. Such a recording
 * does not show the program's usual work on the host. */
static bool is_recording_too_short(struct record *r)
{
    struct tp_advisor *a = r->a;
    if (a->model->used_count > 1 || (double)a->operation_count > tp_rule_value(a, TP_RULE_R2, "max_operations") ||
        percentage_of_total(r->busy_ns, r->all_ns) >= tp_rule_value(a, TP_RULE_R2, "max_busy_pct"))
        return false;
    disable_rules_except_memory(a);
    struct tp_picks longest = {.total = 0};
    uint32_t k;
    for (struct tp_operations w = {.a = a}; tp_next_operation(&w, &k);)
        tp_picks_add_operation_by_length(&longest, a->model, k);
    struct tp_detail *details =
        TP_DETAIL(a, TP_DETAIL_LITTLE, TP_OF_NUMBER(a->operation_count), TP_OF_NS(a->model->window_ns),
                  TP_OF_PERCENT(percentage_of_total(r->busy_ns, r->all_ns)));
    report_recording_finding(r, TP_RULE_R2, true, &longest, details);
    store_reason_of_unanalysed_time(a, TP_UNJUDGED_TOO_LITTLE_WORK, a->model->window_ns, details);
    return true;
}

/* ---- R3: first use ---- */

static bool is_parameter(struct tp_str name)
{
    return tp_str_starts(name, "[param|");
}

/* Returns whether nearly all set-up work is in the first step. Work that occurs in every step is not a first use. */
static bool is_first_use_in_first_step(const struct record *r)
{
    const struct tp_model *model = r->a->model;
    uint32_t first = 0;
    while (first < model->step_count && !tp_step_is_used(&model->steps[first]))
        first++;
    if (model->used_count < 2)
        return true;
    for (unsigned i = 0; i < r->setup.kept; i++)
        if (model->trace->events[r->setup.items[i].event].ts_ns >= model->steps[first].end_ns)
            return false;
    return true;
}

static void examine_first_use(struct record *r)
{
    struct tp_advisor *a = r->a;
    double setup = percentage_of_total(r->setup_ns, a->model->window_ns),
           huge = percentage_of_total(r->huge_gaps_ns, r->all_ns);
    bool is_first = setup > tp_rule_value(a, TP_RULE_R3, "min_pct") && is_first_use_in_first_step(r);
    if (!is_first && !(huge > tp_rule_value(a, TP_RULE_R3, "min_gap_pct") && tp_has_annotation(a->model, is_parameter)))
        return;
    restrict_analysed_time(a, tp_intervals_from_vec_temporary(&r->short_time), true);
    skip_rules_about_late_host(a, "the recording contains the first use of the device");
    report_recording_finding(r, TP_RULE_R3, true, &r->setup,
                             TP_DETAIL(a, is_first ? TP_DETAIL_FIRST_USE : TP_DETAIL_HUGE_GAPS,
                                       TP_OF_NS(is_first ? r->setup_ns : r->huge_gaps_ns), TP_OF_NS(a->judged_ns)));
    store_reason_of_unanalysed_time(a, TP_UNJUDGED_FIRST_USE, tp_sat_sub(a->model->window_ns, a->judged_ns), NULL);
}

/* ---- R4: edge of the recording; R1: idle time that no recorded event explains ---- */

/* Returns the time from the end of the first operation's launch to the start of this operation, ns; 0 if the
 * recording has steps. */
static int64_t delay_of_first_operation_ns(const struct tp_advisor *a)
{
    const struct tp_event *launch = a->operation_count ? tp_launch_of_device(a->model, a->ranges[0].first) : NULL;
    if (!launch || a->model->step_marker != TP_MARKER_WINDOW)
        return 0;
    return tp_sat_sub(tp_device_event(a->model, a->ranges[0].first)->ts_ns, tp_event_end(launch));
}

static void examine_recording_edge(struct record *r)
{
    struct tp_advisor *a = r->a;
    int64_t lead = delay_of_first_operation_ns(a);
    double unexplained = percentage_of_total(r->unexplained_ns, r->all_ns),
           queue = percentage_of_total(r->queue_gaps_ns, r->all_ns);
    if (unexplained >= tp_rule_value(a, TP_RULE_R4, "min_pct")) {
        bool is_much = unexplained > tp_rule_value(a, TP_RULE_R4, "much_pct");
        int64_t left_ns = tp_intervals_intersection_length(r->explained, a->model->window);
        store_reason_of_unanalysed_time(a, TP_UNJUDGED_EDGE, tp_sat_sub(a->model->window_ns, left_ns), NULL);
        restrict_analysed_time(a, r->explained, is_much && !a->reported[TP_RULE_R3]);
        struct tp_detail *details = TP_DETAIL(a, TP_DETAIL_EDGE, TP_OF_PERCENT(unexplained));
        if (is_much)
            details->next = TP_DETAIL(a, TP_DETAIL_EDGE_REST, TP_NO_ARGUMENT);
        report_recording_finding(r, TP_RULE_R4, false, &r->unexplained, details);
    } else if (lead > LONG_GAP_NS &&
               percentage_of_total(lead, a->model->window_ns) > tp_rule_value(a, TP_RULE_R4, "much_pct")) {
        report_recording_finding(r, TP_RULE_R4, false, NULL, TP_DETAIL(a, TP_DETAIL_LEAD, TP_OF_NS(lead)));
    }
    if (queue >= tp_rule_value(a, TP_RULE_R1, "min_queue_pct")) {
        struct tp_candidate c = {.rule = TP_RULE_R1, .is_forced = true, .severity = TP_SEVERITY_INFO, .share = NAN};
        c.details = TP_DETAIL(a, TP_DETAIL_QUEUE, TP_OF_PERCENT(queue), TP_OF_NUMBER(a->operation_count));
        tp_advisor_add_finding(a, &c);
    }
}

/* ---- C14: no gain possible on the host ---- */

static void examine_busy_time(struct record *r)
{
    struct tp_advisor *a = r->a;
    const struct tp_model *model = a->model;
    int64_t sums[TP_WORK_COUNT] = {0}, compute = 0, most = 0;
    unsigned kind = 0;
    uint32_t k;
    struct tp_candidate c = {.rule = TP_RULE_C14, .is_forced = true, .severity = TP_SEVERITY_INFO, .share = NAN};
    for (uint32_t g = 0; g < model->gpu_count; g++)
        if (!model->gpus[g].is_own)
            compute = tp_sat_add(compute, tp_intervals_intersection_length(model->gpus[g].compute, model->window));
    double share = percentage_of_total(compute / r->gpu_count, a->judged_ns);
    if (!(share > tp_rule_value(a, TP_RULE_C14, "min_pct")))
        return;
    for (struct tp_operations w = {.a = a}; tp_next_kernel(&w, &k);)
        sums[a->kinds->of_device[k]] = tp_sat_add(sums[a->kinds->of_device[k]], tp_device_event(model, k)->dur_ns);
    for (unsigned i = 0; i < TP_WORK_COUNT; i++)
        if (sums[i] > most) {
            most = sums[i];
            kind = i;
        }
    for (struct tp_operations w = {.a = a}; tp_next_kernel(&w, &k);)
        if (a->kinds->of_device[k] == kind)
            tp_picks_add_operation_by_length(&c.picks, model, k);
    c.details =
        TP_DETAIL(a, TP_DETAIL_BUSY, TP_OF_PERCENT(share), TP_OF_PERCENT(percentage_of_total(most, a->kernel_ns)),
                  TP_OF_TEXT(tp_str_of(tp_work_title((enum tp_work)kind))));
    tp_advisor_add_finding(a, &c);
}

/* Reports idle time in which the host waits for a device that has no records. Kernels were lost, or are of a kind that
 * is not recorded. */
static void report_waits_without_records(struct record *r)
{
    struct tp_advisor *a = r->a;
    double waited = percentage_of_total(r->waited_ns, r->all_ns);
    if (waited < tp_rule_value(a, TP_RULE_R1, "min_queue_pct"))
        return;
    report_recording_finding(r, TP_RULE_R1, true, NULL, TP_DETAIL(a, TP_DETAIL_WAITS, TP_OF_PERCENT(waited)));
}

static void evaluate_record(struct tp_advisor *a)
{
    struct record r = {.a = a};
    measure_gaps_of_devices(&r);
    if (!r.gpu_count)
        return;
    if (remove_captures_and_test_rest(&r) || is_recording_too_short(&r))
        return;
    find_setup_calls_during_gaps(&r);
    examine_first_use(&r);
    examine_recording_edge(&r);
    report_waits_without_records(&r);
    examine_busy_time(&r);
    tp_intervals_release(&r.short_time);
}

/* ---- R1 for programs without device work ---- */

static void evaluate_no_device(struct tp_advisor *a)
{
    bool is_other = a->model->program == TP_RECORDED_OTHER_DEVICE;
    struct tp_candidate c = {.rule = TP_RULE_R1, .is_forced = true, .severity = TP_SEVERITY_INFO, .share = NAN};
    if (!is_other && a->model->program != TP_RECORDED_DEVICE_MISSING)
        return;
    c.is_first = true;
    c.details = TP_DETAIL(a, is_other ? TP_DETAIL_OTHER_DEVICE : TP_DETAIL_DEVICE_MISSING, TP_NO_ARGUMENT);
    tp_advisor_add_finding(a, &c);
}
