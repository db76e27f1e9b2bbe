/* Tests the reader of memory timelines. All sums were counted by hand. */
#include "webreport/trace/snapshot/memory_timeline.h"

#include <string.h>

#include "tests/unit/one_arena.h"

#include "writer/base/buf.h"

static struct tp_memory_timeline timeline;

static int read_text(const char *text, struct tp_error *err)
{
    *err = (struct tp_error){0};
    return tp_memory_timeline_read_bytes(&timeline, &arena, text, strlen(text), err);
}

static void sizes_are_the_points(void **state)
{
    struct tp_error err;
    GUARD;
    assert_int_equal(read_text("[[10, 20, 30, 40],\n [[0, 1, 2, 0, 0, 0, 0, 0, 4], [9, 5, 2, 0, 0, 0, 0, 0, 1],"
                               "[0, 8, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 3, 0]]]\n",
                               &err),
                     TP_OK);
    assert_false(timeline.is_raw);
    assert_int_equal(timeline.point_count, 4);
    assert_int_equal(timeline.first_us, 10);
    assert_int_equal(timeline.last_us, 40);
    assert_int_equal(timeline.start.total, 7);
    assert_int_equal(timeline.peak.total, 8); /* the first number of a size is not used */
    assert_int_equal(timeline.peak_index, 1);
    assert_int_equal(timeline.peak.time_us, 20);
    assert_int_equal(timeline.peak.bytes[1], 2);
    assert_int_equal(timeline.largest[0], 8);
    assert_int_equal(timeline.end.bytes[6], 3);
}

static void raw_rows_add_up(void **state)
{
    struct tp_error err;
    GUARD;
    assert_int_equal(
        read_text("[[-1, 1, 512, 0], [-1, 1, 100, 7], [7999, 2, 1024, 4], [5000, 4, -512, 0], [9000, 4, -2000, 4]]",
                  &err),
        TP_OK);
    assert_true(timeline.is_raw);
    assert_int_equal(timeline.point_count, 5);
    assert_int_equal(timeline.first_us, 5);
    assert_int_equal(timeline.last_us, 9);
    assert_int_equal(timeline.start.total, 512);
    assert_int_equal(timeline.start.time_us, 5); /* before the recording: the smallest known time */
    assert_int_equal(timeline.peak.total, 1636);
    assert_int_equal(timeline.peak.time_us, 7);
    assert_int_equal(timeline.end.total, 100 - 976);
    assert_int_equal(timeline.largest[4], 1024);
    assert_int_equal(read_text("[[-1, 1, 512, 0]]", &err), TP_OK);
    assert_int_equal(timeline.peak.time_us, 0);
    assert_int_equal(read_text("[[3000, 1, 512, 0], [4000, 4, -512, 0]]", &err), TP_OK);
    assert_int_equal(timeline.point_count, 2);
}

static void long_curves_keep_the_largest_points(void **state)
{
    struct tp_buf text;
    struct tp_error err;
    GUARD;
    tp_buf_init(&text, 0);
    for (int i = 0; i < 100000; i++)
        tp_buf_printf(&text, "%c[%d, 2, %d, 3]", i ? ',' : '[', i * 1000, i == 77777 ? 5000 : i == 77778 ? -4999 : 1);
    tp_buf_puts(&text, "]");
    assert_int_equal(read_text(text.data, &err), TP_OK);
    tp_buf_release(&text);
    assert_int_equal(timeline.point_count, 100000);
    assert_int_equal(timeline.peak.total, 99998 + 5000 - 4999); /* the last point */
    assert_int_equal(timeline.peak_index, 99999);
    assert_in_range(timeline.curve_count, 512, 1024);
    int64_t largest = 0;
    for (int64_t i = 0; i < timeline.curve_count; i++)
        largest = timeline.curve[i].total > largest ? timeline.curve[i].total : largest;
    assert_int_equal(largest, timeline.peak.total);
}

static void others_are_refused(void **state)
{
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        {"[]", "a row is not"},
        {"[[]]", "a row is not"},
        {"[[1, 2, 3]]", "a row is not"},
        {"[[1, 0, 3, 4], [1, 1, 1, 1]]", "a row is not"},
        {"[[1, 5, 3, 4], [1, 1, 1, 1]]", "a row is not"},
        {"[[1, 1, 3, 8], [1, 1, 1, 1]]", "a row is not"},
        {"[[1, 1, 3, 7], [1, 1, 1, 1, 1]]", "a row is not"},
        {"[[1, 1, 3, 7], [1, 1, 1, [1]]]", "a row is not"},
        {"[1, 2]", "a row is not"},
        {"[[1, 2], []]", "do not match"},
        {"[[1, 2], [[0, 1, 1, 1, 1, 1, 1, 1, 1]]]", "do not match"},
        {"[[1], [[0, 1, 1, 1, 1, 1, 1, 1]]]", "do not match"},
        {"[[1], [[0, 1, 1, 1, 1, 1, 1, 1, 1], [0, 1, 1, 1, 1, 1, 1, 1, 1]]]", "do not match"},
        {"[[1], [[0, 1, 1, 1, 1, 1, 1, 1, 1]], []]", "do not match"},
        {"[[1], [[0, 1, 1, 1, 1, 1, 1, 1, [1]]]]", "do not match"},
        {"[[1.5, 1, 3, 7]]", "other than lists of integers"},
        {"[[\"a\", 1, 3, 7]]", "other than lists of integers"},
        {"[[null, 1, 3, 7]]", "other than lists of integers"},
        {"[[99999999999999999999, 1, 3, 7]]", "more than 63 bits"},
        {"[[9000000000000000000, 1, 3, 7]]", "out of range"},
        {"[[1, 1, 9000000000000000000, 7]]", "56 bits"},
        {"[[9000000000000000000], [[0, 1, 1, 1, 1, 1, 1, 1, 1]]]", "out of range"},
        {"[[1, 1, 3", "ends at byte 9"},
        {"[[1, 1, 3, 7]", "ends at byte 13"},
    };
    GUARD;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tp_error err;
        int code = read_text(cases[i].text, &err);
        assert_int_equal(code < 0, *cases[i].wanted != 0);
        if (!strstr(err.text, cases[i].wanted))
            fail_msg("%s: '%s' does not contain '%s'", cases[i].text, err.text, cases[i].wanted);
    }
    struct tp_error err;
    assert_int_equal(read_text("[[1 2]]", &err), TP_EFORMAT);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sizes_are_the_points, begin, end),
        cmocka_unit_test_setup_teardown(raw_rows_add_up, begin, end),
        cmocka_unit_test_setup_teardown(long_curves_keep_the_largest_points, begin, end),
        cmocka_unit_test_setup_teardown(others_are_refused, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
