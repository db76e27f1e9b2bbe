/* Implements verdict.h: computes the verdict. headline.c chooses the headline. */
#include "webreport/measure/verdict/verdict.h"

#include <math.h>

#include "webreport/measure/verdict/cause_times.h"
#include "webreport/measure/verdict/verdict_parts.h"
#include "webreport/measure/views/fold_times.h"
#include "webreport/model/device_rows.h"
#include "webreport/model/main_thread.h"
#include "webreport/model/numbers.h"

/* least share of a cause that determines the class, percent of the step time */
static const double CAUSE_PERCENT = 20;
/* least share of compute with which the device is the limit if no cause has CAUSE_PERCENT, percent of the step time */
static const double MOST_PERCENT = 50;
/* least length of one gap with which the steps are not typical, percent of the step time */
static const double STALL_PERCENT = 50;
/* a collective that waits at least this long after its call waits for more than the usual delay, ns */
enum { LONG_START_NS = 1000000 };

const char *tp_verdict_class_text(enum tp_verdict_class verdict_class)
{
    static const char *const texts[TP_CLASS_COUNT] = {
        [TP_CLASS_COMPUTE_BOUND] = "compute-bound",
        [TP_CLASS_BALANCED] = "balanced",
        [TP_CLASS_NOT_SHOWN] = "not-shown",
        [TP_CLASS_STALL] = "stall",
        [TP_CLASS_COMMUNICATION_BOUND] = "communication-bound",
        [TP_CLASS_COPY_BOUND] = "copy-bound",
        [TP_CLASS_INPUT_BOUND] = "input-bound",
        [TP_CLASS_SYNC_BOUND] = "sync-bound",
        [TP_CLASS_LAUNCH_BOUND] = "launch-bound",
        [TP_CLASS_CPU] = "cpu",
        [TP_CLASS_DEVICE_MISSING] = "device-missing",
        [TP_CLASS_OTHER_DEVICE] = "other-device",
        [TP_CLASS_SAMPLES] = "samples",
        [TP_CLASS_EMPTY] = "empty",
        [TP_CLASS_TOO_LITTLE] = "too-little",
        [TP_CLASS_CAPTURE] = "graph-capture",
        [TP_CLASS_FIRST_USE] = "first-use",
        [TP_CLASS_PROGRAM + TP_PROGRAM_TOO_SHORT] = "too-short",
        [TP_CLASS_PROGRAM + TP_PROGRAM_IDLE] = "idle-server",
        [TP_CLASS_PROGRAM + TP_PROGRAM_WAITS_FOR_CPU] = "waits-for-cpu",
        [TP_CLASS_PROGRAM + TP_PROGRAM_WAITS_FOR_DISK] = "waits-for-disk",
        [TP_CLASS_PROGRAM + TP_PROGRAM_WAITS_FOR_SOCKET] = "waits-for-socket",
        [TP_CLASS_PROGRAM + TP_PROGRAM_WAITS_FOR_TERMINAL] = "waits-for-terminal",
        [TP_CLASS_PROGRAM + TP_PROGRAM_SLEEPS] = "sleeps",
        [TP_CLASS_PROGRAM + TP_PROGRAM_WAITS_FOR_LOCK] = "waits-for-lock",
        [TP_CLASS_PROGRAM + TP_PROGRAM_CPU_BOUND] = "cpu-bound",
        [TP_CLASS_PROGRAM + TP_PROGRAM_MIXED] = "mixed",
    };
    return texts[verdict_class];
}

const char *tp_time_cause_text(enum tp_time_cause cause)
{
    static const char *const texts[TP_TIME_COUNT] = {
        [TP_TIME_COMPUTE] = "compute", [TP_TIME_COMMUNICATION] = "communication",
        [TP_TIME_COPY] = "copy",       [TP_TIME_INPUT] = "input",
        [TP_TIME_SYNC] = "sync",       [TP_TIME_LAUNCH] = "launch",
        [TP_TIME_QUEUE] = "queue",     [TP_TIME_OUTSIDE] = "outside",
        [TP_TIME_UNKNOWN] = "unknown", [TP_TIME_OPERATORS] = "operators",
        [TP_TIME_BETWEEN] = "between",
    };
    return texts[cause];
}

/* ---- a device ---- */

