/* Trace quality: counters of the reader and the flags F1..F11. See trace_quality.h and advice-definitions D8. */
#include "webreport/measure/trace_quality.h"

#include <stdio.h>

#include "webreport/model/host_model.h"
#include "webreport/model/host_tree.h"

enum {
    FLAG_STEPS,
    FLAG_UNLINKED,
    FLAG_GRAPHS,
    FLAG_OVERLAPS,
    FLAG_ABSURD,
    FLAG_CLOCKS,
    FLAG_OPTIONS,
    FLAG_OVERHEAD,
    FLAG_DAMAGE,
    FLAG_LEADING,
    FLAG_SLOWDOWN
};
enum { SHORT_OVERLAP_NS = 5000 };

static const char *const idle_rules[] = {"idle_view", "A1", "A2", "A3", "A4", "A5", "A6", "A8", "A11",
                                         "A12",       "B1", "B2", "B3", "B5", "C6", "C7", NULL};
static const char *const timed_rules[] = {"idle_view", "A1", "A2", "A3", "A4", "A5", "A6", "A8", "A11", "A12", "B1",
                                          "B2",        "B3", "B5", "C6", "C7", "B4", "C1", "C2", "C10", "C11", "C13",
                                          "E1",        "H1", "H2", "H3", "H4", "H5", "H6", "H7", "H8",  NULL};
static const char *const graph_rules[] = {"A3", "C1", "C2", "C3", "C6", "C10", "C11", NULL};

static void weaken(struct tp_quality_flag *flag, const char *const *rules)
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

static void name_flags(struct tp_quality *q)
{
    static const struct {
        const char *id, *unit, *text;
    } names[TP_QUALITY_FLAGS] = {
        {"F1", "steps", "steps used"},
        {"F2", "percent of kernels", "kernels whose launch call is not in the trace"},
        {"F3", "percent of kernel time", "kernels started by a graph launch have no operator"},
        {"F4", "operations", ""},
        {"F5", "events", "events longer than the recording, or of negative duration (taken as 0)"},
        {"F6", "operations", "device operations that begin before their launch call: clocks disagree"},
        {"F7", "options", "recording options that were off"},
        {"F8", "percent of the recording", "time the profiler reported as its own overhead"},
        {"F9", "repairs", "the file was damaged; what could be read is shown"},
        {"F10", "steps", "leading steps without any device operation"},
        {"F11", "percent", "not computable from one trace: needs the step time without a profiler"},
    };
    for (unsigned i = 0; i < TP_QUALITY_FLAGS; i++) {
        q->flags[i].id = names[i].id;
        q->flags[i].unit = names[i].unit;
        q->flags[i].text = names[i].text;
        q->flags[i].type = TP_QUALITY_NULL;
    }
}

/* ---- counts ---- */

static void count_read(struct tp_quality *q, const struct tp_reading *r)
{
    const struct tp_quality_count counts[] = {
        {"annotation", (int64_t)r->read[TP_KIND_ANNOTATION]}, {"kernel", (int64_t)r->read[TP_KIND_KERNEL]},
        {"memcpy", (int64_t)r->read[TP_KIND_MEMCPY]},         {"memory", (int64_t)r->read_memory},
        {"memset", (int64_t)r->read[TP_KIND_MEMSET]},         {"op", (int64_t)r->read[TP_KIND_OPERATOR]},
        {"other", (int64_t)r->read[TP_KIND_OTHER]},           {"out_of_memory", (int64_t)r->read_out_of_memory},
        {"overhead", (int64_t)r->read[TP_KIND_OVERHEAD]},     {"python", (int64_t)r->read[TP_KIND_FRAME]},
        {"runtime", (int64_t)r->read[TP_KIND_RUNTIME]},       {"span", (int64_t)r->read[TP_KIND_SPAN]},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].count) {
            q->read[q->read_count++] = counts[i];
            q->read_total += counts[i].count;
        }
}

