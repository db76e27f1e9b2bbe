/* Implements trace_quality.h: computes the counters of the reader and the flags F1 to F11 (docs/definitions.md, section
 * 14). */
#include "webreport/measure/views/trace_quality.h"

#include "webreport/measure/audience/wording.h"
#include "webreport/measure/views/fragment.h"
#include "webreport/model/numbers.h"
#include "writer/base/renumber.h"
#include "writer/base/sort.h"

enum { SHORT_OVERLAP_NS = 5000 };

static const char *const idle_rules[] = {"idle_view", "A1", "A2", "A3", "A4", "A5", "A6", "A8", "A12",
                                         "A13",       "B1", "B2", "B3", "B5", "C6", "C7", NULL};
static const char *const timed_rules[] = {"idle_view", "A1", "A2", "A3", "A4", "A5", "A6", "A8", "A12", "A13", "B1",
                                          "B2",        "B3", "B5", "C6", "C7", "B4", "C1", "C2", "C10", "C11", "C13",
                                          "E1",        "H1", "H2", "H3", "H4", "H5", "H6", "H7", "H8",  NULL};
static const char *const graph_rules[] = {"A3", "C1", "C2", "C3", "C6", "C10", "C11", NULL};

static void add_weakened_rules(struct tp_quality_flag *flag, const char *const *rules)
{
    for (; flag->is_raised && *rules && flag->weakens_count < TP_QUALITY_WEAKENS; rules++)
        flag->weakens[flag->weakens_count++] = *rules;
}

static struct tp_quality_flag *set_count(struct tp_quality *q, unsigned flag, bool is_raised, int64_t count)
{
    struct tp_quality_flag *f = &q->flags[flag];
    f->is_raised = is_raised;
    f->type = TP_QUALITY_INT;
    f->count = count;
    return f;
}

static struct tp_quality_flag *set_percent(struct tp_quality *q, unsigned flag, bool is_raised, double percent)
{
    struct tp_quality_flag *f = &q->flags[flag];
    f->is_raised = is_raised;
    f->type = TP_QUALITY_REAL;
    f->percent = percent;
    return f;
}

static void set_flag_ids(struct tp_quality *q)
{
    static const struct {
        const char *id, *unit;
    } names[TP_QUALITY_FLAGS] = {
        {"F1", "steps"},
        {"F2", "percent of kernels"},
        {"F3", "percent of kernel time"},
        {"F4", "operations"},
        {"F5", "events"},
        {"F6", "operations"},
        {"F7", "options"},
        {"F8", "percent of the recording"},
        {"F9", "repairs"},
        {"F10", "steps"},
        {"F11", "percent"},
    };
    for (unsigned i = 0; i < TP_QUALITY_FLAGS; i++) {
        q->flags[i].id = names[i].id;
        q->flags[i].unit = names[i].unit;
        q->flags[i].type = TP_QUALITY_NULL;
    }
}

/* ---- counts ---- */

static void count_read_events(struct tp_quality *q, const struct tp_reading *r)
{
    const struct tp_quality_count counts[] = {
        {"annotation", (int64_t)r->read[TP_KIND_ANNOTATION]},
        {"frame", (int64_t)r->read[TP_KIND_FRAME]},
        {"gpu_annotation", (int64_t)r->read[TP_KIND_GPU_ANNOTATION]},
        {"kernel", (int64_t)r->read[TP_KIND_KERNEL]},
        {"link", (int64_t)r->read_link},
        {"memcpy", (int64_t)r->read[TP_KIND_MEMCPY]},
        {"memory", (int64_t)r->read_memory},
        {"memset", (int64_t)r->read[TP_KIND_MEMSET]},
        {"module", (int64_t)r->read[TP_KIND_MODULE]},
        {"operator", (int64_t)r->read[TP_KIND_OPERATOR]},
        {"other", (int64_t)r->read[TP_KIND_OTHER]},
        {"out_of_memory", (int64_t)r->read_out_of_memory},
        {"overhead", (int64_t)r->read[TP_KIND_OVERHEAD]},
        {"runtime", (int64_t)r->read[TP_KIND_RUNTIME]},
        {"span", (int64_t)r->read[TP_KIND_SPAN]},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].count) {
            q->read[q->read_count++] = counts[i];
            q->read_total += counts[i].count;
        }
}

static void add_skipped_count(struct tp_quality *q, const char *name, uint64_t count)
{
    if (!count || q->skipped_count == TP_QUALITY_SKIPPED)
        return;
    q->skipped[q->skipped_count++] = (struct tp_quality_count){name, (int64_t)count};
    q->skipped_total += (int64_t)count;
}

