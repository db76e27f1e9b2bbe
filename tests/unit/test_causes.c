/* Tests the charts of the first screen: bar by cause, strip and ribbon. Expected positions are counted by hand. */
#include "webreport/document/charts/causes.h"

#include <string.h>

#include "webreport/document/charts/chart.h"
#include "writer/base/interval.h"

#include "one_arena.h"

static struct tp_data member(const struct tp_data *object, const char *name)
{
    struct tp_data value = {.kind = TP_DATA_NONE};
    object->source->member(object, tp_str_of(name), &value);
    return value;
}

static const char *text_of(const struct tp_data *object, const char *name)
{
    struct tp_data value = member(object, name);
    return value.kind == TP_DATA_TEXT ? tp_arena_copy(&arena, value.self, (size_t)value.number) : "";
}

static bool is_set(const struct tp_data *object, const char *name)
{
    struct tp_data value = member(object, name);
    return tp_data_is_true(&value);
}

static struct tp_data item_of(const struct tp_data *object, const char *list, size_t index)
{
    struct tp_data items = member(object, list), item;
    assert_true(index < (size_t)items.number);
    items.source->item(&items, index, &item);
    return item;
}

static size_t count_of(const struct tp_data *object, const char *list)
{
    return (size_t)member(object, list).number;
}

static void segments_fill_the_bar(void **state)
{
    GUARD;
    const struct tp_bar_segment segments[] = {
        {.label = "Loading data", .ns = 600, .look = TP_LOOK_HOST, .is_avoidable = true, .cause_ns = 1200},
        {.label = "Empty", .ns = 0, .look = TP_LOOK_COPY},
        {.label = "Products", .ns = 390, .look = TP_LOOK_GPU, .cause_ns = 780},
        {.label = "Not judged", .ns = 10, .look = TP_LOOK_HATCH, .cause_ns = 20},
    };
    struct tp_data bar = tp_chart_causes(&arena, "caption", "By cause", segments, 4);
    assert_int_equal(count_of(&bar, "segments"), 3);
    struct tp_data first = item_of(&bar, "segments", 0), second = item_of(&bar, "segments", 1);
    assert_string_equal(text_of(&first, "w"), "60%");
    assert_string_equal(text_of(&second, "x"), "60%");
    assert_string_equal(text_of(&first, "cause_ns"), "1200");
    assert_true(is_set(&first, "is_avoidable") && !is_set(&second, "is_avoidable"));
    assert_true(is_set(&first, "is_wide") && !is_set(&first, "has_gap") && is_set(&second, "has_gap"));
    assert_string_equal(text_of(&bar, "rest"), "Not judged"); /* too narrow for its own label */
}

static bool is_named(const struct tp_data *bar, size_t index)
{
    struct tp_data segment = item_of(bar, "segments", index);
    return is_set(&segment, "is_named");
}

/* The third segment is too narrow for its label and wide enough to need one. */
static void narrow_segments_are_named_below_the_bar(void **state)
{
    GUARD;
    struct tp_bar_segment segments[] = {
        {.label = "Communication", .ns = 500, .look = TP_LOOK_COMM}, {.label = "Copies", .ns = 4, .look = TP_LOOK_COPY},
        {.label = "Matrix products", .ns = 40, .look = TP_LOOK_GPU}, {.label = "Loading data", .ns = 448},
        {.label = "Launches", .ns = 4, .look = TP_LOOK_LAUNCH},      {.label = "Rest of all", .ns = 4},
    };
    struct tp_data bar = tp_chart_causes(&arena, "caption", "By cause", segments, 6);
    assert_true(is_named(&bar, 0) && is_named(&bar, 1) && !is_named(&bar, 2) && is_named(&bar, 3));
    assert_string_equal(text_of(&bar, "rest"), ""); /* the names below the bar are enough */
    segments[2].ns = 0;
    bar = tp_chart_causes(&arena, "caption", "By cause", segments, 6);
    assert_string_equal(text_of(&bar, "rest"), "Rest"); /* two tiny segments */
}

static void empty_bar_is_no_chart(void **state)
{
    GUARD;
    const struct tp_bar_segment segment = {.label = "a", .ns = 0};
    assert_int_equal(tp_chart_causes(&arena, "", "", &segment, 1).kind, TP_DATA_NONE);
    assert_int_equal(tp_chart_causes(&arena, "", "", NULL, 0).kind, TP_DATA_NONE);
}

