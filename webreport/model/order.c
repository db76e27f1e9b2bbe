/* Orders of host and device events: counting sort by thread, then one merge sort per thread that costs one pass when
 * the file is sorted already (Kineto writes a thread's operators in begin order). */
#include "webreport/model/order.h"

static bool is_host(const struct tp_event *e)
{
    static const uint8_t host[TP_KIND_COUNT] = {[TP_KIND_OPERATOR] = 1,
                                                [TP_KIND_ANNOTATION] = 1,
                                                [TP_KIND_RUNTIME] = 1,
                                                [TP_KIND_FRAME] = 1,
                                                [TP_KIND_MODULE] = 1};
    return host[e->kind] || host[e->role];
}

static bool is_device(const struct tp_event *e)
{
    return e->kind == TP_KIND_KERNEL || e->kind == TP_KIND_MEMCPY || e->kind == TP_KIND_MEMSET;
}

static inline bool stands_before(const struct tp_event *x, const struct tp_event *y)
{
    if (x->ts_ns != y->ts_ns)
        return x->ts_ns < y->ts_ns;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns;
    return x->ordinal < y->ordinal;
}

static void merge(const struct tp_event *events, uint32_t *items, uint32_t middle, uint32_t count, uint32_t *scratch)
{
    memcpy(scratch, items, middle * sizeof *items);
    uint32_t i = 0, j = middle, k = 0;
    while (i < middle && j < count)
        items[k++] = stands_before(&events[items[j]], &events[scratch[i]]) ? items[j++] : scratch[i++];
    while (i < middle)
        items[k++] = scratch[i++];
}

void tp_order_sort(const struct tp_trace *trace, uint32_t *indexes, uint32_t count, struct tp_arena *arena)
{
    const struct tp_event *events = trace->events;
    struct tp_vec starts = TP_VEC(arena, uint32_t); /* starts of the sorted runs */
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || stands_before(&events[indexes[i]], &events[indexes[i - 1]]))
            *(uint32_t *)tp_vec_push(&starts) = i;
    if (starts.count < 2)
        return;
    uint32_t *scratch = tp_arena_array(arena, count, sizeof *scratch);
    uint32_t *run = starts.data;
    size_t runs = starts.count;
    while (runs > 1) {
        size_t kept = 0;
        for (size_t r = 0; r < runs; r += 2) {
            uint32_t end = r + 2 < runs ? run[r + 2] : count;
            if (r + 1 < runs)
                merge(events, indexes + run[r], run[r + 1] - run[r], end - run[r], scratch);
            run[kept++] = run[r];
        }
        runs = kept;
    }
    tp_arena_drop(arena, scratch, count * sizeof *scratch);
}

void tp_order_build(struct tp_order *order, const struct tp_trace *trace, struct tp_arena *arena)
{
    uint32_t *first = tp_arena_array(arena, (size_t)trace->thread_count + 2, sizeof *first);
    uint32_t devices = 0;
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        if (is_host(e))
            first[e->thread + 2]++;
        else
            devices += is_device(e);
    }
    for (uint32_t t = 0; t < trace->thread_count; t++)
        first[t + 2] += first[t + 1];
    order->thread_first = first;
    order->host_count = first[trace->thread_count + 1];
    order->host = tp_arena_array(arena, order->host_count, sizeof *order->host);
    order->device = tp_arena_array(arena, devices, sizeof *order->device);
    order->device_count = 0;
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        if (is_host(e))
            order->host[first[e->thread + 1]++] = i; /* first[t + 1] runs up to the start of thread t + 1 */
        else if (is_device(e))
            order->device[order->device_count++] = i;
    }
    for (uint32_t t = 0; t < trace->thread_count; t++)
        tp_order_sort(trace, order->host + first[t], first[t + 1] - first[t], arena);
    tp_order_sort(trace, order->device, order->device_count, arena);
}