static int64_t idle_ns(const struct tp_gpu *gpu)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < gpu->idle_count; i++)
        sum = tp_sat_add(sum, tp_sat_sub(gpu->idle[i].b, gpu->idle[i].a));
    return sum;
}

/* Returns the device with the most busy time in the analysed steps; of equal devices, the first. */
static const struct tp_gpu *find_busiest_gpu(const struct tp_model *model)
{
    const struct tp_gpu *best = &model->gpus[0];
    int64_t least = idle_ns(best);
    for (uint32_t g = 1; g < model->gpu_count; g++) {
        int64_t ns = idle_ns(&model->gpus[g]);
        if (ns < least) {
            least = ns;
            best = &model->gpus[g];
        }
    }
    return best;
}

/* Returns the idle time before collectives that start at least LONG_START_NS after their call, ns. Such a collective
 * waits for other ranks or for earlier communication. A shorter delay is usual. */
static int64_t awaited_communication(const struct tp_model *model, const struct tp_gpu *gpu)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < gpu->idle_count; i++) {
        const struct tp_idle_slice *piece = &gpu->idle[i];
        int64_t ns = tp_sat_sub(piece->b, piece->a);
        if (piece->part == TP_IDLE_QUEUE && ns >= LONG_START_NS && piece->next != TP_NO_ID &&
            tp_is_communication(model, piece->next))
            sum = tp_sat_add(sum, ns);
    }
    return sum;
}

/* Returns the idle time in which the host waits for the device although the device runs nothing, ns. The trace lacks
 * the operation that the host waits for. Counts only gaps before operations with a known launch. */
static int64_t measure_wait_for_unrecorded_work(const struct tp_model *model, const struct tp_gpu *gpu)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < gpu->idle_count; i++) {
        const struct tp_idle_slice *piece = &gpu->idle[i];
        if (piece->part == TP_IDLE_UNKNOWN && piece->next != TP_NO_ID && tp_launch_of_device(model, piece->next))
            sum = tp_sat_add(sum, tp_sat_sub(piece->b, piece->a));
    }
    return sum;
}

enum { LATE_NS = 1000000000 }; /* a time longer than any collective needs to move its data, ns */

/* Returns whether a collective is unusually long: longer than any transfer, or at least ten times as long as all other
 * collectives of the device together. */
static bool is_unusually_long(const struct tp_event *e, int64_t sum_ns)
{
    int64_t others_ns = tp_sat_sub(sum_ns, e->dur_ns);
    return e->dur_ns >= LATE_NS || (others_ns > 0 && e->dur_ns / 10 >= others_ns);
}

/* Finds one unusual collective that is exposed for at least half of the step time. It shows that other ranks came late,
 * or that this rank's recording began earlier. Such a single event does not show how the steps run. */
static void find_unusual_collective(struct tp_trace_verdict *v, const struct tp_model *model, const struct tp_gpu *gpu)
{
    int64_t sum_ns = 0;
    for (uint32_t i = 0; i < gpu->count; i++)
        if (tp_is_communication(model, gpu->events[i]))
            sum_ns = tp_sat_add(sum_ns, tp_device_event(model, gpu->events[i])->dur_ns);
    for (uint32_t i = 0; i < gpu->count; i++) {
        const struct tp_event *e = tp_device_event(model, gpu->events[i]);
        if (!tp_is_communication(model, gpu->events[i]) || !is_unusually_long(e, sum_ns))
            continue;
        struct tp_interval own = {e->ts_ns, tp_event_end(e)};
        int64_t ns = tp_intervals_intersection_length(gpu->exposed_communication, (struct tp_intervals){&own, 1});
        if (tp_percent(ns, model->window_ns) < STALL_PERCENT || ns <= v->one_collective_ns)
            continue;
        v->one_collective_ns = ns;
        v->one_collective = tp_trace_event_name(model->trace, e);
    }
}

/* Splits the time of the device in the analysed steps into causes. Every nanosecond has exactly one cause. */
static void split_device_time_by_cause(struct tp_trace_verdict *v, const struct tp_model *model,
                                       const struct tp_gpu *gpu, struct tp_arena *arena)
{
    struct tp_cause_times *times = tp_arena_alloc(arena, sizeof *times);
    tp_cause_times_find(times, model, gpu, arena);
    v->times = times;
    for (unsigned c = 0; c < TP_TIME_DEVICE_COUNT; c++) {
        v->cause_ns[c] = c == TP_TIME_QUEUE ? tp_queue_ns(gpu) : tp_intervals_length(times->of[c]);
        v->has_cause[c] = true;
    }
}