static void add_skipped(struct tp_quality *q, const char *name, uint64_t count)
{
    if (!count || q->skipped_count == TP_QUALITY_SKIPPED)
        return;
    q->skipped[q->skipped_count++] = (struct tp_quality_count){name, (int64_t)count};
    q->skipped_total += (int64_t)count;
}

/* In the order of the names. */
static void count_skipped(struct tp_quality *q, const struct tp_reading *r, struct tp_arena *arena)
{
    add_skipped(q, "no_time", r->skipped[TP_SKIP_NO_TIME]);
    add_skipped(q, "not_an_object", r->skipped[TP_SKIP_NOT_AN_OBJECT]);
    for (int letter = 0; letter < 128; letter++) {
        char name[] = "phase_?";
        name[6] = (char)letter;
        if (r->skipped_phase[letter])
            add_skipped(q, tp_arena_copy(arena, name, sizeof name - 1), r->skipped_phase[letter]);
    }
    add_skipped(q, "phase_unknown", r->skipped[TP_SKIP_PHASE_UNKNOWN]);
    add_skipped(q, "unknown_category", r->skipped[TP_SKIP_UNKNOWN_CATEGORY]);
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

static void flag_steps(struct tp_quality *q, const struct tp_host *host)
{
    int64_t used = host->is_whole ? 0 : host->step_count;
    struct tp_quality_flag *f = set_count(q, FLAG_STEPS, used < 2 || host->first_dropped, used);
    if (host->first_dropped)
        f->text = "first step left out: longer than 1.5 times the median";
    else if (used == 0)
        f->text = "no step is marked: the whole trace is one window";
    else if (used == 1)
        f->text = "one step only: nothing shows that it is typical";
    if (used < 2)
        weaken(f, timed_rules);
}

/* Sums over the device operations. */
struct op_sums {
    int64_t kernels, unlinked_kernels, kernel_ns, graph_ns;
    int64_t overlaps, short_overlaps, linked, before_launch;
};

static bool has_graph_id(const struct tp_host *host, uint32_t op)
{
    const struct tp_device_detail *d = tp_op_detail(host, op);
    return d && d->graph_id != TP_NULL_INT && d->graph_id > 0;
}

static struct op_sums sum_ops(const struct tp_host *host)
{
    struct op_sums s = {0};
    int64_t *latest = tp_arena_array(host->arena, host->lane_count, sizeof *latest);
    for (uint32_t i = 0; i < host->lane_count; i++)
        latest[i] = INT64_MIN;
    for (uint32_t i = 0; i < host->op_count; i++) {
        const struct tp_event *e = tp_op_event(host, i);
        const struct tp_host_call *call = tp_op_call(host, i);
        int64_t *end = &latest[host->ops[i].lane];
        if (tp_old_role(e) == TP_KIND_KERNEL) {
            s.kernels++;
            s.unlinked_kernels += !call;
            s.kernel_ns = tp_ns_plus(s.kernel_ns, e->dur_ns);
            if (tp_op_is_graph(host, i) || has_graph_id(host, i))
                s.graph_ns = tp_ns_plus(s.graph_ns, e->dur_ns);
        }
        if (e->ts_ns + 1 < *end) {
            s.overlaps++;
            s.short_overlaps += tp_ns_minus(*end, e->ts_ns) < SHORT_OVERLAP_NS;
        }
        *end = tp_ns_max(*end, tp_event_end(e));
        s.linked += call != NULL;
        s.before_launch += call && e->ts_ns < call->ts_ns;
    }
    return s;
}

static void flag_ops(struct tp_quality *q, const struct tp_host *host, struct tp_arena *arena)
{
    struct op_sums s = sum_ops(host);
    if (host->program == TP_PROGRAM_DEVICE_MISSING) {
        set_percent(q, FLAG_UNLINKED, true, 100.0)->text = "device work was launched, but none of it was recorded";
    } else {
        set_percent(q, FLAG_UNLINKED, s.kernels && 20 * s.unlinked_kernels > s.kernels,
                    tp_percent(s.unlinked_kernels, s.kernels));
    }
    weaken(&q->flags[FLAG_UNLINKED], idle_rules);
    bool has_graphs = s.kernel_ns && (__int128)5 * s.graph_ns > s.kernel_ns;
    weaken(set_percent(q, FLAG_GRAPHS, has_graphs, tp_percent(s.graph_ns, s.kernel_ns)), graph_rules);
    char line[160];
    int size =
        snprintf(line, sizeof line,
                 "device operations that begin before an earlier one on the same stream ends (%lld by less than 5 us)",
                 (long long)s.short_overlaps);
    set_count(q, FLAG_OVERLAPS, s.overlaps, s.overlaps)->text = tp_arena_copy(arena, line, (size_t)size);
    weaken(set_count(q, FLAG_CLOCKS, 100 * s.before_launch > s.linked, s.before_launch), idle_rules);
}

/* Host events and operations that are longer than the recording. */
static int64_t count_absurd(const struct tp_host *host)
{
    int64_t count = 0;
    if (host->profile_span <= 0 || host->longest_ns <= host->profile_span)
        return 0;
    for (uint32_t i = 0; i < host->trace->event_count; i++) {
        const struct tp_event *e = &host->trace->events[i];
        count += e->dur_ns > host->profile_span && (tp_is_host_role(tp_old_role(e)) || tp_is_device_role(tp_old_role(e)));
    }
    return count;
}

static void flag_options(struct tp_quality *q, const struct tp_host *host, struct tp_arena *arena)
{
    static const char *const shapes[] = {"C1", "C3", "C10", NULL}, *const stacks[] = {"A11", "idle_by_line", NULL};
    static const char *const memory[] = {"memory_peak", "D1", "D3", NULL};
    static const char *const modules[] = {"memory_peak.module", NULL};
    const struct {
        const char *name;
        bool is_on;
        const char *const *weakens;
    } options[] = {
        {"record_shapes", host->trace->options & TP_OPTION_RECORD_SHAPES || host->has_dims, shapes},
        {"with_stack", host->trace->options & TP_OPTION_WITH_STACK || host->has_python, stacks},
        {"profile_memory", host->trace->options & TP_OPTION_PROFILE_MEMORY || host->trace->reading.read_memory, memory},
        {"with_modules", host->trace->options & TP_OPTION_WITH_MODULES || host->has_modules, modules},
    };
    char text[160];
    int64_t missing = 0;
    size_t size = (size_t)snprintf(text, sizeof text, "recording options that were off");
    struct tp_quality_flag *f = set_count(q, FLAG_OPTIONS, true, 0);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (options[i].is_on)
            continue;
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%s", missing ? ", " : ": ", options[i].name);
        weaken(f, options[i].weakens);
        missing++;
    }
    f->is_raised = missing > 0;
    f->count = missing;
    f->text = tp_arena_copy(arena, text, size);
}

