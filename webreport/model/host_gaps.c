/* Gaps are the complement of a device's busy time between its first and last moment of interest: see host_gaps.h. */
#include "webreport/model/host_gaps.h"

#include "webreport/model/host_links.h"
#include "webreport/model/merge_sort.h"

static void find_busy(struct tp_host *host, struct tp_host_device *device)
{
    struct tp_vec pieces = TP_VEC(host->arena, struct tp_interval);
    for (uint32_t i = 0; i < device->op_count; i++) {
        const struct tp_event *e = tp_op_event(host, device->ops[i]);
        int64_t end = tp_event_end(e);
        struct tp_interval *last = pieces.count ? TP_AT(&pieces, struct tp_interval, pieces.count - 1) : NULL;
        if (end <= e->ts_ns)
            continue;
        if (last && e->ts_ns <= last->b)
            last->b = tp_ns_max(last->b, end);
        else
            tp_intervals_push(&pieces, e->ts_ns, end);
    }
    device->busy = (struct tp_intervals){pieces.data, pieces.count};
}

/* Of the operations that start at `at` the one with the lowest ordinal. */
static uint32_t next_op(const struct tp_host *host, const struct tp_host_device *device, int64_t at)
{
    uint32_t i = tp_device_first_from(host, device, at), best = device->ops[i];
    for (i++; i < device->op_count && tp_op_event(host, device->ops[i])->ts_ns == at; i++)
        if (tp_op_event(host, device->ops[i])->ordinal < tp_op_event(host, best)->ordinal)
            best = device->ops[i];
    return best;
}

/* Why the device was idle from `a` on until `next` started. */
static enum tp_gap_class classify(const struct tp_host *host, int64_t a, uint32_t next)
{
    const struct tp_host_call *call = tp_op_call(host, next);
    if (!call)
        return TP_GAP_UNKNOWN;
    const struct tp_event *launch = tp_call_event(host, call);
    return launch->ts_ns >= a || tp_event_end(launch) > a ? TP_GAP_HOST : TP_GAP_DEPENDENCY;
}

static void find_gaps(struct tp_host *host, struct tp_host_device *device)
{
    struct tp_intervals busy = device->busy, w = host->windows;
    struct tp_vec gaps = TP_VEC(host->arena, struct tp_gap);
    if (busy.count) {
        int64_t at = busy.items[0].a, end = busy.items[busy.count - 1].b;
        if (w.count) {
            at = tp_ns_min(at, w.items[0].a);
            end = tp_ns_max(end, w.items[w.count - 1].b);
        }
        for (size_t i = 0; i < busy.count; i++) {
            int64_t b = busy.items[i].a;
            if (b > at) {
                uint32_t next = next_op(host, device, b);
                *(struct tp_gap *)tp_vec_push(&gaps) = (struct tp_gap){at, b, next, (uint8_t)classify(host, at, next)};
            }
            at = busy.items[i].b;
        }
        if (at < end)
            *(struct tp_gap *)tp_vec_push(&gaps) = (struct tp_gap){at, end, TP_NO_ID, TP_GAP_UNKNOWN};
    }
    device->gaps = gaps.data;
    device->gap_count = (uint32_t)gaps.count;
}

void tp_host_gaps_build(struct tp_host *host)
{
    for (uint32_t d = 0; d < host->device_count; d++) {
        find_busy(host, &host->devices[d]);
        find_gaps(host, &host->devices[d]);
    }
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
static void measure_wait(const struct tp_host *host, const struct tp_event *e, struct tp_host_wait *wait)
{
    wait->at = tp_event_end(e);
    if (wait->device == TP_NO_ID)
        return;
    const struct tp_host_device *device = &host->devices[wait->device];
    uint32_t next = tp_device_first_from(host, device, tp_event_end(e));
    if (next == device->op_count)
        return;
    if (next)
        wait->at = tp_ns_max(wait->at, device->latest_end[next - 1]);
    wait->bubble = tp_ns_max(0, tp_ns_minus(tp_op_event(host, device->ops[next])->ts_ns, wait->at));
    wait->cost = tp_ns_min(wait->bubble, e->dur_ns);
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
            uint64_t marks = tp_host_marks(host, call->event);
            if (call->first_op != TP_NO_ID)
                last_device = host->ops[call->first_op].device;
            if (!(marks & (TP_NAME_SYNC | TP_NAME_BLOCKING_COPY)))
                continue;
            struct tp_host_wait *wait = tp_vec_push(&waits);
            *wait = (struct tp_host_wait){.call = i, .device = last_device, .is_copy = !(marks & TP_NAME_SYNC)};
            measure_wait(host, tp_call_event(host, call), wait);
        }
    }
    host->waits = waits.data;
    host->wait_count = (uint32_t)waits.count;
    tp_merge_sort(host->arena, host->waits, host->wait_count, sizeof *host->waits, by_event, host);
}