/* Counts skipped events by name. Sorts the counts by name. */
static void count_skipped_events(struct tp_quality *q, const struct tp_reading *r, struct tp_arena *arena)
{
    add_skipped_count(q, "no_time", r->skipped[TP_SKIP_NO_TIME]);
    add_skipped_count(q, "not_an_object", r->skipped[TP_SKIP_NOT_AN_OBJECT]);
    for (int letter = 0; letter < 128; letter++) {
        char name[] = "phase_?";
        name[6] = (char)letter;
        if (r->skipped_by_phase[letter])
            add_skipped_count(q, tp_arena_copy(arena, name, sizeof name - 1), r->skipped_by_phase[letter]);
    }
    add_skipped_count(q, "phase_unknown", r->skipped[TP_SKIP_PHASE_UNKNOWN]);
    add_skipped_count(q, "unknown_category", r->skipped[TP_SKIP_UNKNOWN_CATEGORY]);
}

static void count_notices(struct tp_quality *q, const struct tp_reading *r)
{
    for (unsigned i = 0; i < TP_NOTICE_COUNT; i++)
        if (r->notices[i]) {
            q->notice_offset[q->notice_count] = r->notice_offset[i];
            q->notices[q->notice_count++] =
                (struct tp_quality_count){tp_notice_text((enum tp_notice)i), (int64_t)r->notices[i]};
        }
}

/* ---- flags ---- */

static void set_step_flags(struct tp_quality *q, const struct tp_model *model)
{
    int64_t used = model->step_marker == TP_MARKER_WINDOW ? 0 : model->used_count;
    bool has_warm_up = tp_unused_step_count(model, TP_STEP_WARM_UP) > 0;
    struct tp_quality_flag *f = set_count(q, TP_FAULT_STEPS, used < 2 || has_warm_up, used);
    if (used == 0)
        f->which = TP_CASE_NO_STEPS;
    else if (used == 1)
        f->which = TP_CASE_ONE_STEP;
    else if (has_warm_up)
        f->which = TP_CASE_WARM_UP;
    if (used < 2)
        add_weakened_rules(f, timed_rules);
}

/* sums over all device operations; times in ns */
struct sums {
    int64_t kernels, unlinked_kernels, kernel_ns, graph_ns;
    int64_t linked, before_launch;
};

static struct sums sum_operations(const struct tp_model *model)
{
    struct sums s = {0};
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k), *launch = tp_launch_of_device(model, k);
        s.linked += launch != NULL;
        s.before_launch += launch && e->ts_ns < launch->ts_ns;
        if (e->kind != TP_KIND_KERNEL)
            continue;
        int64_t graph_id = tp_device_setup(model->trace, e->detail)->graph_id;
        s.kernels++;
        s.unlinked_kernels += !launch;
        s.kernel_ns = tp_sat_add(s.kernel_ns, e->dur_ns);
        bool is_graph = tp_is_graph_launched(model, k) || (graph_id != TP_NULL_INT && graph_id > 0);
        if (is_graph && !tp_joined_row_of(model, k))
            s.graph_ns = tp_sat_add(s.graph_ns, e->dur_ns);
    }
    return s;
}

static void set_operation_flags(struct tp_quality *q, const struct tp_model *model)
{
    struct sums s = sum_operations(model);
    if (model->program == TP_RECORDED_DEVICE_MISSING) {
        set_percent(q, TP_FAULT_UNLINKED, true, 100.0)->which = TP_CASE_NOT_RECORDED;
    } else {
        set_percent(q, TP_FAULT_UNLINKED, 20 * s.unlinked_kernels > s.kernels,
                    tp_percent(s.unlinked_kernels, s.kernels));
    }
    add_weakened_rules(&q->flags[TP_FAULT_UNLINKED], idle_rules);
    bool has_graphs = (__int128)5 * s.graph_ns > s.kernel_ns;
    add_weakened_rules(set_percent(q, TP_FAULT_GRAPHS, has_graphs, tp_percent(s.graph_ns, s.kernel_ns)), graph_rules);
    add_weakened_rules(set_count(q, TP_FAULT_CLOCKS, 100 * s.before_launch > s.linked, s.before_launch), idle_rules);
}

/* Counts of a device's operations that start before the end of an earlier operation of their stream. */
struct overlaps {
    const struct tp_model *model;
    struct tp_ids streams;
    struct tp_vec latest; /* for each stream: latest end so far of the stream's operations, ns; elements: int64_t */
    int64_t count, short_count;
};