static void strip_draws_lines_and_labelled_slices(void **state)
{
    GUARD;
    const struct tp_row_slice slices[] = {
        {1000, 3000, TP_LOOK_GPU, {NULL, 0}},
        {4000, 5000, TP_LOOK_GPU, {NULL, 0}},
        {5000, 9000, TP_LOOK_COPY, TP_STR("copy")},
        {-500, 500, TP_LOOK_COMM, {NULL, 0}}, /* starts before the strip */
    };
    const struct tp_interval times[] = {{2000, 4000}, {4000, 6000}};
    const struct tp_strip_row row = {.label = "GPU 0", .height = 20, .slices = slices, .count = 4};
    const struct tp_row_marks marks = {3, times, 2};
    struct tp_object *object = tp_object_new(&arena);
    tp_chart_put_strip(object, &arena,
                       &(struct tp_strip_chart){.caption = "c",
                                                .start_ns = 0,
                                                .end_ns = 10000,
                                                .lanes = &row,
                                                .lane_count = 1,
                                                .marks = &marks,
                                                .mark_count = 1,
                                                .named_ns = INT64_MAX,
                                                .step = "",
                                                .note = ""});
    struct tp_data strip = tp_data_of_object(object), lane = item_of(&strip, "lanes", 0);
    struct tp_data gpu = item_of(&lane, "lines", 1), comm = item_of(&lane, "lines", 0),
                   slice = item_of(&lane, "slices", 0);
    assert_string_equal(text_of(&gpu, "look"), "gpu");
    assert_string_equal(text_of(&gpu, "d"), "M0 10m1000 0h2000m1000 0h1000");
    assert_string_equal(text_of(&comm, "d"), "M0 10h500");
    assert_string_equal(text_of(&slice, "text"), "copy");
    assert_string_equal(text_of(&slice, "x"), "50%");
    struct tp_data mark = item_of(&strip, "marks", 0); /* dims 0 to 2000 and 6000 to 10000 */
    assert_string_equal(text_of(&mark, "d"), "M0 10h2000m4000 0h4000");
}

static struct tp_data lane_of(const struct tp_row_slice *slices, size_t count)
{
    const struct tp_strip_row row = {.label = "Python", .height = 20, .slices = slices, .count = count};
    struct tp_object *object = tp_object_new(&arena);
    tp_chart_put_strip(object, &arena,
                       &(struct tp_strip_chart){.caption = "c",
                                                .end_ns = 10000,
                                                .lanes = &row,
                                                .lane_count = 1,
                                                .named_ns = INT64_MAX,
                                                .step = "",
                                                .note = ""});
    struct tp_data strip = tp_data_of_object(object);
    return item_of(&strip, "lanes", 0);
}

/* A slice of 5 % has no room for "forward", which needs 5.3 %. */
static void equal_slices_in_a_row_have_one_label(void **state)
{
    GUARD;
    const struct tp_row_slice slices[] = {
        {0, 500, TP_LOOK_LAUNCH, TP_STR("forward")},     {500, 1000, TP_LOOK_LAUNCH, TP_STR("forward")},
        {1010, 1500, TP_LOOK_LAUNCH, TP_STR("forward")}, {3000, 3500, TP_LOOK_LAUNCH, TP_STR("forward")},
        {5000, 7000, TP_LOOK_LAUNCH, TP_STR("forward")}, {5400, 9000, TP_LOOK_LAUNCH, TP_STR("backward")},
    };
    struct tp_data lane = lane_of(slices, 6), line = item_of(&lane, "lines", 0);
    struct tp_data row = item_of(&lane, "slices", 0), single = item_of(&lane, "slices", 1);
    assert_int_equal(count_of(&lane, "slices"), 2);
    assert_string_equal(text_of(&row, "text"), "3 \xc3\x97 forward");
    assert_string_equal(text_of(&row, "w"), "15%");
    assert_string_equal(text_of(&single, "text"), "backward"); /* it covers the end of the slice before it */
    assert_string_equal(text_of(&line, "d"), "M0 10m3000 0h500m1500 0h2000");
}

static const char *label_of_box(const char *name, double percent)
{
    struct tp_str label = tp_chart_label_of_box(&arena, tp_str_of(name), percent);
    return tp_arena_copy(&arena, label.ptr, label.len);
}

/* A letter takes 0.58 % of the chart. */
static void slices_without_text_have_no_label(void **state)
{
    GUARD;
    const struct tp_row_slice slices[] = {
        {0, 500, TP_LOOK_GPU, {NULL, 0}}, {500, 3000, TP_LOOK_GPU, {NULL, 0}}, {3000, 9000, TP_LOOK_GPU, {NULL, 0}}};
    struct tp_data lane = lane_of(slices, 3), line = item_of(&lane, "lines", 0);
    assert_int_equal(count_of(&lane, "slices"), 0);
    assert_string_equal(text_of(&line, "d"), "M0 10h500h2500h6000");
}

static void boxes_show_whole_names_or_an_ellipsis(void **state)
{
    GUARD;
    assert_string_equal(label_of_box("do_page_fault", 8.4), "do_page_fault");
    assert_string_equal(label_of_box("do_page_fault", 8.3), "do_page_fau\xe2\x80\xa6");
    assert_string_equal(label_of_box("do_page_fault", 3.2), "do_\xe2\x80\xa6");
    assert_string_equal(label_of_box("do_page_fault", 3.0), "");
    assert_string_equal(label_of_box("f", 1.5), "f");
}

