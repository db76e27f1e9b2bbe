/* Sorts host events, device operations and memory records: see order.h. A counting sort groups events by thread,
 * then a merge sort orders each thread. The merge sort needs only one pass over a sorted file, such as Kineto
 * writes. */
#include "webreport/model/order.h"

#include "writer/base/rule_sort.h"
#include "writer/base/sort.h"

/* Returns true if event i comes before event j. context: the array of events. */
static inline __attribute__((always_inline)) bool comes_before_by_start_and_end(const void *context, uint32_t i,
                                                                                uint32_t j)
{
    const struct tp_event *x = (const struct tp_event *)context + i, *y = (const struct tp_event *)context + j;
    if (x->ts_ns != y->ts_ns)
        return x->ts_ns < y->ts_ns;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns;
    return x->ordinal < y->ordinal;
}

static inline __attribute__((always_inline)) bool comes_before_by_start(const void *context, uint32_t i, uint32_t j)
{
    const struct tp_event *x = (const struct tp_event *)context + i, *y = (const struct tp_event *)context + j;
    return x->ts_ns != y->ts_ns ? x->ts_ns < y->ts_ns : x->ordinal < y->ordinal;
}

static inline __attribute__((always_inline)) bool comes_before_by_tree(const void *context, uint32_t i, uint32_t j)
{
    static const uint8_t rank[TP_KIND_COUNT] = {
        [TP_KIND_ANNOTATION] = 1, [TP_KIND_OPERATOR] = 2, [TP_KIND_RUNTIME] = 3};
    const struct tp_event *x = (const struct tp_event *)context + i, *y = (const struct tp_event *)context + j;
    if (x->ts_ns != y->ts_ns)
        return x->ts_ns < y->ts_ns;
    if ((x->kind == TP_KIND_RUNTIME) != (y->kind == TP_KIND_RUNTIME))
        return y->kind == TP_KIND_RUNTIME;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns;
    if (rank[x->kind] != rank[y->kind])
        return rank[x->kind] < rank[y->kind];
    return x->ordinal < y->ordinal;
}

void tp_order_sort(const struct tp_trace *trace, uint32_t *indexes, uint32_t count, struct tp_arena *arena)
{
    tp_sort_by_rule(indexes, count, arena, trace->events, comes_before_by_start_and_end);
}

int tp_row_id_compare(const struct tp_row_id *x, const struct tp_row_id *y)
{
    if (x->is_text != y->is_text)
        return x->is_text - y->is_text;
    return x->is_text ? tp_str_compare(x->text, y->text) : (x->number > y->number) - (x->number < y->number);
}

int tp_thread_compare(const struct tp_thread *x, const struct tp_thread *y)
{
    int order = tp_row_id_compare(&x->pid, &y->pid);
    return order ? order : tp_row_id_compare(&x->tid, &y->tid);
}

static uint32_t *sort_memory_records(const struct tp_trace *trace, struct tp_arena *arena)
{
    uint32_t count = trace->memory_count, *memory = tp_arena_array(arena, count, sizeof *memory);
    struct tp_keyed *sorted = tp_arena_array(arena, count, sizeof *sorted);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (struct tp_keyed){trace->memory[i].ts_ns, i, i};
    tp_sort_keyed(sorted, count, arena);
    for (uint32_t i = 0; i < count; i++)
        memory[i] = sorted[i].item;
    tp_arena_free_item(arena, sorted, count * sizeof *sorted);
    return memory;
}

void tp_order_build(struct tp_order *order, const struct tp_trace *trace, struct tp_arena *arena)
{
    uint32_t *first = tp_arena_array(arena, (size_t)trace->thread_count + 2, sizeof *first);
    uint32_t devices = 0;
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        if (tp_kind_is_host(e->kind))
            first[e->thread + 2]++;
        else
            devices += tp_kind_is_device(e->kind);
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
        if (tp_kind_is_host(e->kind))
            order->host[first[e->thread + 1]++] = i; /* after the loop, first[t + 1] is the start of thread t + 1 */
        else if (tp_kind_is_device(e->kind))
            order->device[order->device_count++] = i;
    }
    for (uint32_t t = 0; t < trace->thread_count; t++)
        tp_sort_by_rule(order->host + first[t], first[t + 1] - first[t], arena, trace->events, comes_before_by_tree);
    tp_sort_by_rule(order->device, order->device_count, arena, trace->events, comes_before_by_start);
    order->memory = sort_memory_records(trace, arena);
}

uint32_t tp_order_first_from(const struct tp_order *order, const struct tp_trace *trace, uint32_t thread, int64_t at)
{
    uint32_t low = order->thread_first[thread], high = order->thread_first[thread + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (trace->events[order->host[middle]].ts_ns < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