static void examine_operation(struct overlaps *o, uint32_t operation)
{
    const struct tp_event *e = tp_device_event(o->model, operation);
    uint32_t stream = tp_ids_add(&o->streams, tp_stream_number(o->model, e));
    if (stream == o->latest.count)
        *(int64_t *)tp_vec_push(&o->latest) = e->ts_ns;
    int64_t *latest = TP_AT(&o->latest, int64_t, stream);
    if (e->ts_ns + 1 < *latest) {
        o->count++;
        o->short_count += tp_sat_sub(*latest, e->ts_ns) < SHORT_OVERLAP_NS;
    }
    *latest = tp_ns_max(*latest, tp_event_end(e));
}

/* Examines `count` operations that start at the same time. Longer operations precede shorter operations; operations of
 * equal length are in the order of the file. */
static void examine_simultaneous_run(struct overlaps *o, const uint32_t *run, uint32_t count, struct tp_arena *arena)
{
    if (count == 1) {
        examine_operation(o, *run);
        return;
    }
    struct tp_keyed *keys = tp_arena_array(arena, count, sizeof *keys);
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (struct tp_keyed){-tp_event_end(tp_device_event(o->model, run[i])), i, run[i]};
    tp_sort_keyed(keys, count, arena);
    for (uint32_t i = 0; i < count; i++)
        examine_operation(o, keys[i].item);
    tp_arena_free_item(arena, keys, count * sizeof *keys);
}

static void set_overlap_flags(struct tp_quality *q, const struct tp_model *model, struct tp_arena *arena)
{
    struct overlaps o = {.model = model};
    for (uint32_t g = 0; g < model->gpu_count; g++) {
        const struct tp_gpu *gpu = &model->gpus[g];
        int64_t lowest = INT64_MAX, highest = INT64_MIN;
        for (uint32_t i = 0; i < gpu->count; i++) {
            int64_t number = tp_stream_number(model, tp_device_event(model, gpu->events[i]));
            lowest = tp_ns_min(lowest, number);
            highest = tp_ns_max(highest, number);
        }
        tp_ids_init(&o.streams, arena, lowest, highest, 1024);
        o.latest = TP_VEC(arena, int64_t);
        for (uint32_t i = 0, end; i < gpu->count; i = end) {
            int64_t start = tp_device_event(model, gpu->events[i])->ts_ns;
            for (end = i + 1; end < gpu->count && tp_device_event(model, gpu->events[end])->ts_ns == start; end++)
                continue;
            examine_simultaneous_run(&o, gpu->events + i, end - i, arena);
        }
        tp_ids_release(&o.streams, arena);
    }
    set_count(q, TP_FAULT_OVERLAPS, o.count, o.count)->short_count = o.short_count;
}

/* properties of the recording, found in one pass over the events */
struct recording {
    /* length of the recording, ns: longest span of the profiler; if the profiler has no span, longest span of any
     * event; otherwise the time from the first to the last event */
    int64_t span_ns;
    int64_t overhead_ns, overlong_event_count;
    bool has_dims, has_frames;
};

static int64_t recorded_span(const struct tp_model *model)
{
    int64_t own = 0, any = 0;
    bool has_own = false;
    for (uint32_t i = 0; i < model->trace->event_count && model->kind_count[TP_KIND_SPAN]; i++) {
        const struct tp_event *e = &model->trace->events[i];
        if (e->kind != TP_KIND_SPAN)
            continue;
        any = tp_ns_max(any, e->dur_ns);
        if (tp_event_marks(model, i) & TP_MARK_PROFILER_SPAN) {
            has_own = true;
            own = tp_ns_max(own, e->dur_ns);
        }
    }
    int64_t span = has_own ? own : any;
    return span ? span : tp_sat_sub(model->last_ns, model->first_ns);
}

/* Returns whether overhead events cover more than 2 % of the recording. */
static bool is_slowed(const struct recording *r)
{
    return (__int128)50 * r->overhead_ns > r->span_ns;
}