/* Returns the line, range or call (the fold of the stack) that ran for most of the idle intervals first to end - 1. */
static struct tp_fold find_code_of_longest_idle_time(const struct tp_model *model, const struct tp_gpu *gpu,
                                                     uint32_t first, uint32_t end, struct tp_arena *arena)
{
    struct tp_fold_times times;
    struct tp_stack_walk walk = {.model = model, .arena = arena, .visit = tp_fold_times_add, .context = &times};
    tp_fold_times_init(&times, arena);
    tp_stack_walk_idle(&walk, gpu, first, end);
    return tp_fold_times_longest(&times, model).fold;
}

/* Finds the call name with the most time of the thread within the gap, which begins at start_ns. Ignores a name that
 * takes less than half of the gap. Of names with equal time, chooses the first in alphabetical order. */
static void find_longest_call(struct tp_verdict_gap *gap, const struct tp_model *model, uint32_t thread,
                              int64_t start_ns, struct tp_arena *arena)
{
    const struct tp_strings *names = &model->trace->names;
    int64_t *ns = tp_arena_array(arena, names->count, sizeof *ns), end_ns = tp_sat_add(start_ns, gap->total_ns);
    uint32_t best = TP_NO_ID;
    gap->call = TP_STR("");
    for (uint32_t i = thread == TP_NO_ID ? 0 : model->launches.thread_first[thread];
         thread != TP_NO_ID && i < model->launches.thread_first[thread + 1]; i++) {
        const struct tp_event *call = tp_launch_event(model, i);
        int64_t a = tp_ns_max(call->ts_ns, start_ns), b = tp_ns_min(tp_event_end(call), end_ns);
        if (a >= b)
            continue;
        ns[call->name] = tp_sat_add(ns[call->name], b - a);
        if (best == TP_NO_ID || ns[call->name] > ns[best] ||
            (ns[call->name] == ns[best] && tp_str_compare(names->items[call->name], names->items[best]) < 0))
            best = call->name;
    }
    if (best != TP_NO_ID && ns[best] >= gap->total_ns / 2) {
        gap->call = names->items[best];
        gap->call_ns = ns[best];
    }
    tp_arena_free_item(arena, ns, names->count * sizeof *ns);
}

/* Finds the longest gap, a sequence of adjacent idle intervals; of equally long gaps, the first. */
static void find_longest_gap(struct tp_trace_verdict *v, const struct tp_model *model, const struct tp_gpu *gpu,
                             struct tp_arena *arena)
{
    uint32_t first = 0, best = 0, best_end = 0;
    for (uint32_t i = 0; i < gpu->idle_count; i++) {
        if (i && gpu->idle[i].a != gpu->idle[i - 1].b)
            first = i;
        int64_t ns = tp_sat_sub(gpu->idle[i].b, gpu->idle[first].a);
        if (ns <= v->gap.total_ns)
            continue;
        v->gap.total_ns = ns;
        best = first;
        best_end = i + 1;
    }
    v->has_gap = best_end > 0;
    if (!v->has_gap)
        return;
    struct tp_fold fold = find_code_of_longest_idle_time(model, gpu, best, best_end, arena);
    v->gap.start_ns = tp_sat_sub(gpu->idle[best].a, model->first_ns);
    v->gap.percent = tp_percent(v->gap.total_ns, model->window_ns);
    v->gap.kind = tp_stack_kind_text((enum tp_stack_kind)fold.kind);
    v->gap.line = tp_fold_text(model, fold);
    find_longest_call(&v->gap, model, tp_idle_thread(model, gpu, &gpu->idle[best_end - 1]), gpu->idle[best].a, arena);
    for (uint32_t i = best; i < best_end; i++)
        v->gap.part_ns[gpu->idle[i].part] += gpu->idle[i].b - gpu->idle[i].a;
}

