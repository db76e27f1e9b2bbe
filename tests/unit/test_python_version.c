/* Tests how the version of Python is found in a trace. */
#include "webreport/measure/rules/host/python_version.h"

#include "tests/unit/small_trace.h"

static int read_version(const char *header)
{
    void *state = NULL;
    begin_trace_test(&state);
    write_host_event("cpu_op", "aten::mm", 0, 100);
    build_trace_with_header(header);
    int version = tp_python_version_in_trace(&trace);
    end_event_text(&state);
    return version;
}

static void version_is_read_from_the_trace_member(void **state)
{
    (void)state;
    assert_int_equal(read_version("\"python_version\":\"3.11.7\","), 11);
    assert_int_equal(read_version("\"python_version\":\"3.8.0\","), 8);
    assert_int_equal(read_version("\"python_version\":\"3.14.0rc1\","), 14);
    assert_int_equal(read_version("\"python_version\":\"2.7.18\","), 0);
    assert_int_equal(read_version("\"python_version\":311,"), 0);
    assert_int_equal(read_version("\"python_version\":\"3.99999999999.1\","), 0);
    assert_int_equal(read_version("\"python_version\":\"3.\","), 0);
    assert_int_equal(read_version(""), 0);
}

static void path_contains_the_version_of_its_folder(void **state)
{
    (void)state;
    assert_int_equal(tp_python_version_of_path(TP_STR("/usr/lib/python3.11/threading.py")), 11);
    assert_int_equal(tp_python_version_of_path(TP_STR("/opt/conda/lib/python3.7/site-packages/a.py")), 7);
    assert_int_equal(tp_python_version_of_path(TP_STR("python3.py")), 0);
    assert_int_equal(tp_python_version_of_path(TP_STR("/usr/bin/python3.11")), 0);
    assert_int_equal(tp_python_version_of_path(TP_STR("")), 0);
}

static void lines_of_the_library_identify_one_version(void **state)
{
    (void)state;
    struct tp_frame inner = {.path = TP_STR("lib/typing.py"), .line = 345, .function = TP_STR("inner")};
    assert_true(tp_python_version_has_frame_line(&inner));
    inner.line = 270;
    assert_false(tp_python_version_has_frame_line(&inner));
    inner = (struct tp_frame){.path = TP_STR("my_typing.py"), .line = 345, .function = TP_STR("inner")};
    assert_false(tp_python_version_has_frame_line(&inner));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_is_read_from_the_trace_member),
        cmocka_unit_test(path_contains_the_version_of_its_folder),
        cmocka_unit_test(lines_of_the_library_identify_one_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
