/* Build order of the advice's model, and what concerns all of it: see host_model.h. */
#include "webreport/model/host_model.h"

#include "webreport/model/host_gaps.h"
#include "webreport/model/host_links.h"
#include "webreport/model/host_steps.h"
#include "webreport/model/host_tree.h"

static bool is_record(const struct tp_memory *m)
{
    return !(m->flags & TP_MEMORY_OUT_OF_MEMORY);
}

/* One pass over all events: what the host events show, and those that are in neither tree. */
struct survey {
    int64_t longest_span, longest_profile;
    bool has_profile;
    struct tp_vec overheads;
};

static void survey_host(struct tp_host *host, const struct tp_event *e)
{
    host->has_dims |= (e->flags & TP_EVENT_HAS_INPUT_DIMS) != 0;
    if (tp_old_role(e) == TP_KIND_FRAME) {
        host->has_python = true;
        host->has_modules |= (host->marks[e->name] & TP_NAME_MODULE) != 0;
    }
}

static void survey_other(struct tp_host *host, struct survey *s, uint32_t id)
{
    const struct tp_event *e = &host->trace->events[id];
    if (tp_old_role(e) == TP_KIND_OVERHEAD)
        *(uint32_t *)tp_vec_push(&s->overheads) = id;
    if (tp_old_role(e) != TP_KIND_SPAN)
        return;
    s->longest_span = tp_ns_max(s->longest_span, e->dur_ns);
    if (host->marks[e->name] & TP_NAME_PROFILER_SPAN) {
        s->has_profile = true;
        s->longest_profile = tp_ns_max(s->longest_profile, e->dur_ns);
    }
}

/* Start and end of everything that was recorded, the span the profiler says it covers, and what one pass finds besides.
 */
static void survey_events(struct tp_host *host)
{
    const struct tp_trace *trace = host->trace;
    struct survey s = {.overheads = TP_VEC(host->arena, uint32_t)};
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        bool is_host = tp_is_host_role(tp_old_role(e));
        if (!is_host && !tp_is_device_role(tp_old_role(e))) {
            survey_other(host, &s, i);
            continue;
        }
        first = tp_ns_min(first, e->ts_ns);
        last = tp_ns_max(last, tp_event_end(e));
        host->longest_ns = tp_ns_max(host->longest_ns, e->dur_ns);
        if (is_host)
            survey_host(host, e);
    }
    for (uint32_t i = 0; i < trace->memory_count; i++)
        if (is_record(&trace->memory[i])) {
            first = tp_ns_min(first, trace->memory[i].ts_ns);
            last = tp_ns_max(last, trace->memory[i].ts_ns);
        }
    host->start = first <= last ? first : 0;
    host->end = first <= last ? last : 0;
    host->profile_span = s.has_profile ? s.longest_profile : s.longest_span;
    if (host->profile_span == 0)
        host->profile_span = tp_ns_minus(host->end, host->start);
    host->overheads = s.overheads.data;
    host->overhead_count = (uint32_t)s.overheads.count;
}

void tp_host_build(struct tp_host *host, const struct tp_trace *trace, const struct tp_order *order,
                   struct tp_arena *arena)
{
    memset(host, 0, sizeof *host);
    host->trace = trace;
    host->arena = arena;
    host->marks = tp_host_names_mark(trace, arena);
    tp_host_frames_init(&host->frames, trace, arena);
    survey_events(host);
    tp_host_tree_build(host, order);
    tp_host_links_build(host, order);
    tp_host_steps_build(host);
    tp_host_gaps_build(host);
    tp_host_waits_build(host);
}

void tp_host_drop(struct tp_host *host)
{
    for (uint32_t d = 0; d < host->device_count; d++) {
        tp_intervals_drop(host->arena, host->devices[d].busy);
        tp_arena_drop(host->arena, host->devices[d].gaps, host->devices[d].gap_count * sizeof(struct tp_gap));
    }
    tp_arena_drop(host->arena, host->parent, host->trace->event_count * sizeof *host->parent);
    tp_arena_drop(host->arena, host->calls, host->call_count * sizeof *host->calls);
    tp_arena_drop(host->arena, host->ops, host->op_count * sizeof *host->ops);
    tp_arena_drop(host->arena, host->marks, host->trace->names.count * sizeof *host->marks);
    memset(host, 0, sizeof *host);
}

struct tp_str tp_host_line_of(struct tp_host *host, uint32_t event)
{
    for (; event != TP_NO_ID; event = host->parent[event]) {
        const struct tp_event *e = tp_host_event(host, event);
        uint32_t line = tp_old_role(e) == TP_KIND_FRAME ? tp_host_frames_line(&host->frames, e->name) : TP_NO_ID;
        if (line != TP_NO_ID)
            return tp_strings_get(&host->frames.lines, line);
    }
    return TP_STR("");
}

static int compare_row_ids(const struct tp_row_id *x, const struct tp_row_id *y)
{
    if (x->is_text != y->is_text)
        return x->is_text ? 1 : -1;
    if (x->is_text)
        return tp_str_compare(x->text, y->text);
    return (x->number > y->number) - (x->number < y->number);
}

int tp_host_thread_compare(const struct tp_trace *trace, uint32_t x, uint32_t y)
{
    int order = compare_row_ids(&trace->threads[x].pid, &trace->threads[y].pid);
    return order ? order : compare_row_ids(&trace->threads[x].tid, &trace->threads[y].tid);
}