void tp_verdict_decide(struct tp_trace_verdict *v, const double shares[TP_TIME_DEVICE_COUNT], double gap_percent)
{
    static const struct {
        enum tp_time_cause cause;
        enum tp_verdict_class class;
    } groups[] = {{TP_TIME_COMMUNICATION, TP_CLASS_COMMUNICATION_BOUND},
                  {TP_TIME_COPY, TP_CLASS_COPY_BOUND},
                  {TP_TIME_INPUT, TP_CLASS_INPUT_BOUND},
                  {TP_TIME_SYNC, TP_CLASS_SYNC_BOUND},
                  {TP_TIME_LAUNCH, TP_CLASS_LAUNCH_BOUND}};
    /* largest of the causes from TP_TIME_QUEUE to TP_TIME_UNKNOWN, which the trace does not explain */
    enum tp_time_cause hidden = TP_TIME_QUEUE;
    double not_shown = 0;
    for (enum tp_time_cause c = TP_TIME_QUEUE; c <= TP_TIME_UNKNOWN; c++) {
        not_shown += shares[c];
        hidden = shares[c] > shares[hidden] ? c : hidden;
    }
    unsigned best = 0;
    for (unsigned i = 1; i < sizeof groups / sizeof *groups; i++)
        best = shares[groups[i].cause] > shares[groups[best].cause] ? i : best;
    v->class = groups[best].class;
    v->cause = groups[best].cause;
    v->percent = shares[groups[best].cause];
    if (not_shown > v->percent) {
        v->class = TP_CLASS_NOT_SHOWN;
        v->cause = hidden;
        v->percent = not_shown;
    }
    if (v->class == TP_CLASS_LAUNCH_BOUND && gap_percent >= STALL_PERCENT)
        v->class = TP_CLASS_STALL;
    bool is_bound = shares[TP_TIME_COMPUTE] >= TP_BOUND_PERCENT;
    if (is_bound || v->percent < CAUSE_PERCENT) {
        bool is_most = shares[TP_TIME_COMPUTE] >= MOST_PERCENT;
        v->class = is_bound || is_most ? TP_CLASS_COMPUTE_BOUND : TP_CLASS_BALANCED;
        v->cause = TP_TIME_COMPUTE;
        v->percent = shares[TP_TIME_COMPUTE];
    }
}

static void judge_program_with_device(struct tp_trace_verdict *v, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_gpu *gpu = find_busiest_gpu(model);
    double shares[TP_TIME_DEVICE_COUNT];
    v->has_device = true;
    v->device = gpu->id;
    split_device_time_by_cause(v, model, gpu, arena);
    find_longest_gap(v, model, gpu, arena);
    v->awaited_communication_ns = awaited_communication(model, gpu);
    v->unrecorded_wait_ns = measure_wait_for_unrecorded_work(model, gpu);
    for (unsigned c = 0; c < TP_TIME_DEVICE_COUNT; c++)
        shares[c] = tp_percent(v->cause_ns[c], model->window_ns);
    int64_t awaited_ns = v->awaited_communication_ns;
    shares[TP_TIME_COMMUNICATION] =
        tp_percent(tp_sat_add(v->cause_ns[TP_TIME_COMMUNICATION], awaited_ns), model->window_ns);
    shares[TP_TIME_QUEUE] = tp_percent(tp_sat_sub(v->cause_ns[TP_TIME_QUEUE], awaited_ns), model->window_ns);
    tp_verdict_decide(v, shares, v->gap.percent);
    find_unusual_collective(v, model, gpu);
    if (v->one_collective_ns && v->class == TP_CLASS_COMMUNICATION_BOUND)
        v->class = TP_CLASS_STALL;
    tp_verdict_set_device_headline(v, model);
}

/* ---- no device ---- */

static int64_t operator_time(const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_order *order = model->order;
    struct tp_vec pieces = TP_VEC(arena, struct tp_interval);
    if (model->host_main == TP_NO_ID)
        return 0;
    for (uint32_t i = order->thread_first[model->host_main]; i < order->thread_first[model->host_main + 1]; i++) {
        const struct tp_event *e = &model->trace->events[order->host[i]];
        if (e->kind == TP_KIND_OPERATOR || tp_is_computing(model, e))
            tp_intervals_push(&pieces, e->ts_ns, tp_event_end(e));
    }
    return tp_intervals_intersection_length(tp_intervals_from_vec(&pieces), model->window);
}