static struct recording examine_recording(const struct tp_model *model, struct tp_arena *arena)
{
    struct recording r = {.span_ns = recorded_span(model)};
    struct tp_vec overhead = TP_VEC(arena, struct tp_interval);
    for (uint32_t i = 0; i < model->trace->event_count; i++) {
        const struct tp_event *e = &model->trace->events[i];
        if (e->kind == TP_KIND_OVERHEAD)
            tp_intervals_push(&overhead, e->ts_ns, tp_event_end(e));
        bool is_host = tp_kind_is_host(e->kind);
        if (is_host || tp_kind_is_device(e->kind))
            r.overlong_event_count += e->dur_ns > r.span_ns && r.span_ns > 0;
        r.has_dims |= is_host && e->flags & TP_EVENT_HAS_INPUT_DIMS;
        r.has_frames |= tp_kind_is_frame(e->kind);
    }
    r.overhead_ns = tp_intervals_length(tp_intervals_from_vec(&overhead));
    return r;
}

static void set_option_flags(struct tp_quality *q, const struct tp_trace *trace, const struct recording *r)
{
    static const char *const shapes[] = {"C1", "C3", "C10", NULL}, *const stacks[] = {"A13", "idle_by_line",
                                                                                      "memory_peak.module", NULL};
    static const char *const memory[] = {"memory_peak", "D1", "D3", NULL};
    const struct {
        const char *name;
        bool is_on;
        uint32_t data; /* what the option records: bits of enum tp_unknown */
        const char *const *weakens;
    } options[TP_QUALITY_OPTIONS] = {
        {"record_shapes", trace->options & TP_OPTION_RECORD_SHAPES || r->has_dims, TP_UNKNOWN_SHAPES, shapes},
        {"with_stack", trace->options & TP_OPTION_WITH_STACK || r->has_frames, TP_UNKNOWN_STACKS, stacks},
        {"profile_memory", trace->options & TP_OPTION_PROFILE_MEMORY || trace->reading.read_memory,
         TP_UNKNOWN_ALLOCATOR, memory},
    };
    struct tp_quality_flag *f = set_count(q, TP_FAULT_OPTIONS, true, 0);
    for (size_t i = 0; i < TP_QUALITY_OPTIONS; i++) {
        if (options[i].is_on || trace->input.unknown & options[i].data)
            continue;
        f->options_off[f->count++] = options[i].name;
        add_weakened_rules(f, options[i].weakens);
    }
    f->is_raised = f->count > 0;
}

/* Returns the number of analysed steps before the first analysed step with a device operation; 0 if no analysed step
 * has a device operation. */
static int64_t count_leading_operations(const struct tp_model *model)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < model->step_count; i++) {
        if (!tp_step_is_used(&model->steps[i]))
            continue;
        if (model->steps[i].operation_count)
            return count;
        count++;
    }
    return 0;
}

static void set_recording_flags(struct tp_quality *q, const struct tp_model *model, struct tp_arena *arena)
{
    struct recording r = examine_recording(model, arena);
    int64_t odd = tp_sat_add(r.overlong_event_count, q->events_with_negative_dur);
    int64_t bad = q->repaired + q->is_truncated + q->has_gzip_error, leading = count_leading_operations(model);
    set_count(q, TP_FAULT_ABSURD, odd, odd);
    set_option_flags(q, model->trace, &r);
    add_weakened_rules(set_percent(q, TP_FAULT_OVERHEAD, is_slowed(&r), tp_percent(r.overhead_ns, r.span_ns)),
                       timed_rules);
    add_weakened_rules(set_count(q, TP_FAULT_DAMAGE, bad, bad), timed_rules);
    add_weakened_rules(set_count(q, TP_FAULT_LEADING, leading, leading), idle_rules);
    q->is_fragment = tp_is_fragment(model, r.span_ns, arena);
}

bool tp_is_host_slowed_by_recording(const struct tp_model *model, struct tp_arena *arena)
{
    bool has_frames = model->kind_count[TP_KIND_FRAME] || model->kind_count[TP_KIND_MODULE];
    if (has_frames || model->trace->options & TP_OPTION_WITH_STACK)
        return true;
    struct recording r = examine_recording(model, arena);
    return is_slowed(&r);
}

void tp_quality_build(struct tp_quality *q, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_reading *r = &model->trace->reading;
    memset(q, 0, sizeof *q);
    q->events_total = (int64_t)r->element_count;
    count_read_events(q, r);
    count_skipped_events(q, r, arena);
    count_notices(q, r);
    q->events_without_dur = (int64_t)r->missing_dur;
    q->events_with_negative_dur = (int64_t)r->negative_dur;
    q->repaired = (int64_t)r->repaired;
    q->badly_nested_host_events = (int64_t)model->badly_nested_count;
    q->out_of_memory_events = (int64_t)r->read_out_of_memory;
    q->is_truncated = r->is_truncated;
    q->has_gzip_error = r->has_gzip_error;
    set_flag_ids(q);
    if (tp_has_only_devices_of_program(model))
        q->flags[TP_FAULT_UNLINKED].which = TP_CASE_OWN_DEVICES;
    set_step_flags(q, model);
    set_operation_flags(q, model);
    set_overlap_flags(q, model, arena);
    set_recording_flags(q, model, arena);
}

