/* Orders of host and device events and of memory records: counting sort by thread, then one merge sort per thread that
 * costs one pass when the file is sorted already (Kineto writes a thread's operators in begin order). */
#include "webreport/model/order.h"

#include "writer/base/sort.h"

typedef bool before_fn(const struct tp_event *x, const struct tp_event *y);

static inline __attribute__((always_inline)) bool by_start_and_end(const struct tp_event *x, const struct tp_event *y)
{
    if (x->ts_ns != y->ts_ns)
        return x->ts_ns < y->ts_ns;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns;
    return x->ordinal < y->ordinal;
}

static inline __attribute__((always_inline)) bool by_start(const struct tp_event *x, const struct tp_event *y)
{
    return x->ts_ns != y->ts_ns ? x->ts_ns < y->ts_ns : x->ordinal < y->ordinal;
}

static inline __attribute__((always_inline)) bool by_tree(const struct tp_event *x, const struct tp_event *y)
{
    static const uint8_t rank[TP_KIND_COUNT] = {
        [TP_KIND_ANNOTATION] = 1, [TP_KIND_OPERATOR] = 2, [TP_KIND_RUNTIME] = 3};
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

static inline __attribute__((always_inline)) void merge(const struct tp_event *events, uint32_t *items, uint32_t middle,
                                                        uint32_t count, uint32_t *scratch, before_fn *stands_before)
{
    memcpy(scratch, items, middle * sizeof *items);
    uint32_t i = 0, j = middle, k = 0;
    while (i < middle && j < count)
        items[k++] = stands_before(&events[items[j]], &events[scratch[i]]) ? items[j++] : scratch[i++];
    while (i < middle)
        items[k++] = scratch[i++];
}

/* Inline, so that each order has its own code. */
static inline __attribute__((always_inline)) void sort(const struct tp_event *events, uint32_t *indexes, uint32_t count,
                                                       struct tp_arena *arena, before_fn *stands_before)
{
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
                merge(events, indexes + run[r], run[r + 1] - run[r], end - run[r], scratch, stands_before);
            run[kept++] = run[r];
        }
        runs = kept;
    }
    tp_arena_drop(arena, scratch, count * sizeof *scratch);
}

void tp_order_sort(const struct tp_trace *trace, uint32_t *indexes, uint32_t count, struct tp_arena *arena)
{
    sort(trace->events, indexes, count, arena, by_start_and_end);
}

static int compare_ids(const struct tp_row_id *x, const struct tp_row_id *y)
{
    if (x->is_text != y->is_text)
        return x->is_text - y->is_text;
    return x->is_text ? tp_str_compare(x->text, y->text) : (x->number > y->number) - (x->number < y->number);
}

int tp_thread_compare(const struct tp_thread *x, const struct tp_thread *y)
{
    int order = compare_ids(&x->pid, &y->pid);
    return order ? order : compare_ids(&x->tid, &y->tid);
}

static uint32_t *order_memory(const struct tp_trace *trace, struct tp_arena *arena)
{
    uint32_t count = trace->memory_count, *memory = tp_arena_array(arena, count, sizeof *memory);
    struct tp_keyed *sorted = tp_arena_array(arena, count, sizeof *sorted);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (struct tp_keyed){trace->memory[i].ts_ns, i, i};
    tp_sort_keyed(sorted, count, arena);
    for (uint32_t i = 0; i < count; i++)
        memory[i] = sorted[i].item;
    tp_arena_drop(arena, sorted, count * sizeof *sorted);
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
            order->host[first[e->thread + 1]++] = i; /* first[t + 1] runs up to the start of thread t + 1 */
        else if (tp_kind_is_device(e->kind))
            order->device[order->device_count++] = i;
    }
    for (uint32_t t = 0; t < trace->thread_count; t++)
        sort(trace->events, order->host + first[t], first[t + 1] - first[t], arena, by_tree);
    sort(trace->events, order->device, order->device_count, arena, by_start);
    order->memory = order_memory(trace, arena);
}