/* Sets the time of a cause that only ranges with a declared kind show. Without such ranges, the cause is unknown.
 * kinds: bit k for enum value k. */
static void add_declared_cause(struct tp_trace_verdict *v, const struct tp_model *model, enum tp_time_cause cause,
                               unsigned kinds, struct tp_arena *arena)
{
    v->has_cause[cause] = tp_has_declared_kind(model, kinds);
    v->cause_ns[cause] = tp_intervals_length(tp_main_thread_ranges(model, kinds, arena));
}

static void judge_program_without_device(struct tp_trace_verdict *v, const struct tp_model *model,
                                         struct tp_arena *arena)
{
    static const struct {
        enum tp_time_cause cause;
        enum tp_verdict_class class;
    } causes[] = {{TP_TIME_COMMUNICATION, TP_CLASS_COMMUNICATION_BOUND},
                  {TP_TIME_COPY, TP_CLASS_COPY_BOUND},
                  {TP_TIME_SYNC, TP_CLASS_SYNC_BOUND}};
    struct tp_intervals loading = tp_main_thread_loading(model, arena);
    v->cause_ns[TP_TIME_INPUT] = tp_intervals_length(loading);
    v->cause_ns[TP_TIME_COMMUNICATION] =
        tp_intervals_intersection_length(tp_exposed_collectives(model, arena), model->window);
    v->cause_ns[TP_TIME_OPERATORS] = operator_time(model, arena);
    v->cause_ns[TP_TIME_BETWEEN] = tp_intervals_length(tp_main_thread_unrecorded(model, loading, arena));
    v->has_cause[TP_TIME_INPUT] = v->has_cause[TP_TIME_COMMUNICATION] = true;
    v->has_cause[TP_TIME_OPERATORS] = v->has_cause[TP_TIME_BETWEEN] = true;
    add_declared_cause(v, model, TP_TIME_COPY, TP_RANGE_BIT(COPY), arena);
    add_declared_cause(v, model, TP_TIME_SYNC, TP_RANGE_BIT(WAIT) | TP_RANGE_BIT(SYNC), arena);
    v->cause = TP_TIME_INPUT;
    v->class = TP_CLASS_INPUT_BOUND;
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (v->cause_ns[causes[i].cause] > v->cause_ns[v->cause]) {
            v->cause = causes[i].cause;
            v->class = causes[i].class;
        }
    if (tp_percent(v->cause_ns[v->cause], model->window_ns) < CAUSE_PERCENT) {
        v->class = TP_CLASS_CPU;
        v->cause = TP_TIME_OPERATORS;
    }
    v->percent = tp_percent(v->cause_ns[v->cause], model->window_ns);
    tp_verdict_set_host_headline(v, model, arena);
}

static void set_class_without_times(struct tp_trace_verdict *v, const struct tp_model *model, bool is_fragment)
{
    static const enum tp_headline headlines[TP_CLASS_COUNT] = {
        [TP_CLASS_TOO_LITTLE] = TP_HEADLINE_FRAGMENT,
        [TP_CLASS_DEVICE_MISSING] = TP_HEADLINE_DEVICE_MISSING,
        [TP_CLASS_OTHER_DEVICE] = TP_HEADLINE_OTHER_DEVICE,
        [TP_CLASS_SAMPLES] = TP_HEADLINE_SAMPLES,
        [TP_CLASS_EMPTY] = TP_HEADLINE_EMPTY,
    };
    const struct tp_trace *trace = model->trace;
    v->class = is_fragment                                    ? TP_CLASS_TOO_LITTLE
               : model->program == TP_RECORDED_DEVICE_MISSING ? TP_CLASS_DEVICE_MISSING
               : model->program == TP_RECORDED_OTHER_DEVICE   ? TP_CLASS_OTHER_DEVICE
               : trace->sample_count                          ? TP_CLASS_SAMPLES
                                                              : TP_CLASS_EMPTY;
    v->cause = TP_TIME_NONE;
    v->percent = NAN;
    v->headline_id = headlines[v->class];
    v->sample_count = trace->sample_count;
    for (uint32_t i = 0; i < trace->sample_count; i++)
        v->samples_ns = tp_sat_add(v->samples_ns, trace->samples[i].cpu_ns);
}