/* ---- fields ---- */

static bool next_count(const struct tp_quality_count *counts, unsigned count, size_t *cursor, struct tp_item *item)
{
    if (*cursor >= count)
        return false;
    item->key = tp_str_of(counts[*cursor].name);
    item->value = tp_json_value_int(counts[*cursor].count);
    ++*cursor;
    return true;
}

static bool next_read(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_quality *quality = record->at;
    return next_count(quality->read, quality->read_count, cursor, item);
}

static bool next_skipped(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_quality *quality = record->at;
    return next_count(quality->skipped, quality->skipped_count, cursor, item);
}

static bool next_notice(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_quality *quality = record->at;
    return next_count(quality->notices, quality->notice_count, cursor, item);
}

static struct tp_json_value flag_value(const struct tp_record *record)
{
    const struct tp_quality_flag *flag = record->at;
    return flag->type == TP_QUALITY_INT    ? tp_json_value_int(flag->count)
           : flag->type == TP_QUALITY_REAL ? tp_json_value_real(flag->percent)
                                           : tp_json_value_null();
}

#define F struct tp_quality_flag
static const struct tp_json_field flag_fields[] = {
    {"id", TP_PLAIN(F, id), TP_DEFINITION("id of the quality check, F1 to F11")},
    {"raised", TP_PLAIN(F, is_raised), TP_DEFINITION("true if the trace has this fault")},
    {"value", TP_COMPUTED(TP_AS_REAL, flag_value),
     TP_DEFINITION("size of the fault, in the unit given by `unit`; null if the fault has no size")},
    {"unit", TP_PLAIN(F, unit), TP_DEFINITION("unit of `value`")},
    {"text", TP_PLAIN(F, text), TP_DEFINITION("description of the fault")},
    {"weakens", TP_ARRAY(F, weakens, weakens_count),
     TP_DEFINITION("rules and views that are less certain because of this fault")},
};
static const struct tp_fields flag = TP_FIELDS("A quality flag", flag_fields);
#undef F

static bool next_flag(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_quality *quality = record->at;
    if (*cursor >= TP_QUALITY_FLAGS)
        return false;
    item->value = tp_json_value_record(&flag, (struct tp_record){.at = &quality->flags[(*cursor)++]});
    return true;
}

#define F struct tp_quality
static const struct tp_json_field fields[] = {
    {"events_total", TP_PLAIN(F, events_total), TP_DEFINITION("number of elements of the list of events in the file")},
    {"read", TP_MAP(next_read, NULL),
     TP_DEFINITION("number of events that were read, by kind; a kind without events is absent")},
    {"skipped", TP_MAP(next_skipped, NULL),
     TP_DEFINITION("number of events that were skipped, by reason; a reason without events is absent")},
    {"read_total", TP_PLAIN(F, read_total), TP_DEFINITION("number of events that were read")},
    {"skipped_total", TP_PLAIN(F, skipped_total), TP_DEFINITION("number of events that were skipped")},
    {"events_without_dur", TP_PLAIN(F, events_without_dur), TP_DEFINITION("number of events without a duration")},
    {"events_with_negative_dur", TP_PLAIN(F, events_with_negative_dur),
     TP_DEFINITION("number of events with a negative duration")},
    {"repaired", TP_PLAIN(F, repaired),
     TP_DEFINITION("number of events that were repaired or skipped because their text is broken")},
    {"truncated", TP_PLAIN(F, is_truncated), TP_DEFINITION("true if the file ends too early")},
    {"gzip_error", TP_PLAIN(F, has_gzip_error), TP_DEFINITION("true if the compressed file is damaged")},
    {"badly_nested_host_events", TP_PLAIN(F, badly_nested_host_events),
     TP_DEFINITION("number of host events that overlap an earlier event of their thread without being inside of it")},
    {"flags", TP_LIST(next_flag, &flag),
     TP_DEFINITION(
         "results of the quality checks F1 to F11; a fault in the recording lowers the confidence of some findings")},
    {"notices", TP_MAP(next_notice, NULL),
     TP_DEFINITION("number of repairs and omissions of the reader, by kind; a kind that did not occur is absent")},
};
#undef F

const struct tp_fields tp_quality_fields = TP_FIELDS("Quality of the trace", fields);
