/* Reads arbitrary bytes as the arguments of an event. The reader must return compact JSON, and every query of such a
 * value must end. */
#include <stdint.h>
#include <stdlib.h>

#include "webreport/trace/json/strict.h"
#include "webreport/trace/json/value.h"
#include "webreport/trace/trace.h"
#include "writer/base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void abort_unless(bool good)
{
    if (!good)
        abort();
}

static bool is_json(struct tp_str text)
{
    struct tp_strict strict;
    tp_strict_init(&strict);
    return tp_strict_feed(&strict, text.ptr, text.len, NULL) == 0 && tp_strict_end(&strict, NULL) == 0;
}

static void read_every_value(struct tp_arena *arena, struct tp_str json)
{
    struct tp_str key, item;
    size_t at = 0, items = 0;
    abort_unless(is_json(json));
    abort_unless(is_json(tp_value_output_text(arena, json)));
    (void)tp_value_shape_text(arena, json);
    (void)tp_value_python_text(arena, json);
    (void)tp_value_text(arena, json);
    (void)tp_value_int(json);
    (void)tp_value_member(json, "x");
    while (tp_value_next(json, &at, &key, &item)) {
        abort_unless(item.len > 0 && ++items <= json.len);
        abort_unless(is_json(item));
    }
}

/* Adds an event that contains these bytes wherever the reader keeps values. */
static void add_event_with_bytes(struct tp_buf *text, const char *cat, const char *key, const uint8_t *data,
                                 size_t size)
{
    tp_buf_printf(
        text,
        "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"n\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,\"args\":{\"%s\":", cat,
        key);
    tp_buf_add(text, data, size);
    tp_buf_puts(text, "}},\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_trace_options options = {.single_thread = true};
    struct tp_buf text;
    tp_buf_init(&text, 0);
    tp_buf_puts(&text, "{\"traceEvents\":[\n");
    add_event_with_bytes(&text, "cpu_op", "Input Dims", data, size);
    add_event_with_bytes(&text, "cpu_op", "Input type", data, size);
    add_event_with_bytes(&text, "kernel", "grid", data, size);
    add_event_with_bytes(&text, "kernel", "stream", data, size);
    tp_buf_puts(&text, "{}],\"distributedInfo\":");
    tp_buf_add(&text, data, size);
    tp_buf_puts(&text, "}");
    tp_arena_init(&arena, 256u << 20);
    if (setjmp(arena.guard) == 0 && tp_trace_read_bytes(&trace, &arena, text.data, text.size, &options, NULL) == 0) {
        for (uint32_t i = 0; i < trace.values.count; i++)
            read_every_value(&arena, tp_strings_get(&trace.values, i));
        for (uint32_t i = 0; i < trace.header_count; i++)
            read_every_value(&arena, trace.header[i].value);
    }
    tp_arena_release(&arena);
    tp_buf_release(&text);
    return 0;
}