void tp_verdict_build(struct tp_trace_verdict *v, const struct tp_model *model, bool is_fragment,
                      struct tp_arena *arena)
{
    memset(v, 0, sizeof *v);
    v->steps_used = model->used_count;
    v->steps = model->steps;
    v->step_count = model->step_count;
    v->step_us = v->steps_used ? (double)model->window_ns / 1000.0 / (double)v->steps_used : 0.0;
    if (!is_fragment && v->steps_used && model->program <= TP_RECORDED_CPU)
        tp_outside_part_find(&v->left_out, model, arena);
    if (!is_fragment && model->program == TP_RECORDED_GPU && model->window_ns)
        judge_program_with_device(v, model, arena);
    else if (!is_fragment && model->program == TP_RECORDED_CPU && model->window_ns)
        judge_program_without_device(v, model, arena);
    else
        set_class_without_times(v, model, is_fragment);
}

void tp_verdict_build_for_program(struct tp_trace_verdict *v, const struct tp_program_view *program)
{
    v->class = (enum tp_verdict_class)(TP_CLASS_PROGRAM + program->rule);
    v->headline_id = TP_HEADLINE_PROGRAM;
}

/* ---- fields ---- */

static bool next_gap_part(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_trace_verdict *v = record->at;
    if (*cursor >= TP_IDLE_PARTS)
        return false;
    item->key = tp_str_of(tp_idle_part_text((enum tp_idle_part) * cursor));
    item->value = tp_json_value_us(v->gap.part_ns[(*cursor)++]);
    return true;
}

static bool next_cause(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_trace_verdict *v = record->at;
    size_t cause = (*cursor)++;
    if (cause >= TP_TIME_COUNT)
        return false;
    item->key = tp_str_of(tp_time_cause_text((enum tp_time_cause)cause));
    item->value = v->has_cause[cause] ? tp_json_value_us(v->cause_ns[cause]) : tp_json_value_absent();
    return true;
}

static struct tp_json_value left_out_kind(const struct tp_record *record)
{
    const struct tp_outside_part *part = record->at;
    return tp_json_value_text(part->is_device ? "device" : part->kind);
}

static struct tp_json_value left_out_reason(const struct tp_record *record)
{
    const struct tp_step *step = record->at;
    return tp_json_value_text(tp_unused_reason_text((enum tp_unused_reason)step->left_out));
}

static const struct tp_json_field step_fields[] = {
    {"name", TP_PLAIN(struct tp_step, name), TP_DEFINITION("name of the step")},
    {"reason", TP_COMPUTED(TP_AS_WORD, left_out_reason), TP_DEFINITION("reason why the statistics leave the step out")},
};
static const struct tp_fields left_out_step = TP_FIELDS("A step that is left out", step_fields);

static bool next_left_out(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_trace_verdict *v = record->at;
    if (*cursor >= v->step_count)
        return false;
    const struct tp_step *step = &v->steps[(*cursor)++];
    item->value = tp_step_is_used(step) ? tp_json_value_absent()
                                        : tp_json_value_record(&left_out_step, (struct tp_record){.at = step});
    return true;
}

static struct tp_json_value cause_name_value(const struct tp_record *record)
{
    const struct tp_trace_verdict *v = record->at;
    return v->cause == TP_TIME_NONE ? tp_json_value_null() : tp_json_value_text(tp_time_cause_text(v->cause));
}

#define F struct tp_outside_part
static const struct tp_json_field left_out_fields[] = {
    {"recorded_us", TP_US(F, recorded_ns), TP_DEFINITION("length of the recording")},
    {"total_us", TP_US(F, total_ns), TP_DEFINITION("recorded time outside of the analysed steps")},
    {"before_us", TP_US(F, before_ns), TP_DEFINITION("recorded time before the first analysed step")},
    {"after_us", TP_US(F, after_ns), TP_DEFINITION("recorded time after the last analysed step")},
    {"kind", TP_COMPUTED(TP_AS_TEXT, left_out_kind), TP_ONLY_IF(F, is_named),
     TP_DEFINITION("`device` if `line` is the name of device operations; otherwise the kind of the host code in "
                   "`line`, such as operator")},
    {"line", TP_PLAIN(F, line), TP_ONLY_IF(F, is_named),
     TP_DEFINITION("longest work outside of the analysed steps: the name of the device operations or the code of the "
                   "main thread with the most time")},
    {"line_us", TP_US(F, line_ns), TP_ONLY_IF(F, is_named),
     TP_DEFINITION("time that the work in `line` takes outside of the analysed steps")},
};
#undef F
static const struct tp_fields left_out = TP_FIELDS("Recorded time outside of the analysed steps", left_out_fields);

