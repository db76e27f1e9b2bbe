/* Tests steps, the analysed window (W in docs/definitions.md) and the parts of idle time on small traces. Expected
 * numbers are counted by hand. */
#include "small_trace.h"

/* Checks the idle time of device 0 for each reason, in us. */
static void assert_idle(int host_us, int launch_us, int queue_us, int outside_us, int unknown_us)
{
    const int expected[TP_IDLE_PARTS] = {host_us, launch_us, queue_us, outside_us, unknown_us};
    int64_t sums[TP_IDLE_PARTS] = {0};
    for (uint32_t i = 0; i < model.gpus[0].idle_count; i++) {
        const struct tp_idle_slice *piece = &model.gpus[0].idle[i];
        sums[piece->part] += piece->b - piece->a;
    }
    for (int part = 0; part < TP_IDLE_PARTS; part++)
        assert_int_equal(sums[part], expected[part] * 1000);
}

static void assert_window(int us, uint32_t used)
{
    assert_int_equal(model.window_ns, (int64_t)us * 1000);
    assert_int_equal(model.used_count, used);
}

static int64_t device_busy_us(uint32_t gpu)
{
    return tp_intervals_intersection_length(model.gpus[gpu].busy, model.window) / 1000;
}

/* ---- parts of a gap ---- */

static void gap_is_split_at_start_and_end_of_its_launch(void **state)
{
    (void)state;
    write_kernel("a", 100, 10, 1),
        write_launch(90, 5, 1); /* idle 90 to 100 us, launch call 90 to 95 us: 5 us launch, 5 us queue */
    /* idle 110 to 120 us, launch call 110 to 115 us: 5 us launch, 5 us queue */
    write_kernel("b", 120, 10, 2), write_launch(110, 5, 2);
    /* idle 130 to 140 us, launch call 125 to 131 us: 1 us launch, 9 us queue */
    write_kernel("c", 140, 10, 3), write_launch(125, 6, 3);
    write_kernel("d", 160, 10, 4),
        write_launch(140, 10, 4);  /* idle 150 to 160 us, launch call ends at 150 us: 10 us queue */
    write_kernel("e", 180, 10, 0); /* idle 170 to 180 us, no launch call: 10 us unknown */
    /* idle 190 to 200 us, launch call 195 to 197 us: 5 us host, 2 us launch, 3 us queue */
    write_kernel("f", 200, 10, 6), write_launch(195, 2, 6);
    /* idle 210 to 220 us, launch call after the kernel's start: 10 us host */
    write_kernel("g", 220, 10, 7), write_launch(225, 2, 7);
    build_trace();
    assert_idle(15, 13, 32, 0, 10);
    assert_int_equal(device_busy_us(0), 70);
    assert_window(140, 1);
}

static void first_operation_in_the_file_ends_a_gap(void **state)
{
    (void)state;
    write_kernel("a", 0, 10, 1);
    write_operation("kernel", "x", 20, 5, 2, 0, 8, "");
    write_kernel("y", 20, 9, 3);
    write_launch(0, 1, 1), write_launch(1, 1, 2), write_launch(12, 1, 3);
    build_trace();
    assert_idle(0, 0, 10, 0, 0);
    assert_int_equal(model.gpus[0].stream_count, 2);
    assert_int_equal(device_busy_us(0), 19);
}

static void gaps_after_a_graph_launch_are_queue_time(void **state)
{
    (void)state;
    call("cudaGraphLaunch", 0, 5, 1);
    write_kernel("a", 10, 10, 1), write_kernel("b", 25, 10, 1), write_kernel("c", 40, 10, 1);
    build_trace();
    assert_idle(0, 5, 15, 0, 0);
    assert_true(tp_is_graph_launched(&model, model.gpus[0].idle[0].next));
}

static void gaps_without_launches_are_unknown(void **state)
{
    (void)state;
    write_kernel("a", 0, 10, 1), write_kernel("b", 100, 10, 2);
    build_trace();
    assert_idle(0, 0, 0, 0, 90);
    assert_int_equal(advice.recommendations.finding_count, 0);
}

static void immediate_first_operation_shows_idle_device(void **state)
{
    (void)state;
    step(1, 0, 1000), write_launch(600, 2, 1), write_kernel("k", 610, 100, 1);
    build_trace();
    assert_idle(600, 2, 8, 290, 0);
}

