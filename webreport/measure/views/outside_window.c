/* Implements outside_window.h: finds the part of a recording outside the analysed steps. */
#include "webreport/measure/views/outside_window.h"

#include "webreport/measure/views/fold_times.h"
#include "webreport/model/numbers.h"
#include "webreport/trace/regions.h"
#include "writer/base/saturate.h"

static const double NAMED_PERCENT = 10;
static const int64_t NAMED_NS = 10000000;

/* Returns the interval of the recording: from the start of the profiler's own span, or of the first event, to the end
 * of the last event. The end of the profiler's span is ignored, because old profilers process their records after the
 * recording but inside this span. */
static struct tp_interval recording_interval(const struct tp_model *model)
{
    struct tp_interval all = {model->first_ns, model->first_ns};
    if (!model->kind_count[TP_KIND_SPAN])
        return (struct tp_interval){model->first_ns, model->last_ns};
    int64_t begin = INT64_MAX, first = INT64_MAX;
    for (uint32_t i = 0; i < model->trace->event_count; i++) {
        const struct tp_event *e = &model->trace->events[i];
        bool is_own = e->kind == TP_KIND_SPAN && model->marks[e->name] & TP_MARK_PROFILER_SPAN;
        begin = is_own ? tp_ns_min(begin, e->ts_ns) : begin;
        if (!tp_kind_is_host(e->kind) && !tp_kind_is_device(e->kind))
            continue;
        first = tp_ns_min(first, e->ts_ns);
        all.b = tp_ns_max(all.b, tp_event_end(e));
    }
    all.a = tp_ns_min(begin, first);
    return all;
}

/* Fills line and line_ns with the kernel, copy or set that takes most of `time`. If several take equally long, uses the
 * first name in alphabetical order. */
static void set_longest_operation(struct tp_outside_part *out, const struct tp_model *model, struct tp_intervals time,
                                  struct tp_arena *arena)
{
    const struct tp_strings *names = &model->trace->names;
    int64_t *ns = tp_arena_array(arena, names->count, sizeof *ns);
    uint32_t best = TP_NO_ID;
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        if (tp_intervals_contain(time, e->ts_ns))
            ns[e->name] = tp_sat_add(ns[e->name], e->dur_ns);
    }
    for (uint32_t n = 0; n < names->count; n++)
        if (ns[n] && (best == TP_NO_ID || ns[n] > ns[best] ||
                      (ns[n] == ns[best] && tp_str_compare(names->items[n], names->items[best]) < 0)))
            best = n;
    if (best != TP_NO_ID) {
        out->line = names->items[best];
        out->line_ns = ns[best];
    }
    tp_arena_free_item(arena, ns, names->count * sizeof *ns);
}

/* Fills kind, line and line_ns with the main thread's activity that takes most of `time`. */
static void set_longest_code(struct tp_outside_part *out, const struct tp_model *model, struct tp_intervals time,
                             struct tp_arena *arena)
{
    struct tp_fold_times times;
    struct tp_stack_walk walk = {.model = model, .arena = arena, .visit = tp_fold_times_add, .context = &times};
    struct tp_stack_slice *pieces = tp_arena_array(arena, time.count, sizeof *pieces);
    for (size_t i = 0; i < time.count; i++)
        pieces[i] = (struct tp_stack_slice){time.items[i].a, time.items[i].b, 0};
    tp_fold_times_init(&times, arena);
    tp_stack_walk(&walk, model->host_main, pieces, time.count);
    struct tp_fold_time longest = tp_fold_times_longest(&times, model);
    out->kind = tp_stack_kind_text((enum tp_stack_kind)longest.fold.kind);
    out->line = tp_fold_text(model, longest.fold);
    out->line_ns = longest.ns;
}

void tp_outside_part_find(struct tp_outside_part *out, const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_interval all = recording_interval(model);
    *out = (struct tp_outside_part){.recorded_ns = tp_sat_sub(all.b, all.a)};
    if (!model->window.count || out->recorded_ns <= 0)
        return;
    struct tp_intervals time = tp_intervals_difference(arena, (struct tp_intervals){&all, 1}, model->window);
    out->total_ns = tp_intervals_length(time);
    out->before_ns = tp_ns_max(0, tp_sat_sub(model->window.items[0].a, all.a));
    out->after_ns = tp_ns_max(0, tp_sat_sub(all.b, model->window.items[model->window.count - 1].b));
    out->is_named = out->total_ns >= NAMED_NS && tp_percent(out->total_ns, out->recorded_ns) >= NAMED_PERCENT;
    if (!out->is_named)
        return;
    out->is_device = tp_intervals_intersection_length(model->device_busy, time) >= out->total_ns - out->total_ns / 2;
    if (out->is_device)
        set_longest_operation(out, model, time, arena);
    else
        set_longest_code(out, model, time, arena);
}