#define F struct tp_trace_verdict
static const struct tp_json_field gap_fields[] = {
    {"start_us", TP_US(F, gap.start_ns),
     TP_DEFINITION("start of the longest idle time, relative to the start of the profile")},
    {"total_us", TP_US(F, gap.total_ns), TP_DEFINITION("length of the longest idle time")},
    {"percent", TP_PLAIN(F, gap.percent),
     TP_DEFINITION("length of the longest idle time, in percent of the total length of the analysed steps")},
    {"parts_us", TP_MAP(next_gap_part, NULL),
     TP_DEFINITION("time of each part of the longest idle time, such as host, launch or queue")},
    {"kind", TP_PLAIN(F, gap.kind),
     TP_DEFINITION("kind of the code that the host ran for most of the longest idle time")},
    {"line", TP_PLAIN(F, gap.line), TP_DEFINITION("code that the host ran for most of the longest idle time")},
    {"call", TP_PLAIN(F, gap.call),
     TP_DEFINITION("runtime call that takes at least half of the longest idle time; empty: no such call")},
    {"call_us", TP_US(F, gap.call_ns), TP_DEFINITION("time of `call` in the longest idle time")},
};
static const struct tp_fields gap = TP_FIELDS("The longest idle time of the device", gap_fields);

static const struct tp_json_field fields[] = {
    {"class", TP_WORD(F, class, tp_verdict_class_text), TP_DEFINITION("cause that limits the step time")},
    {"device", TP_PLAIN(F, device), TP_NULL_UNLESS(F, has_device), TP_DEFINITION("device with the longest busy time")},
    {"cause", TP_COMPUTED(TP_AS_WORD, cause_name_value),
     TP_DEFINITION("name of the entry of `causes` that determines `class`; null if no entry does")},
    {"percent", TP_PLAIN(F, percent),
     TP_DEFINITION("time of the group of causes that contains `cause`, in percent of the step time")},
    {"causes", TP_MAP(next_cause, NULL), TP_DEFINITION("time of each cause, such as compute or input")},
    {"awaited_communication_us", TP_US(F, awaited_communication_ns), TP_ONLY_IF(F, has_device),
     TP_DEFINITION(
         "sum of the idle times of at least 1 ms between the launch and the start of a communication kernel")},
    {"unrecorded_wait_us", TP_US(F, unrecorded_wait_ns), TP_ONLY_IF(F, has_device),
     TP_DEFINITION("idle time in which the host waits for device work that is not recorded")},
    {"longest_gap", TP_PART(&gap), TP_NULL_UNLESS(F, has_gap), TP_DEFINITION("longest idle time of the device")},
    {"headline", TP_PLAIN(F, headline), TP_DEFINITION("text of the verdict in one or more sentences")},
    {"step_us", TP_PLAIN(F, step_us), TP_DEFINITION("mean length of the analysed steps")},
    {"steps_used", TP_PLAIN(F, steps_used), TP_DEFINITION("number of analysed steps")},
    {"steps_left_out", TP_LIST(next_left_out, &left_out_step), TP_DEFINITION("steps that the statistics exclude")},
    {"left_out", TP_RECORD(F, left_out, &left_out), TP_DEFINITION("recorded time outside of the analysed steps")},
    {"unjudged_us", TP_US(F, unjudged.ns),
     TP_DEFINITION("time in the analysed steps that does not show how the steps run, such as the capture of a graph; 0 "
                   "if it is at most half of the step time")},
};
#undef F

const struct tp_fields tp_verdict_fields = TP_FIELDS("Verdict", fields);

void tp_verdict_reset(struct tp_trace_verdict *v)
{
    *v = (struct tp_trace_verdict){.class = TP_CLASS_TOO_LITTLE,
                                   .cause = TP_TIME_NONE,
                                   .percent = NAN,
                                   .step_us = v->step_us,
                                   .headline_id = TP_HEADLINE_INSIDE};
}