static void ribbon_needs_three_steps_and_names_the_longest(void **state)
{
    GUARD;
    struct tp_ribbon_step steps[40] = {{{NULL, 0}, 0, {0}}};
    for (size_t i = 0; i < 40; i++)
        steps[i] =
            (struct tp_ribbon_step){.name = TP_STR("7"), .total_ns = 1000000, .look_ns = {[TP_LOOK_GPU] = 1000000}};
    steps[30].total_ns = 2000000;
    assert_int_equal(tp_chart_ribbon(&arena, steps, 2, 0, true).kind, TP_DATA_NONE);
    struct tp_data ribbon = tp_chart_ribbon(&arena, steps, 40, 5, false);
    struct tp_data shown = item_of(&ribbon, "columns", 5), longest = item_of(&ribbon, "columns", 30);
    struct tp_data other = item_of(&ribbon, "columns", 20);
    assert_true(is_set(&shown, "is_shown") && !is_set(&longest, "is_shown"));
    assert_string_equal(text_of(&shown, "label"), "shown: step 7 · 1.00 ms");
    assert_string_equal(text_of(&longest, "label"), "step 7 \xc2\xb7 2.00 ms, 2.0\xc3\x97 median");
    assert_string_equal(text_of(&other, "label"), "");
    assert_string_equal(text_of(&shown, "anchor"), "start");
    ribbon = tp_chart_ribbon(&arena, steps, 40, 25, false);
    shown = item_of(&ribbon, "columns", 25); /* on a phone, a label that starts here would be cut */
    assert_string_equal(text_of(&shown, "anchor"), "end");
    assert_string_equal(text_of(&shown, "label_x"), "65%");
}

/* Tests columns of 1 % each. The label of the longest step has 34 bytes, so it needs 19 % of the width; that of the
 * last step needs 10 %. */
static void labels_of_the_ribbon_do_not_touch(void **state)
{
    GUARD;
    struct tp_ribbon_step steps[100] = {{{NULL, 0}, 0, {0}}};
    for (size_t i = 0; i < 100; i++)
        steps[i] = (struct tp_ribbon_step){.name = TP_STR("123"), .total_ns = 1000000};
    steps[75].total_ns = 2000000;
    struct tp_data ribbon = tp_chart_ribbon(&arena, steps, 100, 0, false);
    struct tp_data longest = item_of(&ribbon, "columns", 75), last = item_of(&ribbon, "columns", 99);
    assert_string_equal(text_of(&longest, "label"), "step 123 \xc2\xb7 2.00 ms, 2.0\xc3\x97 median");
    assert_string_equal(text_of(&last, "label"), "");
    steps[75].total_ns = 1000000;
    steps[60].total_ns = 2000000;
    ribbon = tp_chart_ribbon(&arena, steps, 100, 0, false);
    last = item_of(&ribbon, "columns", 99);
    assert_string_equal(text_of(&last, "label"), "step 123 \xc2\xb7 1.00 ms");
}

static void times_of_steps_do_not_overflow(void **state)
{
    GUARD;
    const struct tp_row_slice slice = {INT64_MIN / 4, INT64_MAX / 4, TP_LOOK_GPU, {NULL, 0}};
    const struct tp_strip_row row = {.label = "", .height = 20, .slices = &slice, .count = 1};
    for (int64_t last = 0; last < 2; last++) {
        struct tp_object *object = tp_object_new(&arena);
        tp_chart_put_strip(object, &arena,
                           &(struct tp_strip_chart){.caption = "",
                                                    .end_ns = last ? INT64_MAX / 4 : 0,
                                                    .lanes = &row,
                                                    .lane_count = 1,
                                                    .named_ns = INT64_MAX,
                                                    .step = "",
                                                    .note = ""});
        struct tp_data strip = tp_data_of_object(object);
        assert_int_equal(count_of(&strip, "lanes"), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(segments_fill_the_bar, begin, end),
        cmocka_unit_test_setup_teardown(narrow_segments_are_named_below_the_bar, begin, end),
        cmocka_unit_test_setup_teardown(empty_bar_is_no_chart, begin, end),
        cmocka_unit_test_setup_teardown(strip_draws_lines_and_labelled_slices, begin, end),
        cmocka_unit_test_setup_teardown(equal_slices_in_a_row_have_one_label, begin, end),
        cmocka_unit_test_setup_teardown(slices_without_text_have_no_label, begin, end),
        cmocka_unit_test_setup_teardown(boxes_show_whole_names_or_an_ellipsis, begin, end),
        cmocka_unit_test_setup_teardown(ribbon_needs_three_steps_and_names_the_longest, begin, end),
        cmocka_unit_test_setup_teardown(labels_of_the_ribbon_do_not_touch, begin, end),
        cmocka_unit_test_setup_teardown(times_of_steps_do_not_overflow, begin, end),
    };
    return cmocka_run_group_tests_name("causes", tests, NULL, NULL);
}