static void delayed_first_operation_leaves_past_unknown(void **state)
{
    (void)state;
    step(1, 0, 1000), write_launch(1, 2, 1), write_kernel("k", 500, 100, 1);
    build_trace();
    assert_idle(0, 2, 497, 1 + 400, 0);
}

static void each_device_has_separate_idle_time(void **state)
{
    (void)state;
    for (int d = 0; d < 2; d++) {
        launch_thread = 1 + d;
        write_launch(0, 1, 1 + 10 * d), write_launch(90, 1, 2 + 10 * d);
        write_operation("kernel", "a", 0, 10, 1 + 10 * d, d, 7, "");
        write_operation("kernel", "b", 100, 10, 2 + 10 * d, d, 7, "");
    }
    build_trace();
    assert_int_equal(model.gpu_count, 2);
    assert_window(110, 1);
    assert_idle(80, 1, 9, 0, 0);
    /* both devices wait at the same time, and this time is included once */
    assert_int_equal(tp_intervals_length(model.starved), 81000);
}

/* ---- steps ---- */

/* Writes consecutive steps of these lengths. Each has a launch 1 us after its start, and a kernel of `work[i]` us 50 us
 * after its start. */
static void write_steps_with_work(const int *lengths, const int *work, int count)
{
    int at = 0;
    for (int i = 0; i < count; i++) {
        step(i + 1, at, lengths[i]), write_launch(at + 1, 2, i + 1), write_kernel("k", at + 50, work[i], i + 1);
        at += lengths[i];
    }
    build_trace();
}

static void the_last_step_ends_with_its_device_work(void **state)
{
    (void)state;
    /* All steps are used, because 160 us is at most 1.5 times 140 us. Kernels run from 50 to 70, 210 to 230 and 310 to
     * 440 us, launch calls from 1 to 3, 161 to 163 and 261 to 263 us. */
    write_steps_with_work((int[]){160, 100, 100}, (int[]){20, 20, 130}, 3);
    assert_int_equal(model.steps[2].end_ns - model.steps[2].start_ns, 180000);
    assert_window(440, 3);
    assert_idle(1 + 91 + 31, 6, 47 + 94, 0, 0);
    assert_int_equal(device_busy_us(0), 170);
}

