/* Tests the arguments of ranges that are read from the trace and packed for the timeline. */
#include <stdio.h>
#include <string.h>

#include "webreport/measure/charts/timeline.h"
#include "writer/base/limits.h"

#include "event_text.h" /* included last, because other headers use the names of its functions for parameters */

static struct tp_order order;
static struct tp_model model;

__attribute__((format(printf, 3, 4))) static void write_event_with_arguments(const char *cat, int at_us,
                                                                             const char *args, ...)
{
    char made[2000];
    va_list list;
    va_start(list, args);
    vsnprintf(made, sizeof made, args, list);
    va_end(list);
    add_event("{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"n\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,\"args\":{%s}}", cat,
              at_us, made);
}

static void read_events(bool wants_arguments)
{
    struct tp_trace_options options = {.single_thread = true, .wants_arguments = wants_arguments};
    struct tp_buf file;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    tp_buf_init(&file, 0);
    tp_buf_printf(&file, "{\"traceEvents\":[%.*s]}", (int)text.size, text.data);
    int code = tp_trace_read_bytes(&trace, &arena, file.data, file.size, &options, NULL);
    tp_buf_release(&file);
    assert_int_equal(code, 0);
}

static const struct tp_argument_text *find_argument_text(uint32_t index)
{
    for (uint32_t i = 0; i < trace.argument_count; i++)
        if (trace.arguments[i].event == index)
            return &trace.arguments[i].text;
    return NULL;
}

static void assert_argument_text(uint32_t index, const char *lines, uint32_t color)
{
    const struct tp_argument_text *argument_text = find_argument_text(index);
    assert_non_null(argument_text);
    assert_int_equal(argument_text->color, color);
    if (!lines) {
        assert_int_equal(argument_text->text, TP_NO_ID);
        return;
    }
    struct tp_str is = tp_strings_get(&trace.argument_texts, argument_text->text);
    assert_int_equal(is.len, strlen(lines));
    assert_memory_equal(is.ptr, lines, is.len);
}

static void profiler_arguments_are_not_shown(void **state)
{
    (void)state;
    write_event_with_arguments("user_annotation", 1, "\"External id\":1,\"Record function id\":0,\"Ev Idx\":2");
    write_event_with_arguments("user_annotation", 2,
                               "\"External id\":1,\"Record function id\":0,\"rows\":5,\"Ev Idx\":2");
    write_event_with_arguments("cpu_op", 3, "\"External id\":1,\"rows\":5");
    write_event_with_arguments("kernel", 4, "\"device\":0,\"stream\":7,\"correlation\":9,\"rows\":5");
    write_event_with_arguments("kernel", 5, "\"device\":0,\"stream\":7,\"kind\":\"compute\",\"rows\":6");
    write_event_with_arguments("user_annotation", 6, "\"kind\":\"input\"");
    read_events(true);
    assert_int_equal(trace.argument_count, 2);
    assert_argument_text(1, "rows: 5", TP_NO_ID);
    assert_argument_text(4, "rows: 6", TP_NO_ID);
}

static void arguments_are_kept_only_on_request(void **state)
{
    (void)state;
    write_event_with_arguments("user_annotation", 1, "\"rows\":5,\"color\":\"#102030\"");
    read_events(false);
    assert_int_equal(trace.argument_count, 0);
    assert_int_equal(trace.argument_texts.count, 0);
}

