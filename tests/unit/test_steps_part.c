/* Tests parts of traces: the choice of the steps, the events and steps of a part, and what a replay says about it. */
#include "small_trace.h"

#include "webreport/measure/result/priced_changes.h"
#include "webreport/model/steps_part.h"
#include "webreport/what_if/part_choice.h"

enum { STEPS = 9, LAUNCHES = 4, ACTIVITIES_OF_STEP = 3 * LAUNCHES };

/* Writes steps of 1 ms with 4 launches each. The kernels take `kernel` us, one after another. */
static void write_steps(double kernel)
{
    double device = 0;
    int number = 0;
    for (int s = 0; s < STEPS; s++) {
        double begin = 1000.0 * s;
        step(s, begin, 1000);
        write_host_event("python_function", "train.py(3): step", begin, 999);
        for (int i = 0; i < LAUNCHES; i++) {
            double at = begin + 10 + 100 * i;
            number++;
            write_host_event("cpu_op", "aten::mm", at, 50);
            write_launch(at + 10, 20, number);
            device = fmax(device + 1, at + 30);
            write_kernel("gemm", device, kernel, number);
            device += kernel;
        }
    }
    build_trace();
    assert_int_equal(model.used_count, STEPS);
}

static struct tp_chosen_steps chosen_steps(uint64_t most, bool *is_chosen)
{
    struct tp_chosen_steps chosen = {99, 99};
    *is_chosen = tp_replay_choose_steps(&chosen, &model, most, &arena);
    return chosen;
}

static void assert_chosen(uint64_t most, uint32_t first, uint32_t last)
{
    bool is_chosen;
    struct tp_chosen_steps chosen = chosen_steps(most, &is_chosen);
    assert_true(is_chosen);
    assert_int_equal(chosen.first, first);
    assert_int_equal(chosen.last, last);
}

static void part_grows_around_the_median_step_until_a_quarter_is_full(void **state)
{
    (void)state;
    write_steps(100);
    assert_int_equal(tp_replay_activities(&model), STEPS * ACTIVITIES_OF_STEP);
    /* steps of equal length: the first of them is the median */
    assert_chosen(4 * 3 * ACTIVITIES_OF_STEP, 0, 2);
    assert_chosen(4 * 3 * ACTIVITIES_OF_STEP - 1, 0, 1);
}

static void single_step_takes_the_step_before_it(void **state)
{
    bool is_chosen;
    (void)state;
    write_steps(100);
    model.steps[0].left_out = TP_STEP_WARM_UP;
    model.used_count--;
    assert_chosen(2 * ACTIVITIES_OF_STEP, 0, 1);
    chosen_steps(2 * ACTIVITIES_OF_STEP - 1, &is_chosen);
    assert_false(is_chosen);
}

static void trace_without_steps_has_no_part(void **state)
{
    bool is_chosen;
    (void)state;
    write_host_event("cpu_op", "aten::mm", 0, 50);
    write_launch(10, 20, 1);
    write_kernel("gemm", 40, 100, 1);
    build_trace();
    chosen_steps(1000, &is_chosen);
    assert_false(is_chosen);
}

static void part_has_the_events_of_its_steps(void **state)
{
    struct tp_steps_part part;
    (void)state;
    write_steps(100);
    tp_steps_part_build(&part, &model, 3, 5, &arena);
    assert_int_equal(part.model.step_count, 3);
    assert_string_equal(part.model.steps[0].name.ptr, "3");
    assert_int_equal(part.model.devices.count, 3 * LAUNCHES);
    assert_int_equal(part.model.launches.count, 3 * LAUNCHES);
    assert_int_equal(part.trace.event_count, 3 * (2 + 3 * LAUNCHES));
    for (uint32_t i = 0; i < part.model.operators.count; i++) /* only the whole trace has stacks */
        assert_int_equal(part.model.operators.stack[i], TP_NO_ID);
    /* the first step leads in */
    assert_int_equal(part.model.steps[0].left_out, TP_STEP_LEAD_IN);
    assert_int_equal(part.model.used_count, 2);
    tp_steps_part_build(&part, &model, 0, 1, &arena);
    assert_int_equal(part.model.used_count, 2);
}

/* Tests kernels of 400 us: 1.6 ms of work in each step of 1 ms, so the device is 0.6 ms later after each step. Before
 * step 4 begins at 4 ms, its launches have work for 6.4 ms. */
static void steps_lead_in_while_the_device_works_for_earlier_steps(void **state)
{
    struct tp_steps_part part;
    (void)state;
    write_steps(400);
    tp_steps_part_build(&part, &model, 4, 8, &arena);
    assert_int_equal(part.model.steps[2].left_out, TP_STEP_LEAD_IN); /* begins at 6 ms */
    assert_int_equal(part.model.steps[3].left_out, TP_STEP_USED);    /* begins at 7 ms */
    assert_int_equal(part.model.used_count, 2);
    tp_steps_part_build(&part, &model, 4, 5, &arena); /* the last step always stays */
    assert_int_equal(part.model.used_count, 1);
}

static void replay_of_a_part_names_its_steps(void **state)
{
    struct tp_what_if_view view;
    const struct tp_asked_changes usual = {.most_nodes = 4 * 2 * ACTIVITIES_OF_STEP};
    (void)state;
    write_steps(100);
    assert_int_equal(tp_changes_price(&view, &model, &usual, &arena, NULL), 0);
    assert_true(view.has_part);
    assert_int_equal(view.withheld, 0);
    assert_string_equal(view.part.first_step.ptr, "0");
    assert_string_equal(view.part.last_step.ptr, "1");
    assert_int_equal(view.part.trace_step_count, STEPS);
    assert_int_equal(view.step_count, 2);
    assert_int_equal(view.step_ns, 1000000);
    assert_true(view.confidence >= TP_REPLAY_CONFIDENCE_MEDIUM);
}

static void replay_of_too_large_steps_is_withheld(void **state)
{
    struct tp_what_if_view view;
    const struct tp_asked_changes usual = {.most_nodes = ACTIVITIES_OF_STEP - 1};
    (void)state;
    write_steps(100);
    assert_int_equal(tp_changes_price(&view, &model, &usual, &arena, NULL), 0);
    assert_false(view.has_part);
    assert_int_equal(view.withheld, 1u << TP_WITHHELD_SIZE);
    assert_int_equal(view.step_count, STEPS);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_trace_test, end_event_text)
    const struct CMUnitTest tests[] = {
        CASE(part_grows_around_the_median_step_until_a_quarter_is_full),
        CASE(single_step_takes_the_step_before_it),
        CASE(trace_without_steps_has_no_part),
        CASE(part_has_the_events_of_its_steps),
        CASE(steps_lead_in_while_the_device_works_for_earlier_steps),
        CASE(replay_of_a_part_names_its_steps),
        CASE(replay_of_too_large_steps_is_withheld),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
