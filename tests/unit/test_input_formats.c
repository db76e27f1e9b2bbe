/* Tests the table of input formats. Each format is recognized by its first bytes. Each message about a refused file
 * says what the user should do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "webreport/trace/inputs/input_format.h"
#include "webreport/trace/inputs/signs.h"

/* First bytes of files, and the expected format. size 0: `head` is a NUL-terminated text. */
static const struct {
    const char *format, *name, *head;
    size_t size;
} samples[] = {
    {"zstd", NULL, "\x28\xB5\x2F\xFD\0", 5},
    {"torch.save", NULL, "PK\x03\x04 model/data.pkl", 0},
    {"zip", "a.zip", "PK\x03\x04 trace.json", 0},
    {"gzip twice", NULL, "\x1F\x8B\x08", 3},
    {"SQLite", NULL, "SQLite format 3\0 CREATE TABLE x", 31},
    {"Nsight Systems report", "a.nsys-rep", "unknown bytes", 0},
    {"spool", NULL, "\001tpspool and more", 0},
    {"memory snapshot", NULL, "\x80\x04 segments", 0},
    {"memory snapshot", "a.pickle", "(dp0", 0},
    {"memory snapshot", "a.html", "<!DOCTYPE html> local_files = [{\"name\": \"a\", \"base64\": \"gA==\"}]", 0},
    {"Flight Recorder", "a.pickle", "\x80\x04 pg_config", 0},
    {"speedscope", NULL, "{\"shared\": {}, \"profiles\": []}", 0},
    {"Jupyter notebook", NULL, "\n {\"cells\": [], \"nbformat\": 4}", 0},
    {"memory timeline", NULL, "[[0, 1]]", 0},
    {"perf script", NULL, "python 10 1.000001: 1 cycles: main", 0},
    {"folded stacks", NULL, "a;b 3\nc 4\n", 0},
    {"SVG", NULL, "<?xml?><svg>", 0},
    {"HTML", NULL, "<!DOCTYPE html>", 0},
    {"XML", NULL, "<a/>", 0},
    {"pprof", NULL, "\n\x04\x08\x01\x10\x02\x12\x04\x08\x03\x10\x04", 12},
    {"Perfetto", NULL, "\n\x02\x50\x01\n\x02\x50\x01", 8},
    {"TensorBoard events", "events.out.tfevents.1.host", "\x18 bytes", 0},
    {"trace in JSON", "a.nsys-rep", "{\"traceEvents\": [], \"nodes\": 1, \"schema\": 1}", 0},
    {"trace in JSON", NULL, "", 0},
};

static void each_format_is_recognised_by_its_head(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        size_t size = samples[i].size ? samples[i].size : strlen(samples[i].head);
        assert_string_equal(tp_input_format_detect(samples[i].head, size, samples[i].name)->name, samples[i].format);
    }
}

static void each_truncated_head_has_a_format(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        size_t size = samples[i].size ? samples[i].size : strlen(samples[i].head);
        for (size_t cut = 0; cut < size; cut++)
            assert_non_null(tp_input_format_detect(samples[i].head, cut, samples[i].name)->name);
    }
    /* the head of an empty file has no bytes, and signatures may point into its text */
    assert_string_equal(tp_sign_make_head(NULL, 0, NULL).text, "");
    assert_string_equal(tp_input_format_detect(NULL, 0, NULL)->name, "trace in JSON");
}

static void only_the_last_row_accepts_every_head(void **state)
{
    (void)state;
    const struct tp_input_format *format = tp_input_formats;
    for (; (format + 1)->name; format++) {
        assert_non_null(format->is_one);
        assert_true(format->read || format->refusal); /* each format has a reader or a message that refuses it */
        assert_true(!format->refusal || strlen(format->refusal) > 10);
    }
    assert_string_equal(format->name, "trace in JSON");
    assert_null(format->refusal);
    assert_ptr_equal(tp_input_format_detect("no format", 9, NULL), format);
}

static void names_of_other_tools_are_known(void **state)
{
    (void)state;
    assert_true(tp_input_format_has_ending("run/a.nsys-rep"));
    assert_true(tp_input_format_has_ending("a.tar.gz"));
    assert_true(tp_input_format_has_ending("a.sqlite3"));
    assert_false(tp_input_format_has_ending("a.json.gz"));
    assert_false(tp_input_format_has_ending("sqlite"));
    assert_int_equal(tp_input_format_ending_bytes("run/a.sqlite"), 7);
    assert_int_equal(tp_input_format_ending_bytes("a.rpd.gz"), 7);
    assert_int_equal(tp_input_format_ending_bytes("a.nsys-rep"), 0);
    assert_int_equal(tp_input_format_ending_bytes("a.json"), 0);
}