static void colors_have_six_or_eight_digits(void **state)
{
    (void)state;
    static const struct {
        const char *args, *lines;
        uint32_t color;
    } cases[] = {{"\"color\":\"#0a1B2c\"", NULL, 0x0A1B2C},
                 {"\"color\":\"#FF102030\"", NULL, 0x102030},
                 {"\"color\":\"#12345\"", "color: #12345", TP_NO_ID},
                 {"\"color\":\"#12345g\"", "color: #12345g", TP_NO_ID},
                 {"\"color\":\"0123456\"", "color: 0123456", TP_NO_ID},
                 {"\"color\":1234567", "color: 1234567", TP_NO_ID},
                 {"\"color\":\"#000000\",\"a\":null", "a: null", 0},
                 {"\"color\":\"#111111\",\"color\":\"#222222\"", NULL, 0x222222}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        write_event_with_arguments("user_annotation", (int)i, "%s", cases[i].args);
    read_events(true);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_argument_text(i, cases[i].lines, cases[i].color);
}

static void long_and_unusual_values_become_lines(void **state)
{
    (void)state;
    char line[2000];
    write_event_with_arguments("user_annotation", 0,
                               "\"two\\nlines\":\"a\\nb\\u0000c\",\"list\":[1, \"x\", {\"y\" : true}],\"\":\"\"");
    write_event_with_arguments("user_annotation", 1, "\"%0*d\":\"%0*d\"", 100, 0, 300, 0);
    tp_buf_printf(&text,
                  ",{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"n\",\"pid\":1,\"tid\":1,\"ts\":2,\"args\":{");
    for (int i = 0; i < 20; i++)
        tp_buf_printf(&text, "%s\"k%d\":%d", i ? "," : "", i, i);
    tp_buf_puts(&text, "}}");
    write_event_with_arguments("user_annotation", 3,
                               "\"a\":1},\"args\":{\"b\":2"); /* the second "args" replaces the first one */
    write_event_with_arguments("user_annotation", 4, "\"a\":1},\"args\":{\"Ev Idx\":2");
    read_events(true);
    assert_argument_text(0, "two lines: a b c\nlist: [1,\"x\",{\"y\":true}]\n: ", TP_NO_ID);
    snprintf(line, sizeof line, "%0*d…: %0*d…", 64, 0, 256, 0);
    assert_argument_text(1, line, TP_NO_ID);
    size_t size = 0;
    for (int i = 0; i < (int)TP_MAX_SHOWN_ARGUMENTS; i++)
        size += (size_t)snprintf(line + size, sizeof line - size, "%sk%d: %d", i ? "\n" : "", i, i);
    assert_argument_text(2, line, TP_NO_ID);
    assert_argument_text(3, "b: 2", TP_NO_ID);
    assert_null(find_argument_text(4));
}

/* Tests that learned keys give the same result as keys that are read for the first time. */
static void learned_keys_give_the_same_result(void **state)
{
    (void)state;
    static const char *const keys[] = {"External id", "Ev Idx", "rows", "file", "finished", "color"};
    uint32_t random = 7, count = 4000;
    char expected[4000];
    for (uint32_t i = 0; i < count; i++) {
        char args[400] = "";
        size_t size = 0;
        bool is_shown = false;
        for (unsigned k = 0; k < 6; k++) {
            random = random * 1664525 + 1013904223;
            if (random >> 28 & 3)
                continue;
            const char *value = k == 3 ? "\"f\"" : k == 4 ? "false" : k == 5 ? "\"#010203\"" : "3";
            size += (size_t)snprintf(args + size, sizeof args - size, "%s\"%s\":%s", size ? "," : "", keys[k], value);
            is_shown |= k == 2 || k == 3 || k == 5;
        }
        expected[i] = (char)is_shown;
        write_event_with_arguments("user_annotation", (int)i, "%s", args);
    }
    read_events(true);
    assert_int_equal(trace.event_count, count);
    uint32_t next_argument = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_next = next_argument < trace.argument_count && trace.arguments[next_argument].event == i;
        assert_int_equal(is_next, expected[i]);
        next_argument += is_next;
    }
    assert_int_equal(next_argument, trace.argument_count);
}