static void flag_overhead(struct tp_quality *q, const struct tp_host *host)
{
    struct tp_vec pieces = TP_VEC(host->arena, struct tp_interval);
    for (uint32_t i = 0; i < host->overhead_count; i++) {
        const struct tp_event *e = tp_host_event(host, host->overheads[i]);
        tp_intervals_push(&pieces, e->ts_ns, tp_event_end(e));
    }
    int64_t ns = tp_intervals_length(tp_intervals_of(&pieces));
    bool is_raised = (__int128)50 * ns > host->profile_span;
    weaken(set_percent(q, FLAG_OVERHEAD, is_raised, tp_percent(ns, host->profile_span)), timed_rules);
}

/* Leading steps without device operation while a later one has some. */
static int64_t count_leading(const struct tp_host *host)
{
    if (host->program != TP_PROGRAM_GPU || host->is_whole)
        return 0;
    for (uint32_t i = 0; i < host->step_count; i++)
        if (host->steps[i].has_ops)
            return i;
    return 0;
}

void tp_quality_build(struct tp_quality *q, struct tp_host *host, struct tp_arena *arena)
{
    const struct tp_reading *r = &host->trace->reading;
    memset(q, 0, sizeof *q);
    q->events_total = (int64_t)r->element_count;
    count_read(q, r);
    count_skipped(q, r, arena);
    count_notices(q, r);
    q->clamped_durations = (int64_t)r->negative_dur;
    q->repaired = (int64_t)r->repaired;
    q->badly_nested_host_events = (int64_t)host->bad_nesting;
    q->out_of_memory_events = (int64_t)r->read_out_of_memory;
    q->is_truncated = r->is_truncated;
    q->has_gzip_error = r->has_gzip_error;
    q->trace_start_ns = host->start;
    q->trace_end_ns = host->end;
    q->steps_found = host->steps_found;
    q->steps_partial = host->steps_partial;
    q->first_step_dropped = host->first_dropped;
    name_flags(q);
    int64_t absurd = count_absurd(host) + q->clamped_durations, bad = q->repaired + q->is_truncated + q->has_gzip_error;
    flag_steps(q, host);
    flag_ops(q, host, arena);
    set_count(q, FLAG_ABSURD, absurd, absurd);
    flag_options(q, host, arena);
    flag_overhead(q, host);
    weaken(set_count(q, FLAG_DAMAGE, bad, bad), timed_rules);
    int64_t leading = count_leading(host);
    weaken(set_count(q, FLAG_LEADING, leading, leading), idle_rules);
}

