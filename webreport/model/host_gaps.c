/* Gaps are the complement of a device's busy time between its first and last moment of interest: see host_gaps.h. */
#include "webreport/model/host_gaps.h"

#include "webreport/model/host_links.h"
#include "writer/base/sort.h"

/* Why the device was idle from `a` on until `next` started. */
static enum tp_gap_class classify(const struct tp_host *host, int64_t a, uint32_t next)
{
    const struct tp_host_call *call = tp_op_call(host, next);
    if (!call)
        return TP_GAP_UNKNOWN;
    return call->ts_ns >= a || tp_call_end(call) > a ? TP_GAP_HOST : TP_GAP_DEPENDENCY;
}

/* Of the operations that start together with the i-th, the first of them, the one with the lowest ordinal. */
static uint32_t lowest_of_start(const struct tp_host *host, const struct tp_host_device *device, uint32_t i)
{
    uint32_t best = device->ops[i];
    int64_t start = tp_op_event(host, best)->ts_ns;
    for (i++; i < device->op_count && tp_op_event(host, device->ops[i])->ts_ns == start; i++)
        if (tp_op_event(host, device->ops[i])->ordinal < tp_op_event(host, best)->ordinal)
            best = device->ops[i];
    return best;
}

static void add_gap(const struct tp_host *host, struct tp_vec *gaps, int64_t a, int64_t b, uint32_t next)
{
    struct tp_gap *gap = tp_vec_push(gaps);
    *gap = (struct tp_gap){a, b, next, TP_GAP_UNKNOWN, false};
    if (next == TP_NO_ID)
        return;
    gap->class = (uint8_t)classify(host, a, next);
    gap->is_in_graph = gap->class == TP_GAP_DEPENDENCY && tp_op_is_graph(host, next);
}

/* One walk over the operations: a piece of busy time begins where an operation starts after all before it have ended.
 * The first of those that start together is the longest, so it is no empty one. */
static void find_gaps(struct tp_host *host, struct tp_host_device *device)
{
    struct tp_intervals w = host->windows;
    struct tp_vec pieces = TP_VEC(host->arena, struct tp_interval), gaps = TP_VEC(host->arena, struct tp_gap);
    int64_t at = w.count ? w.items[0].a : INT64_MAX, end = w.count ? w.items[w.count - 1].b : INT64_MIN;
    struct tp_interval piece = {INT64_MIN, INT64_MIN};
    for (uint32_t i = 0; i < device->op_count; i++) {
        const struct tp_event *e = tp_op_event(host, device->ops[i]);
        int64_t b = tp_event_end(e);
        if (b <= e->ts_ns)
            continue;
        if (piece.b > piece.a && e->ts_ns <= piece.b) {
            piece.b = tp_ns_max(piece.b, b);
            continue;
        }
        if (piece.b > piece.a)
            tp_intervals_push(&pieces, piece.a, at = piece.b);
        if (at < e->ts_ns)
            add_gap(host, &gaps, at, e->ts_ns, lowest_of_start(host, device, i));
        piece = (struct tp_interval){e->ts_ns, b};
    }
    if (piece.b > piece.a) {
        tp_intervals_push(&pieces, piece.a, piece.b);
        if (piece.b < end)
            add_gap(host, &gaps, piece.b, end, TP_NO_ID);
    }
    device->busy = (struct tp_intervals){pieces.data, pieces.count};
    device->gaps = gaps.data;
    device->gap_count = (uint32_t)gaps.count;
}

void tp_host_gaps_build(struct tp_host *host)
{
    for (uint32_t d = 0; d < host->device_count; d++)
        find_gaps(host, &host->devices[d]);
}

uint32_t tp_device_gap_after(const struct tp_host_device *device, int64_t at)
{
    uint32_t lo = 0, hi = device->gap_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (device->gaps[mid].b <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* ---- waits ---- */

/* How long the device ran dry after the call returned, and the part of it that the call can be blamed for. */
static void measure_wait(const struct tp_host *host, const struct tp_host_call *call, struct tp_host_wait *wait)
{
    wait->at = tp_call_end(call);
    if (wait->device == TP_NO_ID)
        return;
    const struct tp_host_device *device = &host->devices[wait->device];
    uint32_t next = tp_device_first_from(host, device, tp_call_end(call));
    if (next == device->op_count)
        return;
    if (next)
        wait->at = tp_ns_max(wait->at, device->latest_end[next - 1]);
    wait->bubble = tp_ns_max(0, tp_ns_minus(tp_op_event(host, device->ops[next])->ts_ns, wait->at));
    wait->cost = tp_ns_min(wait->bubble, call->dur_ns);
}

static int by_event(const void *x, const void *y, const void *context)
{
    const struct tp_host *host = context;
    const struct tp_host_wait *a = x, *b = y;
    return tp_event_compare(tp_call_event(host, &host->calls[a->call]), tp_call_event(host, &host->calls[b->call]));
}

void tp_host_waits_build(struct tp_host *host)
{
    struct tp_vec waits = TP_VEC(host->arena, struct tp_host_wait);
    for (uint32_t t = 0; t < host->trace->thread_count; t++) {
        uint32_t last_device = host->main_device;
        for (uint32_t i = host->thread_calls[t]; i < host->thread_calls[t + 1]; i++) {
            const struct tp_host_call *call = &host->calls[i];
            uint64_t marks = host->marks[call->name];
            if (call->first_op != TP_NO_ID)
                last_device = host->ops[call->first_op].device;
            if (!(marks & (TP_NAME_SYNC | TP_NAME_BLOCKING_COPY)))
                continue;
            struct tp_host_wait *wait = tp_vec_push(&waits);
            *wait = (struct tp_host_wait){.call = i, .device = last_device, .is_copy = !(marks & TP_NAME_SYNC)};
            measure_wait(host, call, wait);
        }
    }
    host->waits = waits.data;
    host->wait_count = (uint32_t)waits.count;
    tp_merge_sort(host->arena, host->waits, host->wait_count, sizeof *host->waits, by_event, host);
}
