/* Reads arbitrary bytes as a Perfetto trace, and checks indexes and order in the result. Bytes that are no packets get
 * the head of one, so that most inputs reach the reader. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/model/order.h"
#include "webreport/trace/trace.h"
#include "writer/base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void abort_unless(bool good)
{
    if (!good)
        abort();
}

static void check_trace(const struct tp_trace *trace, struct tp_arena *arena)
{
    struct tp_order order;
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *event = &trace->events[i];
        abort_unless(event->dur_ns >= 0 && event->name < trace->names.count && event->thread < trace->thread_count);
        abort_unless(event->kind != TP_KIND_NONE && event->kind < TP_KIND_COUNT);
        abort_unless(i == 0 || trace->events[i - 1].ordinal < event->ordinal);
    }
    for (uint32_t i = 0; i < trace->input.counter_count; i++)
        abort_unless(trace->input.counters[i].name < trace->texts.count);
    tp_order_build(&order, trace, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char head[] = "\x0a\x02\x50\x01"; /* a packet of sequence 1 */
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_trace_options options = {.single_thread = true, .max_input_bytes = 64u << 20, .wants_arguments = true};
    struct tp_buf bytes;
    tp_buf_init(&bytes, 0);
    if (size == 0 || data[0] != '\n')
        tp_buf_add(&bytes, head, sizeof head - 1);
    tp_buf_add(&bytes, data, size);
    tp_arena_init(&arena, 512u << 20);
    if (!bytes.failed && setjmp(arena.guard) == 0 &&
        tp_trace_read_bytes(&trace, &arena, bytes.data, bytes.size, &options, NULL) == 0)
        check_trace(&trace, &arena);
    tp_arena_release(&arena);
    tp_buf_release(&bytes);
    return 0;
}