/* ---- JSON ---- */

static void counts_json(struct tp_json *json, const char *key, const struct tp_quality_count *counts, unsigned count)
{
    tp_json_key(json, key);
    tp_json_object(json);
    for (unsigned i = 0; i < count; i++)
        tp_json_member_int(json, counts[i].name, counts[i].count);
    tp_json_object_end(json);
}

static void flag_json(const struct tp_quality_flag *f, struct tp_json *json)
{
    tp_json_object(json);
    tp_json_member_text(json, "id", f->id);
    tp_json_member_bool(json, "raised", f->is_raised);
    if (f->type == TP_QUALITY_INT)
        tp_json_member_int(json, "value", f->count);
    else if (f->type == TP_QUALITY_REAL)
        tp_json_member_real(json, "value", f->percent);
    else
        tp_json_member_null(json, "value");
    tp_json_member_text(json, "unit", f->unit);
    tp_json_member_text(json, "text", f->text);
    tp_json_key(json, "weakens");
    tp_json_array(json);
    for (unsigned i = 0; i < f->weakens_count; i++)
        tp_json_text(json, f->weakens[i]);
    tp_json_array_end(json);
    tp_json_object_end(json);
}

void tp_quality_json(const struct tp_quality *q, struct tp_json *json)
{
    tp_json_object(json);
    tp_json_member_int(json, "events_total", q->events_total);
    counts_json(json, "read", q->read, q->read_count);
    counts_json(json, "skipped", q->skipped, q->skipped_count);
    tp_json_member_int(json, "read_total", q->read_total);
    tp_json_member_int(json, "skipped_total", q->skipped_total);
    tp_json_member_int(json, "clamped_negative_durations", q->clamped_durations);
    tp_json_member_int(json, "repaired", q->repaired);
    tp_json_member_bool(json, "truncated", q->is_truncated);
    tp_json_member_bool(json, "gzip_error", q->has_gzip_error);
    tp_json_member_int(json, "badly_nested_host_events", q->badly_nested_host_events);
    tp_json_member_int(json, "out_of_memory_events", q->out_of_memory_events);
    tp_json_key(json, "flags");
    tp_json_array(json);
    for (unsigned i = 0; i < TP_QUALITY_FLAGS; i++)
        flag_json(&q->flags[i], json);
    tp_json_array_end(json);
    tp_json_member_int(json, "trace_start_ns", q->trace_start_ns);
    tp_json_member_int(json, "trace_end_ns", q->trace_end_ns);
    tp_json_member_int(json, "steps_found", q->steps_found);
    tp_json_member_int(json, "steps_partial", q->steps_partial);
    tp_json_member_bool(json, "first_step_dropped", q->first_step_dropped);
    counts_json(json, "notices", q->notices, q->notice_count);
    tp_json_object_end(json);
}
