/* Tests the band of the timeline that shows the critical path: joined parts, details, the time range, and the data of
 * the viewer. */
#include "webreport/document/charts/critical_band.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct tp_arena arena;
static struct tp_model model;
static struct tp_step step = {.start_ns = 0, .end_ns = 1000};
static struct tp_advice advice;
static struct tp_profile profile;
static struct tp_section section;

/* The elements of the path, from its end. */
static struct tp_path_span spans[] = {
    {900, 1000, TP_STR("void gemm<float>(int)"), 5, TP_PATH_COMPUTE, false, 0, false},
    {890, 900, TP_STR("launch"), 5, TP_PATH_LATENCY, true, TP_EDGE_LAUNCH, false},
    {500, 890, TP_STR("before copy"), 4, TP_PATH_UNEXPLAINED, true, TP_EDGE_EVENT, true},
    {440, 500, TP_STR("aten::add"), 3, TP_PATH_OPERATOR, false, 0, false},
    {400, 440, TP_STR("cudaLaunchKernel"), 3, TP_PATH_LAUNCH, false, 0, false},
    {0, 400, TP_STR("train.py(3): step"), 2, TP_PATH_PYTHON, false, 0, false},
};

static int set_up(void **state)
{
    (void)state;
    tp_arena_init(&arena, 0);
    model = (struct tp_model){.devices = {.count = 1}, .last_ns = 1000, .steps = &step, .step_count = 1};
    advice.verdict.class = TP_CLASS_COMPUTE_BOUND;
    advice.what_if = (struct tp_what_if_view){
        .step_count = 1, .step_ns = 1000, .spans = spans, .span_count = sizeof spans / sizeof *spans};
    profile = (struct tp_profile){.advice = &advice, .model = &model};
    section = (struct tp_section){.arena = &arena, .profile = &profile, .naming = {.arena = &arena}};
    return setjmp(arena.guard);
}

static int tear_down(void **state)
{
    (void)state;
    tp_arena_release(&arena);
    return 0;
}

static void assert_part(const struct tp_band *band, uint32_t index, struct tp_band_part wanted)
{
    assert_true(index < band->count);
    assert_int_equal(band->parts[index].start_ns, wanted.start_ns);
    assert_int_equal(band->parts[index].end_ns, wanted.end_ns);
    assert_int_equal(band->parts[index].color, wanted.color);
    assert_string_equal(band->parts[index].text.ptr, wanted.text.ptr);
}

static void part_has_the_name_and_the_reason_of_its_node(void **state)
{
    (void)state;
    struct tp_band band = tp_critical_band(&section, 0, 1000, 0);
    assert_int_equal(band.count, 6);
    assert_part(&band, 0, (struct tp_band_part){0, 400, TP_GROUP_HOST, TP_STR("Host: train.py(3): step")});
    assert_part(&band, 3,
                (struct tp_band_part){500, 890, TP_GROUP_UNEXPLAINED,
                                      TP_STR("Unexplained: before copy, waits for: event of another stream "
                                             "(inferred)")});
    assert_part(&band, 4,
                (struct tp_band_part){890, 900, TP_GROUP_LATENCY, TP_STR("Latency: before gemm, waits for: launch")});
    assert_part(&band, 5,
                (struct tp_band_part){900, 1000, TP_GROUP_COMPUTE, TP_STR("Compute: gemm, waits for: launch")});
}

static void short_parts_are_joined_with_their_neighbors(void **state)
{
    (void)state;
    struct tp_band band = tp_critical_band(&section, 0, 1000, 50);
    assert_int_equal(band.count, 4);
    assert_part(&band, 1, (struct tp_band_part){400, 500, TP_GROUP_HOST, TP_STR("Host, 2 parts, longest: aten::add")});
    assert_part(&band, 3,
                (struct tp_band_part){890, 1000, TP_GROUP_COMPUTE, TP_STR("Compute, 2 parts, longest: gemm")});
}

static void band_has_only_the_time_of_its_range(void **state)
{
    (void)state;
    struct tp_band band = tp_critical_band(&section, 450, 600, 0);
    assert_int_equal(band.count, 2);
    assert_int_equal(band.parts[0].start_ns, 450);
    assert_int_equal(band.parts[1].end_ns, 600);
    advice.what_if.withheld = 1u << TP_WITHHELD_UNEXPLAINED;
    assert_int_equal(tp_critical_band(&section, 0, 1000, 0).count,
                     6); /* the path of a withheld replay is for reading */
    advice.what_if.withheld = 1u << TP_WITHHELD_NOT_REPRODUCED;
    assert_int_equal(tp_critical_band(&section, 0, 1000, 0).count, 0);
}

static void band_of_the_viewer_shows_the_step_in_detail(void **state)
{
    (void)state;
    model.last_ns = 100000; /* 400 parts of the recording are 250 ns each */
    assert_int_equal(tp_critical_band_for_viewer(&section, TP_NO_ID).count, 3);
    assert_int_equal(tp_critical_band_for_viewer(&section, 0).count, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(part_has_the_name_and_the_reason_of_its_node, set_up, tear_down),
        cmocka_unit_test_setup_teardown(short_parts_are_joined_with_their_neighbors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(band_has_only_the_time_of_its_range, set_up, tear_down),
        cmocka_unit_test_setup_teardown(band_of_the_viewer_shows_the_step_in_detail, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
