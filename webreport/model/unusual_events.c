/* Counts unusual events in the sorted events of a trace: see unusual_events.h. */
#include "webreport/model/unusual_events.h"

#include "webreport/model/conflicts.h"
#include "webreport/trace/regions.h"

static const int64_t DAY_NS = 86400ll * 1000000000;

/* Returns the k-th smallest item (k starts at 0), and reorders the items. Uses Hoare's selection with the median of
 * three as pivot, which is fast for sorted input. */
static int64_t select_nth_ns(int64_t *items, size_t count, size_t k)
{
    size_t lo = 0, hi = count - 1;
    while (lo < hi) {
        int64_t a = items[lo], b = items[lo + (hi - lo) / 2], c = items[hi];
        int64_t pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        size_t i = lo, j = hi;
        for (;;) {
            while (items[i] < pivot)
                i++;
            while (items[j] > pivot)
                j--;
            if (i >= j)
                break;
            int64_t swap = items[i];
            items[i++] = items[j];
            items[j--] = swap;
        }
        if (k <= j)
            hi = j;
        else
            lo = j + 1;
    }
    return items[k];
}

int64_t tp_unusual_events_median_ns(const struct tp_trace *trace, struct tp_arena *arena)
{
    /* maximum number of events from which the median is computed; these events are evenly spaced in the file */
    enum { SAMPLE = 4095 };
    size_t count = trace->event_count < SAMPLE ? trace->event_count : SAMPLE;
    if (count == 0)
        return 0;
    int64_t *starts = tp_arena_array(arena, count, sizeof *starts);
    for (size_t i = 0; i < count; i++)
        starts[i] = trace->events[i * trace->event_count / count].ts_ns;
    return select_nth_ns(starts, count, (count - 1) / 2);
}

static uint64_t count_events_far_from_median(const struct tp_trace *trace, int64_t middle_ns)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < trace->event_count; i++) {
        int64_t distance = trace->events[i].ts_ns - middle_ns;
        count += distance > DAY_NS || distance < -DAY_NS;
    }
    return count;
}

/* Counts device operations that overlap an earlier operation of their row. Operations are sorted by start, so it is
 * sufficient to keep the latest end of each row. */
static uint64_t count_overlapping_operations(const struct tp_trace *trace, const struct tp_order *order,
                                             struct tp_arena *arena)
{
    int64_t *end = tp_arena_array(arena, trace->thread_count, sizeof *end);
    uint8_t *is_used = tp_arena_array(arena, trace->thread_count, sizeof *is_used);
    uint64_t count = 0;
    for (uint32_t i = 0; i < order->device_count; i++) {
        const struct tp_event *e = &trace->events[order->device[i]];
        /* ignores one nanosecond, which is a rounding error */
        count += is_used[e->thread] && e->ts_ns + 1 < end[e->thread];
        if (!is_used[e->thread] || tp_event_end(e) > end[e->thread])
            end[e->thread] = tp_event_end(e);
        is_used[e->thread] = 1;
    }
    return count;
}

/* Returns the number that the recorder assigned to an event, unique among events of its kind; TP_NULL_INT: no
 * number. */
static int64_t recorder_number(const struct tp_trace *trace, const struct tp_event *e)
{
    if (e->detail == TP_NO_ID)
        return TP_NULL_INT;
    if (tp_kind_is_device(e->kind))
        return trace->devices[e->detail].correlation;
    if (e->kind == TP_KIND_RUNTIME)
        return trace->launches[e->detail].correlation;
    bool is_range = e->kind == TP_KIND_OPERATOR || e->kind == TP_KIND_ANNOTATION;
    return is_range ? trace->hosts[e->detail].external_id : TP_NULL_INT;
}

static bool is_same_event(const struct tp_trace *trace, const struct tp_event *a, const struct tp_event *b)
{
    int64_t number = recorder_number(trace, a);
    return a->ts_ns == b->ts_ns && a->dur_ns == b->dur_ns && a->kind == b->kind && a->name == b->name &&
           a->thread == b->thread && number > 0 && number == recorder_number(trace, b);
}

/* Counts events that equal the previous event in the order: same start, duration, kind, name, thread and number of the
 * recorder. */
static uint64_t count_duplicates(const struct tp_trace *trace, const uint32_t *order, uint32_t count)
{
    uint64_t twice = 0;
    for (uint32_t i = 1; i < count; i++)
        twice += is_same_event(trace, &trace->events[order[i - 1]], &trace->events[order[i]]);
    return twice;
}

static bool has_steps(const struct tp_trace *trace)
{
    for (uint32_t i = 0; i < trace->names.count; i++)
        if (tp_regions_by_name(tp_strings_get(&trace->names, i)) & TP_REGION_STEP_MARKER)
            return true;
    return false;
}

/* Returns true if the trace was recorded by `record --outside`. Such traces never have markers of steps. */
static bool is_recorded_from_outside(const struct tp_trace *trace)
{
    uint64_t count = 0;
    for (unsigned kind = TP_KIND_OPERATOR; kind <= TP_KIND_GPU_ANNOTATION; kind++)
        count += trace->reading.read[kind];
    return trace->state_count && !count;
}

void tp_unusual_events_count(struct tp_trace *trace, const struct tp_order *order, struct tp_arena *arena)
{
    uint64_t *notices = trace->reading.notices;
    notices[TP_NOTICE_TIME_OUTLIER] = count_events_far_from_median(trace, tp_unusual_events_median_ns(trace, arena));
    notices[TP_NOTICE_OVERLAP] = count_overlapping_operations(trace, order, arena);
    trace->reading.duplicate_events = count_duplicates(trace, order->host, order->host_count) +
                                      count_duplicates(trace, order->device, order->device_count);
    tp_conflicts_count(trace, order, arena);
    notices[TP_NOTICE_NO_STEPS] = !has_steps(trace) && !is_recorded_from_outside(trace);
}
