/* Tests samples of threads: functions, lines, the call tree, and malformed samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "webreport/measure/charts/calltree.h"
#include "webreport/measure/views/sample_view.h"
#include "webreport/model/build.h"

struct scene {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_sample_view view;
    struct tp_calltree tree;
};

#define SAMPLE(tid, ns, stack)                                                                                         \
    "{\"ph\":\"P\",\"cat\":\"cpu_sample\",\"name\":\"x\",\"pid\":1,\"tid\":" tid ",\"ts\":5,\"args\":{\"cpu ns\":" ns  \
    ",\"Call stack\":\"" stack "\"}}"

static void build_samples(struct scene *s, const char *events)
{
    size_t size = strlen(events) + 256;
    tp_arena_init(&s->arena, 0);
    if (setjmp(s->arena.guard))
        fail();
    char *text = tp_arena_alloc(&s->arena, size);
    int length = snprintf(text, size,
                          "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\",\"pid\":1,\"tid\":1,"
                          "\"ts\":1,\"dur\":1},%s]}",
                          events);
    struct tp_trace_options options = {.single_thread = true};
    struct tp_error err;
    assert_int_equal(tp_trace_read_bytes(&s->trace, &s->arena, text, (size_t)length, &options, &err), 0);
    tp_order_build(&s->order, &s->trace, &s->arena);
    tp_model_build(&s->model, &s->trace, &s->order, &s->arena);
    tp_sample_view_build(&s->view, &s->model, &s->arena);
    struct tp_calltree_options tree_options = {.max_nodes = 1000};
    tp_calltree_build_from_samples(&s->tree, &s->model, &tree_options, &s->arena);
}

static void assert_function_row(const struct scene *s, size_t row, const char *function, int64_t self, int64_t total,
                                int64_t count)
{
    const struct tp_table *t = &s->view.functions;
    assert_true(row < t->row_count);
    struct tp_str name = tp_table_text(t, TP_SAMPLE_FUNCTION)[row];
    if (!tp_str_equal(name, tp_str_of(function)))
        fail_msg("row %zu is %.*s, not %s", row, (int)name.len, name.ptr, function);
    assert_int_equal(tp_table_int(t, TP_SAMPLE_SELF)[row], self);
    assert_int_equal(tp_table_int(t, TP_SAMPLE_TOTAL)[row], total);
    assert_int_equal(tp_table_int(t, TP_SAMPLE_COUNT)[row], count);
}

static void functions_and_lines_add_up(void **state)
{
    struct scene s = {0};
    (void)state;
    build_samples(
        &s,
        SAMPLE("7", "100", "a.c(3): leaf;a.c(9): mid;a.c(20): main;") "," SAMPLE(
            "7", "50",
            "a.c(4): leaf; a.c(9): mid;;a.c(20): main") "," SAMPLE("8", "30",
                                                                   "a.c(10): mid;a.c(11): mid;a.c(12): mid;a.c(20): "
                                                                   "main;") "," SAMPLE("8", "7",
                                                                                       "+0x12 [libm.so];a.c(21): "
                                                                                       "main;") "," SAMPLE("8", "5",
                                                                                                           " ; ;"));
    assert_true(s.view.is_present);
    assert_int_equal(s.view.count, 5);
    assert_int_equal(s.view.without_stack, 1);
    assert_int_equal(s.view.cpu_ns, 192);
    assert_int_equal(s.view.functions.row_count, 4);
    assert_function_row(&s, 0, "leaf  a.c", 150, 150, 2);
    assert_function_row(&s, 1, "mid  a.c", 30, 180, 1); /* the total time includes a recursive call only once */
    assert_function_row(&s, 2, "[libm.so]", 7, 7, 1);
    assert_function_row(&s, 3, "main  a.c", 0, 187, 0);
    assert_int_equal(s.view.lines.row_count, 4);
    assert_true(tp_str_equal(tp_table_text(&s.view.lines, TP_SAMPLE_LINE)[0], TP_STR("a.c(3): leaf")));
    assert_int_equal(tp_table_int(&s.view.lines, TP_SAMPLE_LINE_SELF)[1], 50);
    assert_true(s.tree.has_samples);
    assert_int_equal(s.tree.calls[0].host_ns, 192);
    assert_int_equal(s.tree.calls[0].call_count, 5);
    assert_int_equal(s.tree.calls[1].host_ns, 150); /* thread 7 comes before thread 8 */
    tp_arena_release(&s.arena);
}

static void invalid_samples_are_left_out(void **state)
{
    struct scene s = {0};
    (void)state;
    build_samples(
        &s,
        SAMPLE("1", "-1", "a;") "," SAMPLE("1", "1.5", "a;") "," SAMPLE(
            "1", "\"x\"",
            "a;") ","
                  "{\"ph\":\"P\",\"cat\":\"other\",\"name\":\"x\",\"pid\":1,\"tid\":1,\"ts\":1,\"args\":{\"cpu "
                  "ns\":1}},"
                  "{\"ph\":\"P\",\"cat\":\"cpu_sample\",\"name\":\"x\",\"pid\":1,\"tid\":1,\"args\":{\"cpu ns\":1}},"
                  "{\"ph\":\"P\",\"cat\":\"cpu_sample\",\"name\":\"x\",\"pid\":1,\"tid\":1,\"ts\":1},"
                  "{\"ph\":\"P\"}");
    assert_false(s.view.is_present);
    assert_int_equal(s.trace.reading.skipped_by_phase['P'], 7); /* the reader still counts seven invalid samples */
    tp_arena_release(&s.arena);
}

static void absurd_times_do_not_overflow(void **state)
{
    struct scene s = {0};
    (void)state;
    build_samples(&s, SAMPLE("1", "9223372036854775807", "f;g;f;") "," SAMPLE("1", "9223372036854775807",
                                                                              "f;") "," SAMPLE("1", "3", ""));
    assert_int_equal(s.view.cpu_ns, INT64_MAX);
    assert_function_row(&s, 0, "f", INT64_MAX, INT64_MAX, 2);
    assert_function_row(&s, 1, "g", 0, INT64_MAX, 0);
    assert_int_equal(s.tree.calls[0].host_ns, INT64_MAX);
    tp_arena_release(&s.arena);
}

static void functions_are_identified_by_name_and_file(void **state)
{
    static const char *const cases[][2] = {{"a/b.c(12): f(int)", "f(int)  a/b.c"},
                                           {"a(1): b(2): c", "c  a(1): b"},
                                           {"run (1)/a.c(3): f", "f  run (1)/a.c"},
                                           {"b.c(): f", "b.c(): f"},
                                           {"(3): f", "(3): f"},
                                           {"f [libc.so.6]", "f [libc.so.6]"},
                                           {"+0x1f [libc.so.6]", "[libc.so.6]"},
                                           {"+0x1f", "+0x1f"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s = {0};
        char sample[256];
        snprintf(sample, sizeof sample, SAMPLE("1", "1", " ; %s  ;"), cases[i][0]);
        build_samples(&s, sample);
        assert_function_row(&s, 0, cases[i][1], 1, 1, 1);
        tp_arena_release(&s.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_and_lines_add_up),
        cmocka_unit_test(invalid_samples_are_left_out),
        cmocka_unit_test(absurd_times_do_not_overflow),
        cmocka_unit_test(functions_are_identified_by_name_and_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
