/* A trace file of any bytes: reading, ordering, and every index that the reader hands out. */
#include <stdint.h>
#include <stdlib.h>

#include "webreport/model/order.h"
#include "webreport/trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good)
{
    if (!good)
        abort();
}

static uint32_t detail_count(const struct tp_trace *trace, const struct tp_event *event)
{
    switch (event->kind != TP_KIND_NONE ? event->kind : event->role) {
    case TP_KIND_OPERATOR:
    case TP_KIND_ANNOTATION:
        return trace->host_count;
    case TP_KIND_RUNTIME:
        return trace->launch_count;
    case TP_KIND_KERNEL:
    case TP_KIND_MEMCPY:
    case TP_KIND_MEMSET:
        return trace->device_count;
    case TP_KIND_MODULE:
        return trace->module_count;
    default:
        return UINT32_MAX;
    }
}

static void check_events(const struct tp_trace *trace)
{
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *event = &trace->events[i];
        require(event->dur_ns >= 0 && event->name < trace->names.count && event->thread < trace->thread_count);
        require(event->kind < TP_KIND_COUNT && event->role < TP_KIND_COUNT);
        require(event->detail == TP_NO_ID || event->detail < detail_count(trace, event));
        require(i == 0 || trace->events[i - 1].ordinal < event->ordinal);
        (void)tp_event_end(event);
    }
}

static void check_order(const struct tp_trace *trace, struct tp_arena *arena)
{
    struct tp_order order;
    tp_order_build(&order, trace, arena);
    require(order.thread_first[trace->thread_count] == order.host_count);
    for (uint32_t t = 0; t < trace->thread_count; t++)
        for (uint32_t i = order.thread_first[t]; i + 1 < order.thread_first[t + 1]; i++)
            require(trace->events[order.host[i]].ts_ns <= trace->events[order.host[i + 1]].ts_ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_trace_options options = {.single_thread = true, .max_input_bytes = 64u << 20};
    tp_arena_init(&arena, 512u << 20);
    if (setjmp(arena.guard)) {
        tp_arena_release(&arena);
        return 0;
    }
    if (tp_trace_read_bytes(&trace, &arena, data, size, &options, NULL) == 0) {
        check_events(&trace);
        check_order(&trace, &arena);
    }
    tp_arena_release(&arena);
    return 0;
}
