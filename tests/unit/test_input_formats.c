/* The table of input formats: each format is recognised by its head, and each refusal says what to do. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "webreport/trace/inputs/input_format.h"

/* Heads of files and the format they are of; size 0: a text. */
static const struct {
    const char *format, *name, *head;
    size_t size;
} samples[] = {
    {"zstd", NULL, "\x28\xB5\x2F\xFD\0", 5},
    {"torch.save", NULL, "PK\x03\x04 model/data.pkl", 0},
    {"zip", "a.zip", "PK\x03\x04 trace.json", 0},
    {"gzip twice", NULL, "\x1F\x8B\x08", 3},
    {"Nsight Systems SQLite", NULL, "SQLite format 3\0 CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL", 57},
    {"rocpd", NULL, "SQLite format 3\0 CREATE TABLE rocpd_event", 41},
    {"SQLite", NULL, "SQLite format 3\0 CREATE TABLE x", 31},
    {"Nsight Systems report", "a.nsys-rep", "unknown bytes", 0},
    {"spool", NULL, "\001tpspool and more", 0},
    {"memory snapshot", NULL, "\x80\x04 segments", 0},
    {"pickle", NULL, "\x80\x04 other", 0},
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
        assert_string_equal(tp_input_format_of(samples[i].head, size, samples[i].name)->name, samples[i].format);
    }
}

static void every_cut_of_a_head_has_a_format(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        size_t size = samples[i].size ? samples[i].size : strlen(samples[i].head);
        for (size_t cut = 0; cut < size; cut++)
            assert_non_null(tp_input_format_of(samples[i].head, cut, samples[i].name)->name);
    }
}

static void only_the_last_row_takes_every_head(void **state)
{
    (void)state;
    const struct tp_input_format *format = tp_input_formats;
    for (; (format + 1)->name; format++) {
        assert_non_null(format->is_one);
        assert_non_null(format->refusal);
        assert_true(strlen(format->refusal) > 10);
    }
    assert_string_equal(format->name, "trace in JSON");
    assert_null(format->refusal);
    assert_ptr_equal(tp_input_format_of("no format", 9, NULL), format);
}

static void names_of_other_tools_are_known(void **state)
{
    (void)state;
    assert_true(tp_input_format_is_name("run/a.nsys-rep"));
    assert_true(tp_input_format_is_name("a.tar.gz"));
    assert_true(tp_input_format_is_name("a.sqlite3"));
    assert_false(tp_input_format_is_name("a.json.gz"));
    assert_false(tp_input_format_is_name("sqlite"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_format_is_recognised_by_its_head),
        cmocka_unit_test(every_cut_of_a_head_has_a_format),
        cmocka_unit_test(only_the_last_row_takes_every_head),
        cmocka_unit_test(names_of_other_tools_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
