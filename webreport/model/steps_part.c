/* Makes some consecutive steps of a trace a trace of their own: see steps_part.h. */
#include "webreport/model/steps_part.h"

#include "webreport/model/build.h"
#include "webreport/model/numbers.h"

struct tp_steps_extent tp_steps_extent_empty(void)
{
    return (struct tp_steps_extent){INT64_MAX, INT64_MIN, INT64_MIN};
}

void tp_steps_extent_add(struct tp_steps_extent *extent, const struct tp_step *step)
{
    /* device work of a step may start after the host's step */
    extent->from_ns = tp_ns_min(extent->from_ns, tp_ns_min(step->start_ns, step->host_start_ns));
    extent->until_ns = tp_ns_max(extent->until_ns, tp_ns_max(step->end_ns, step->host_end_ns));
    extent->host_until_ns = tp_ns_max(extent->host_until_ns, step->host_end_ns);
}

bool tp_steps_extent_launched(const struct tp_steps_extent *extent, const struct tp_model *model, uint32_t k)
{
    uint32_t launch = model->devices.launch[k];
    if (launch == TP_NO_ID)
        return false;
    const struct tp_event *call = tp_launch_event(model, launch);
    return call->ts_ns < extent->host_until_ns && tp_event_end(call) >= extent->from_ns;
}

/* Returns for each event of the trace whether a call of the steps launched it, as bits. *is_any: whether there is such
 * an event. */
static uint64_t *find_launched(const struct tp_steps_extent *extent, const struct tp_model *whole, bool *is_any,
                               struct tp_arena *arena)
{
    uint64_t *bits = tp_arena_array(arena, (size_t)whole->trace->event_count / 64 + 1, sizeof *bits);
    *is_any = false;
    for (uint32_t k = 0; k < whole->devices.count; k++) {
        uint32_t event = whole->devices.event[k];
        if (!tp_steps_extent_launched(extent, whole, k))
            continue;
        bits[event / 64] |= UINT64_C(1) << event % 64;
        *is_any = true;
    }
    return bits;
}

/* Copies the events of the steps, in the order of the file. */
static void copy_events(struct tp_trace *part, const struct tp_steps_extent *extent, const struct tp_model *whole,
                        struct tp_arena *arena)
{
    const struct tp_trace *trace = whole->trace;
    bool is_any;
    uint64_t *kept = find_launched(extent, whole, &is_any, arena);
    int64_t until_ns = is_any ? extent->host_until_ns : extent->until_ns;
    uint32_t count = 0;
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        bool overlaps = tp_overlaps_range(e->ts_ns, tp_event_end(e), extent->from_ns, until_ns);
        kept[i / 64] |= (uint64_t)overlaps << i % 64;
        count += kept[i / 64] >> i % 64 & 1;
    }
    part->events = tp_arena_array(arena, count, sizeof *part->events);
    part->event_count = 0;
    for (uint32_t i = 0; i < trace->event_count; i++)
        if (kept[i / 64] >> i % 64 & 1)
            part->events[part->event_count++] = trace->events[i];
    tp_arena_free_item(arena, kept, ((size_t)trace->event_count / 64 + 1) * sizeof *kept);
}

/* Returns the time from which on devices have done all work of the steps before the part, and at least the first step
 * of the part has begun. first: index of the first step. */
static int64_t end_of_lead_in(const struct tp_steps_extent *extent, const struct tp_model *whole, uint32_t first)
{
    if (first == 0)
        return INT64_MIN;
    int64_t end = tp_sat_add(whole->steps[first].host_start_ns, 1);
    for (uint32_t k = 0; k < whole->devices.count; k++) {
        uint32_t launch = whole->devices.launch[k];
        if (launch != TP_NO_ID && tp_launch_event(whole, launch)->ts_ns < extent->from_ns)
            end = tp_ns_max(end, tp_event_end(tp_device_event(whole, k)));
    }
    return end;
}

void tp_steps_part_build(struct tp_steps_part *part, const struct tp_model *whole, uint32_t first, uint32_t last,
                         struct tp_arena *arena)
{
    struct tp_steps_extent extent = tp_steps_extent_empty();
    for (uint32_t i = first; i <= last; i++)
        tp_steps_extent_add(&extent, &whole->steps[i]);
    part->trace = *whole->trace;
    part->trace.is_part = true;
    part->trace.lead_in_until_ns = end_of_lead_in(&extent, whole, first);
    part->trace.arena = arena;
    part->trace.memory_count = 0; /* no number of a part needs memory records */
    part->trace.capture = (struct tp_capture_data){0};
    copy_events(&part->trace, &extent, whole, arena);
    tp_order_build(&part->order, &part->trace, arena);
    tp_model_build(&part->model, &part->trace, &part->order, arena);
    part->model.program = whole->program; /* without memory records, less is known about the program */
    part->model.missing = whole->missing;
}