static void long_leading_steps_are_left_out_as_warm_up(void **state)
{
    (void)state;
    /* The first step is not used, because 400 us exceeds 1.5 times the median of the later steps, 100 us. The second
     * step is not used either, because 200 us exceeds 1.5 times 100 us. The analysed window is 600 to 900 us. */
    write_steps_with_work((int[]){400, 200, 100, 100, 100}, (int[]){20, 20, 20, 20, 20}, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(model.steps[i].left_out, i < 2 ? TP_STEP_WARM_UP : TP_STEP_USED);
    assert_window(300, 3);
    assert_idle(1 + 31 + 31, 6, 47 * 3, 30, 0);
    assert_true(advice.recommendations.step_us == 100);
}

static void two_steps_have_no_warm_up(void **state)
{
    (void)state;
    write_steps_with_work((int[]){900, 100}, (int[]){20, 20}, 2);
    assert_int_equal(model.used_count, 2);
}

static void truncated_step_and_device_annotation_are_not_used(void **state)
{
    (void)state;
    step(1, 0, 100), step(2, 100, 100);
    write_host_event_with_args("user_annotation", "ProfilerStep#3", 200, 100, "\"finished\":false");
    write_host_event("gpu_user_annotation", "ProfilerStep#1", 5, 100);
    write_host_event("cpu_op", "aten::mm", 10, 80), write_host_event("cpu_op", "aten::mm", 110, 80);
    build_trace();
    assert_int_equal(model.step_count, 3);
    assert_int_equal(model.steps[2].left_out, TP_STEP_UNFINISHED);
    assert_window(200, 2);
}

static void optimizer_step_begins_at_the_end_of_the_previous(void **state)
{
    (void)state;
    write_host_event("cpu_op", "aten::mm", 10, 50);
    for (int i = 0; i < 3; i++)
        write_host_event("user_annotation", "Optimizer.step#SGD.step", 100 + 200 * i, 50);
    build_trace();
    assert_int_equal(model.step_marker, TP_MARKER_OPTIMIZER);
    assert_window(140 + 200 + 200, 3);
    assert_true(advice.recommendations.step_us == 180);
}

static void unmarked_window_begins_with_host_if_device_is_idle(void **state)
{
    (void)state;
    write_host_event("cpu_op", "aten::mm", 0, 500);
    write_launch(100, 5, 1), write_kernel("k", 200, 100, 1), write_launch(300, 5, 2), write_kernel("k", 400, 50, 2);
    build_trace();
    assert_int_equal(model.steps[0].host_start_ns, 0);
    assert_int_equal(model.steps[0].host_end_ns, 500000);
    assert_window(450, 1);
    assert_int_equal(device_busy_us(0), 150);
}

static void unmarked_window_excludes_busy_device_start(void **state)
{
    (void)state;
    write_host_event("cpu_op", "aten::mm", 0, 500); /* kernel k starts 101 us after its launch has ended */
    write_launch(100, 5, 1), write_kernel("k", 206, 94, 1), write_launch(300, 5, 2), write_kernel("k", 400, 50, 2);
    build_trace();
    assert_window(244, 1);
    assert_int_equal(device_busy_us(0), 144);
}

/* ---- inferred steps ---- */

static void write_module_call(const char *name, double ts, double dur)
{
    write_host_event_with_args("python_function", name, ts, dur, "\"Python module id\":3");
}

/* Writes a forward pass, a backward pass and, if has_update is true, an optimizer step. Together they take 100 us. */
static void write_iteration(double ts, bool has_update)
{
    write_module_call("nn.Module: Net_0", ts, 30);
    write_host_event("cpu_op", "aten::linear", ts + 5, 20);
    write_host_event("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", ts + 40, 20);
    if (has_update)
        for (int i = 0; i < 4; i++)
            write_host_event("cpu_op", "aten::add_", ts + 60 + 10 * i, 10);
}

static void step_lasts_until_the_next_module_call(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        write_iteration(100 * i, true);
    build_trace();
    assert_int_equal(model.step_marker, TP_MARKER_MODULES);
    assert_int_equal(model.step_passes, 1);
    assert_true(tp_str_equal(tp_step_source_name(&model), TP_STR("Net")));
    assert_window(500, 5);
}

static void accumulating_passes_are_one_step(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++)
        write_iteration(100 * i, i % 3 == 2);
    build_trace();
    assert_int_equal(model.step_marker, TP_MARKER_MODULES);
    assert_int_equal(model.step_passes, 3);
    assert_window(1200, 4);
}

static void passes_in_a_marked_step_are_no_steps(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        write_iteration(100 * i, false);
    write_host_event("user_annotation", "Optimizer.step#SGD.step", 500, 10);
    build_trace();
    assert_int_equal(model.step_marker, TP_MARKER_WINDOW);
}

static void iteration_with_other_work_is_left_out(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        write_iteration(200 * i, true);
        for (int k = 0; k < 5 && i == 6; k++)
            write_host_event("cpu_op", "aten::topk", 200 * i + 100 + 10 * k, 10);
    }
    build_trace();
    assert_int_equal(model.step_count, 12);
    assert_int_equal(model.steps[6].left_out, TP_STEP_DIFFERENT);
    assert_window(10 * 200 + 100, 11); /* the last step ends at the end of its work */
}

static void equal_layers_are_not_steps(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        write_host_event("cpu_op", "aten::linear", 20 * i, 10),
            write_host_event("cpu_op", "aten::relu", 20 * i + 10, 10);
    build_trace();
    assert_int_equal(model.step_marker, TP_MARKER_WINDOW);
}

/* Writes a product of [4, 8] and [8, `outputs`] tensors followed by a relu, 8 times. */
static void write_products_with_shapes(int outputs)
{
    char product[64], relu[64];
    snprintf(product, sizeof product, "\"Input Dims\":[[4,8],[%d,8],[%d]]", outputs, outputs);
    snprintf(relu, sizeof relu, "\"Input Dims\":[[4,%d]]", outputs);
    for (int i = 0; i < 8; i++) {
        write_host_event_with_args("cpu_op", "aten::linear", 20 * i, 10, product);
        write_host_event_with_args("cpu_op", "aten::relu", 20 * i + 10, 10, relu);
    }
    build_trace();
}

