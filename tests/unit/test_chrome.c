/* Tests cleaned traces: the row of each slice, the number of rows, and filters. */
#include "webreport/export/chrome/chrome.h"
#include "webreport/model/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "webreport/export/filter.h"

static unsigned add_to_lane(struct tp_chrome_lanes *lanes, int64_t start_ns, int64_t end_ns)
{
    int64_t end = end_ns;
    unsigned at = tp_chrome_lanes_find(lanes, start_ns, &end);
    assert_int_equal(end, end_ns);
    return at;
}

static void crossing_slices_get_separate_rows(void **state)
{
    struct tp_arena arena;
    struct tp_chrome_lanes lanes;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    tp_chrome_lanes_init(&lanes, &arena);
    assert_int_equal(add_to_lane(&lanes, 0, 100), 0);
    assert_int_equal(add_to_lane(&lanes, 0, 100), 0); /* a slice with equal times goes inside the first one, in the same
                                                       * row */
    assert_int_equal(add_to_lane(&lanes, 50, 101), 1); /* this slice ends 1 ns after the open slice, so it needs a
                                                        * second row */
    assert_int_equal(add_to_lane(&lanes, 60, 100), 0);
    assert_int_equal(add_to_lane(&lanes, 70, 200), 2);  /* this slice overlaps the open slices of both rows */
    assert_int_equal(add_to_lane(&lanes, 100, 100), 0); /* the slices of the first row have ended */
    assert_int_equal(add_to_lane(&lanes, 101, 150), 0);
    int64_t end = 0;
    tp_chrome_lanes_clear(&lanes);
    for (int i = 0; i < TP_CHROME_MAX_LANES; i++)
        assert_int_equal(add_to_lane(&lanes, i, 1000 + i), i);
    end = 2000;
    /* All rows are in use, so the slice is shortened. */
    assert_int_equal(tp_chrome_lanes_find(&lanes, 500, &end), TP_CHROME_MAX_LANES - 1);
    assert_int_equal(end, 1000 + TP_CHROME_MAX_LANES - 1);
    tp_arena_release(&arena);
}

static void read_trace(struct tp_trace *trace, struct tp_arena *arena, const char *events)
{
    struct tp_trace_options options = {.single_thread = true};
    char text[4096];
    int n = snprintf(text, sizeof text, "{\"traceEvents\":[%s]}", events);
    assert_int_equal(tp_trace_read_bytes(trace, arena, text, (size_t)n, &options, NULL), 0);
}

#define OPERATOR(name, pid, tid, ts, dur)                                                                              \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"pid\":" pid ",\"tid\":" tid ",\"ts\":" ts                \
    ",\"dur\":" dur "}"

static void unusual_row_numbers_are_replaced(void **state)
{
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_chrome_rows rows;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    read_trace(&trace, &arena,
               OPERATOR("a", "5", "7", "1", "1") "," OPERATOR("a", "5", "-1", "1", "1") "," OPERATOR(
                   "a", "5", "140000000000000", "1", "1") "," OPERATOR("a", "\"Spans\"", "\"main\"", "1", "1"));
    tp_chrome_rows_build(&rows, &trace, &arena);
    assert_int_equal(trace.thread_count, 4);
    assert_int_equal(rows.of_thread[0].pid, 5);
    assert_int_equal(rows.of_thread[0].tid, 7);
    assert_int_equal(rows.of_thread[1].tid, 1 << 30);
    assert_int_equal(rows.of_thread[2].tid, (1 << 30) + 1);
    assert_int_equal(rows.of_thread[3].pid, 1 << 30);
    assert_int_equal(rows.of_thread[3].tid, (1 << 30) + 2);
    assert_int_equal(rows.next_tid, (1 << 30) + 3);
    tp_arena_release(&arena);
}

static int parse_filter(const char *steps, const char *from, const char *until, struct tp_filter *filter)
{
    struct tp_filter_options options = {.steps = steps, .from = from, .until = until};
    return tp_filter_parse(filter, &options, NULL);
}

static void filters_read_times_and_steps(void **state)
{
    static const char *const bad[] = {
        "", "x", "-1", "1.5.2", "1m", "1 ms", "9223372036854775807", "99999999999999999999"};
    struct tp_filter filter;
    (void)state;
    assert_int_equal(parse_filter("3-5", "1.5", "20s", &filter), 0);
    assert_int_equal(filter.first_step, 3);
    assert_int_equal(filter.last_step, 5);
    assert_int_equal(filter.from_ns, 1500000);
    assert_int_equal(filter.until_ns, 20000000000);
    assert_int_equal(parse_filter(NULL, "7ns", "0.25us", &filter), 0);
    assert_int_equal(filter.from_ns, 7);
    assert_int_equal(filter.until_ns, 250);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(parse_filter(NULL, bad[i], NULL, &filter), TP_EUSAGE);
        assert_int_equal(parse_filter(NULL, NULL, bad[i], &filter), TP_EUSAGE);
    }
    assert_int_equal(parse_filter("", NULL, NULL, &filter), TP_EUSAGE);
    assert_int_equal(parse_filter("5-3", NULL, NULL, &filter), TP_EUSAGE);
    assert_int_equal(parse_filter("3-", NULL, NULL, &filter), TP_EUSAGE);
    assert_int_equal(parse_filter(NULL, "2", "2", &filter), TP_EUSAGE);
}

static void filters_keep_matching_rows_and_categories(void **state)
{
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_filter filter;
    struct tp_filter_trace kept;
    const char *threads[] = {"8", "load"}, *categories[] = {"kernel,cpu_op", "x"};
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    read_trace(&trace, &arena,
               OPERATOR("ProfilerStep#7", "1", "1", "10", "10") "," OPERATOR(
                   "ProfilerStep#8", "1", "1", "20", "10") "," OPERATOR("a", "1", "8", "1",
                                                                        "1") "," OPERATOR("a", "1", "88", "1", "1"));
    tp_order_build(&order, &trace, &arena);
    tp_model_build(&model, &trace, &order, &arena);
    assert_int_equal(parse_filter("8", NULL, NULL, &filter), 0);
    assert_int_equal(tp_filter_apply(&kept, &filter, &model, 1000, NULL), 0);
    assert_true(tp_filter_keeps_time(&kept, 0, 20001));
    assert_false(tp_filter_keeps_time(&kept, 0, 20000));
    assert_true(tp_filter_keeps_time(&kept, 20000, 20000));
    assert_false(tp_filter_keeps_time(&kept, 30000, 30001));
    assert_int_equal(parse_filter("9", NULL, NULL, &filter), 0);
    assert_int_equal(tp_filter_apply(&kept, &filter, &model, 1000, NULL), TP_ENOTFOUND);
    struct tp_filter_options options = {
        .threads = threads, .thread_count = 2, .categories = categories, .category_count = 2};
    assert_int_equal(tp_filter_parse(&filter, &options, NULL), 0);
    assert_int_equal(tp_filter_apply(&kept, &filter, &model, 1000, NULL), 0);
    assert_int_equal(kept.threads[0], 0);
    assert_int_equal(kept.threads[1], 1);
    assert_int_equal(kept.threads[2], 0); /* thread 88 does not match a filter for 8 */
    assert_true(tp_filter_keeps_category(&filter, TP_STR("cpu_op")));
    assert_false(tp_filter_keeps_category(&filter, TP_STR("cpu")));
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossing_slices_get_separate_rows),
        cmocka_unit_test(unusual_row_numbers_are_replaced),
        cmocka_unit_test(filters_read_times_and_steps),
        cmocka_unit_test(filters_keep_matching_rows_and_categories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