/* ---- an example format as in CONTRIBUTING.md: its test, its reader and its row ---- */

static bool is_null(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    return head->size >= sign->size && memcmp(head->text, sign->bytes, sign->size) == 0;
}

/* Produces one kernel and the call that launched it. */
static int read_null(struct tp_source *source)
{
    struct tp_sink *sink = source->sink;
    const struct tp_row_id host = {.number = 1}, device = {.number = 0}, stream = {.number = 7};
    uint32_t call_cat = tp_sink_intern_text(sink, &sink->cats, TP_STR("cuda_runtime"));
    uint32_t kernel_cat = tp_sink_intern_text(sink, &sink->cats, TP_STR("kernel"));
    struct tp_sink_slice call = {.cat = call_cat, .has_correlation = true, .correlation = 5};
    struct tp_sink_slice kernel = {.cat = kernel_cat, .has_correlation = true, .correlation = 5};
    const struct tp_device_setup setup = {.bytes = TP_NULL_INT, .device = 0, .stream = 7};
    call.event = (struct tp_event){.ts_ns = 10, .dur_ns = 2, .kind = TP_KIND_RUNTIME};
    call.event.name = tp_sink_intern_text(sink, &sink->names, TP_STR("cudaLaunchKernel"));
    call.event.thread = tp_sink_add_thread(sink, &host, &host) & 0xFFFFF;
    call.event.detail = tp_sink_add_launch(sink, &(struct tp_launch_detail){TP_NULL_INT, 5});
    tp_sink_slice(sink, &call);
    kernel.event = (struct tp_event){.ts_ns = 20, .dur_ns = 30, .kind = TP_KIND_KERNEL, .ordinal = 1};
    kernel.event.name = tp_sink_intern_text(sink, &sink->names, TP_STR("a \"kernel\"\n"));
    kernel.event.thread = tp_sink_add_thread(sink, &device, &stream) & 0xFFFFF;
    kernel.event.detail = tp_sink_add_device(sink, (struct tp_device_detail){TP_NULL_INT, 5, 0, TP_NO_ID}, &setup);
    tp_sink_slice(sink, &kernel);
    sink->trace->reading.element_count = 2;
    return TP_OK;
}

static const struct tp_input_format null_format = {
    .name = "null", .is_one = is_null, .sign = {.bytes = "NULL", .size = 4}, .read = read_null};

struct null_trace {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_sink sink;
};

static int read_null_trace(void *context, struct tp_error *err)
{
    struct null_trace *null = context;
    struct tp_source source = {.sink = &null->sink, .err = err};
    tp_sink_open(&null->sink, &null->trace, &null->arena, NULL);
    int code = null_format.read(&source);
    tp_sink_finish(&null->sink);
    return code;
}

static void null_format_is_read_through_row_and_sink(void **state)
{
    static struct null_trace null;
    const struct tp_input_head head = {.text = "NULL and more", .size = 13};
    const struct tp_trace *trace = &null.trace;
    (void)state;
    assert_true(null_format.is_one(&head, &null_format.sign));
    tp_arena_init(&null.arena, 0);
    assert_int_equal(tp_arena_run(&null.arena, read_null_trace, &null, NULL), TP_OK);
    assert_int_equal(trace->event_count, 2);
    assert_int_equal(trace->thread_count, 2);
    assert_int_equal(trace->reading.read[TP_KIND_KERNEL], 1);
    assert_int_equal(trace->reading.correlated_events, 2);
    assert_true(tp_str_equal(tp_trace_event_name(trace, &trace->events[1]), TP_STR("a \"kernel\"\n")));
    assert_int_equal(tp_device_setup(trace, trace->events[1].detail)->stream, 7);
    tp_sink_release(&null.sink);
    tp_arena_release(&null.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_format_is_recognised_by_its_head),    cmocka_unit_test(each_truncated_head_has_a_format),
        cmocka_unit_test(only_the_last_row_accepts_every_head),     cmocka_unit_test(names_of_other_tools_are_known),
        cmocka_unit_test(null_format_is_read_through_row_and_sink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