static void only_annotation_instants_are_shown(void **state)
{
    (void)state;
    write_event_with_arguments("user_annotation", 5, "\"a\":1");
    tp_buf_puts(&text, ",{\"ph\":\"i\",\"cat\":\"user_annotation\",\"name\":\"m\",\"pid\":1,\"tid\":2,\"ts\":7.5,"
                       "\"args\":{\"text\":\"t\"}}"
                       ",{\"ph\":\"i\",\"cat\":\"user_annotation\",\"name\":\"m\",\"pid\":1,\"tid\":1,\"ts\":3}"
                       ",{\"ph\":\"i\",\"cat\":\"other\",\"name\":\"m\",\"pid\":1,\"tid\":1,\"ts\":4}"
                       ",{\"ph\":\"i\",\"cat\":\"user_annotation\",\"name\":\"m\",\"pid\":1,\"tid\":1}");
    read_events(true);
    assert_int_equal(trace.moment_count, 2);
    assert_int_equal(trace.moments[0].ts_ns, 7500);
    assert_int_equal(trace.moments[1].text.text, TP_NO_ID);
    tp_order_build(&order, &trace, &arena);
    tp_model_build(&model, &trace, &order, &arena);
    struct tp_timeline timeline;
    struct tp_timeline_options options = {.max_bytes = 1 << 20};
    tp_timeline_build(&timeline, &model, &options, &arena);
    assert_int_equal(timeline.lane_count, 2); /* the lane without ranges contains only an instant */
    assert_int_equal(timeline.start_ns, 3000);
    assert_int_equal(timeline.drawn_range_ns, 4500);
    assert_int_equal(timeline.lanes[0].moment_count + timeline.lanes[1].moment_count, 2);
    assert_int_equal(timeline.omitted_moment_count, 0);
    assert_true(tp_str_equal(timeline.lanes[1].title, TP_STR("Thread 2")));
}

/* Tests that long texts neither displace slices nor exceed the maximum size of the page. */
static void long_texts_fit_the_page(void **state)
{
    (void)state;
    uint32_t random = 1, count = 30000;
    for (uint32_t i = 0; i < count; i++) {
        random = random * 1664525 + 1013904223;
        write_event_with_arguments("user_annotation", (int)i * 2, "\"key\":\"%08x%08x%08x\"", random, random * 77,
                                   random ^ i);
        tp_buf_printf(&text,
                      ",{\"ph\":\"i\",\"cat\":\"user_annotation\",\"name\":\"m\",\"pid\":1,\"tid\":1,\"ts\":%u,"
                      "\"args\":{\"t\":%u}}",
                      i * 2 + 1, random);
    }
    read_events(true);
    tp_order_build(&order, &trace, &arena);
    tp_model_build(&model, &trace, &order, &arena);
    static const size_t sizes[] = {8 << 20, 400000, 100000, 20000, 4000};
    for (unsigned i = 0; i < 5; i++) {
        struct tp_timeline timeline;
        struct tp_timeline_options options = {.max_bytes = sizes[i]};
        tp_timeline_build(&timeline, &model, &options, &arena);
        assert_true(timeline.data.len > 0);
        assert_true((timeline.data.len + 2) / 3 * 4 <= sizes[i]);
        assert_int_equal(timeline.shown_count + timeline.folded_count, count);
        assert_int_equal(timeline.lanes[0].moment_count + timeline.omitted_moment_count, count);
        if (!i)
            assert_int_equal(timeline.arguments_left_out + timeline.omitted_moment_count + timeline.folded_count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(profiler_arguments_are_not_shown, begin_event_text, end_event_text),
        cmocka_unit_test_setup_teardown(arguments_are_kept_only_on_request, begin_event_text, end_event_text),
        cmocka_unit_test_setup_teardown(colors_have_six_or_eight_digits, begin_event_text, end_event_text),
        cmocka_unit_test_setup_teardown(long_and_unusual_values_become_lines, begin_event_text, end_event_text),
        cmocka_unit_test_setup_teardown(learned_keys_give_the_same_result, begin_event_text, end_event_text),
        cmocka_unit_test_setup_teardown(only_annotation_instants_are_shown, begin_event_text, end_event_text),
        cmocka_unit_test_setup_teardown(long_texts_fit_the_page, begin_event_text, end_event_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