static void iterations_whose_output_fits_no_input_are_steps(void **state)
{
    (void)state;
    write_products_with_shapes(2);
    assert_int_equal(model.step_marker, TP_MARKER_OPERATORS);
    assert_window(160, 8);
}

static void iterations_whose_output_fits_the_next_input_may_be_layers(void **state)
{
    (void)state;
    write_products_with_shapes(8);
    assert_int_equal(model.step_marker, TP_MARKER_WINDOW);
    assert_int_equal(model.repeat_count, 8);
}

static void operators_before_a_sequence_indicate_a_network(void **state)
{
    (void)state;
    write_host_event("cpu_op", "aten::embedding", 0, 10);
    for (int i = 0; i < 8; i++) {
        write_host_event("cpu_op", "aten::linear", 100 + 40 * i, 10),
            write_host_event("cpu_op", "aten::relu", 110 + 40 * i, 10);
        write_host_event("cpu_op", "aten::linear", 120 + 40 * i, 10),
            write_host_event("cpu_op", "aten::add", 130 + 40 * i, 10);
    }
    build_trace();
    assert_int_equal(model.step_marker, TP_MARKER_WINDOW);
}

/* ---- nested operators and waits ---- */

static void overlapping_events_are_counted_and_clipped(void **state)
{
    (void)state;
    write_host_event("cpu_op", "p", 0, 10), write_host_event("cpu_op", "c", 5, 6),
        write_host_event("cpu_op", "q", 20, 10), write_host_event("cpu_op", "r", 25, 6.001);
    build_trace();
    assert_int_equal(model.badly_nested_count, 2);
    assert_int_equal(model.operators.clipped_count, 2);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(tp_narrow_get(&model.operators.host_self, i), 5000);
}

static void wait_costs_at_most_its_time_and_bubble(void **state)
{
    (void)state;
    write_kernel("a", 0, 100, 1), write_launch(0, 1, 1);
    call("cudaStreamSynchronize", 50, 60, 9); /* the device is idle during this wait from 110 to 140 us */
    write_kernel("b", 140, 10, 2), write_launch(130, 2, 2);
    /* the device works until 150 us; then it is idle until 155 us; the wait takes 4 us */
    call("cudaDeviceSynchronize", 141, 4, 10);
    write_kernel("c", 155, 10, 3), write_launch(151, 2, 3);
    call("cudaDeviceSynchronize", 170, 3, 11); /* comes after all device work */
    build_trace();
    static const int64_t bubbles[] = {30000, 5000, 0}, costs[] = {30000, 4000, 0};
    assert_int_equal(model.wait_count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(model.waits[i].bubble_ns, bubbles[i]);
        assert_int_equal(model.waits[i].cost_ns, costs[i]);
    }
    assert_int_equal(model.waits[1].at_ns, 150000);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_trace_test, end_event_text)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        CASE(gap_is_split_at_start_and_end_of_its_launch),
        CASE(first_operation_in_the_file_ends_a_gap),
        CASE(gaps_after_a_graph_launch_are_queue_time),
        CASE(gaps_without_launches_are_unknown),
        CASE(immediate_first_operation_shows_idle_device),
        CASE(delayed_first_operation_leaves_past_unknown),
        CASE(each_device_has_separate_idle_time),
        CASE(the_last_step_ends_with_its_device_work),
        CASE(long_leading_steps_are_left_out_as_warm_up),
        CASE(two_steps_have_no_warm_up),
        CASE(truncated_step_and_device_annotation_are_not_used),
        CASE(optimizer_step_begins_at_the_end_of_the_previous),
        CASE(unmarked_window_begins_with_host_if_device_is_idle),
        CASE(unmarked_window_excludes_busy_device_start),
        CASE(step_lasts_until_the_next_module_call),
        CASE(accumulating_passes_are_one_step),
        CASE(passes_in_a_marked_step_are_no_steps),
        CASE(iteration_with_other_work_is_left_out),
        CASE(equal_layers_are_not_steps),
        CASE(iterations_whose_output_fits_no_input_are_steps),
        CASE(iterations_whose_output_fits_the_next_input_may_be_layers),
        CASE(operators_before_a_sequence_indicate_a_network),
        CASE(overlapping_events_are_counted_and_clipped),
        CASE(wait_costs_at_most_its_time_and_bubble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
