/* Reads arbitrary bytes as a trace file, and checks order and indexes in the result. Valid JSON is read again with
 * different white space, for which the reader runs other code. Both results must agree. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/model/order.h"
#include "webreport/trace/json/strict.h"
#include "webreport/trace/trace.h"
#include "writer/base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void abort_unless(bool good)
{
    if (!good)
        abort();
}

static uint32_t detail_count_of_kind(const struct tp_trace *trace, const struct tp_event *event)
{
    switch (event->kind) {
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
    case TP_KIND_OTHER:
        return trace->other_count;
    default:
        return UINT32_MAX;
    }
}

static void check_events(const struct tp_trace *trace)
{
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *event = &trace->events[i];
        abort_unless(event->dur_ns >= 0 && event->name < trace->names.count && event->thread < trace->thread_count);
        abort_unless(event->kind != TP_KIND_NONE && event->kind < TP_KIND_COUNT);
        abort_unless(event->detail == TP_NO_ID || event->detail < detail_count_of_kind(trace, event));
        abort_unless(i == 0 || trace->events[i - 1].ordinal < event->ordinal);
        (void)tp_event_end(event);
    }
}

static void check_event_order(const struct tp_trace *trace, struct tp_arena *arena)
{
    struct tp_order order;
    tp_order_build(&order, trace, arena);
    abort_unless(order.thread_first[trace->thread_count] == order.host_count);
    for (uint32_t t = 0; t < trace->thread_count; t++)
        for (uint32_t i = order.thread_first[t]; i + 1 < order.thread_first[t + 1]; i++)
            abort_unless(trace->events[order.host[i]].ts_ns <= trace->events[order.host[i + 1]].ts_ns);
}

static bool is_json(const uint8_t *data, size_t size)
{
    struct tp_strict strict;
    tp_strict_init(&strict);
    return tp_strict_feed(&strict, (const char *)data, size, NULL) == 0 && tp_strict_end(&strict, NULL) == 0;
}

/* Writes the same document with irregular white space around commas and colons. */
static void write_with_random_blanks(struct tp_buf *out, const uint8_t *data, size_t size)
{
    bool in_string = false;
    uint32_t seed = 7;
    for (size_t i = 0; i < size; i++) {
        tp_buf_putc(out, (char)data[i]);
        if (in_string && data[i] == '\\' && i + 1 < size) {
            tp_buf_putc(out, (char)data[++i]);
            continue;
        }
        in_string ^= data[i] == '"';
        seed = seed * 1664525u + 1013904223u;
        if (!in_string && (data[i] == ',' || data[i] == ':' || data[i] == '"'))
            tp_buf_add(out, " \n\t  \r ", seed >> 29);
    }
}

static bool is_same_text(struct tp_str a, struct tp_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static void compare_events(const struct tp_trace *a, const struct tp_trace *b)
{
    abort_unless(a->event_count == b->event_count && a->memory_count == b->memory_count &&
                 a->flow_count == b->flow_count);
    abort_unless(a->thread_count == b->thread_count && a->values.count == b->values.count &&
                 a->stack_texts.count == b->stack_texts.count && a->texts.count == b->texts.count);
    abort_unless(a->host_count == b->host_count && a->device_count == b->device_count &&
                 a->launch_count == b->launch_count);
    for (uint32_t i = 0; i < a->event_count; i++) {
        const struct tp_event *x = &a->events[i], *y = &b->events[i];
        abort_unless(x->ts_ns == y->ts_ns && x->dur_ns == y->dur_ns && x->thread == y->thread &&
                     x->ordinal == y->ordinal);
        abort_unless(x->kind == y->kind && x->flags == y->flags && x->detail == y->detail);
        abort_unless(is_same_text(tp_trace_event_name(a, x), tp_trace_event_name(b, y)));
    }
    for (uint32_t i = 0; i < a->values.count; i++)
        abort_unless(is_same_text(tp_strings_get(&a->values, i), tp_strings_get(&b->values, i)));
    for (uint32_t i = 0; i < a->launch_count; i++)
        abort_unless(a->launches[i].correlation == b->launches[i].correlation);
    for (int i = 0; i < TP_NOTICE_COUNT; i++)
        abort_unless(a->reading.notices[i] == b->reading.notices[i]);
}

static void compare_with_second_read(const struct tp_trace *first, struct tp_arena *arena, const struct tp_buf *text,
                                     const struct tp_trace_options *options)
{
    struct tp_trace second;
    abort_unless(tp_trace_read_bytes(&second, arena, text->data, text->size, options, NULL) == 0);
    compare_events(first, &second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_trace_options options = {.single_thread = true, .max_input_bytes = 64u << 20};
    struct tp_buf text;
    tp_buf_init(&text, 0);
    tp_arena_init(&arena, 512u << 20);
    if (setjmp(arena.guard) == 0 && tp_trace_read_bytes(&trace, &arena, data, size, &options, NULL) == 0) {
        check_events(&trace);
        check_event_order(&trace, &arena);
        if (is_json(data, size)) {
            write_with_random_blanks(&text, data, size);
            compare_with_second_read(&trace, &arena, &text, &options);
        }
    }
    tp_arena_release(&arena);
    tp_buf_release(&text);
    return 0;
}
