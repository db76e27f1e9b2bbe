/* Tests rules for programs without a device on small traces: when they have findings, their maximum gain, and their
 * confidence. Expected numbers are counted by hand. */
#include "small_findings.h"

static void loop_with_indexing_is_found(void **state)
{
    (void)state;
    step(0, 0, 1000), step(1, 1000, 1000);
    for (int i = 0; i < 40; i++)
        write_host_event("cpu_op", "aten::select", 100 + 20 * i, 5),
            write_host_event("cpu_op", "aten::mul", 107 + 20 * i, 8);
    build_trace();
    /* The loop lasts from its second round to the end of its last round, and the trace has two steps. Recording its 78
     * operators took 0.3 us each. */
    assert_ceiling("H2", (895 - 120 - 78 * 0.3) / 2.0);
    assert_null(find_finding_of_rule("H5")); /* rule H2 already reports these small operators */
    assert_int_equal(find_finding_of_rule("H2")->evidence_total, 1);
    assert_true(is_not_evaluated("A1", "the rule is for another kind of program"));
}

static void small_operator_gain_includes_gaps(void **state)
{
    (void)state;
    step(0, 0, 1000), step(1, 1000, 1000);
    const char *const names[] = {"aten::add", "aten::mul", "aten::exp", "aten::tanh",
                                 "aten::sin", "aten::cos", "aten::log"};
    for (int i = 0; i < 42; i++)
        write_host_event("cpu_op", names[(i * i) % 7], 100 + 15 * i, 10);
    write_host_event("cpu_op", "aten::mm", 780, 25), write_host_event("cpu_op", "aten::add", 860, 10);
    build_trace();
    /* the gain excludes the time directly before the large aten::mm */
    assert_ceiling("H5", (41 * 15 + 10 + 10 - 43 * 0.3) / 2.0);
    tp_arena_release(&arena), text.size = 0;
    step(0, 0, 1000), step(1, 1000, 1000);
    for (int i = 0; i < 42; i++)
        write_host_event("cpu_op", names[(i * i) % 7], 100 + 20 * i, 6); /* each operator takes 6 of 20 us, so 14 us are
                                                                          * between operators */
    settings[1] = "H5.gap_us=0";
    build_trace();
    assert_ceiling("H5", (42 * 6 - 42 * 0.3) / 2.0);
}

static void loop_that_reads_values_is_found_without_indexing(void **state)
{
    (void)state;
    step(0, 0, 1000), step(1, 1000, 1000);
    for (int i = 0; i < 30; i++)
        write_host_event("cpu_op", "aten::gt", 100 + 20 * i, 5),
            write_host_event("cpu_op", "aten::is_nonzero", 107 + 20 * i, 8);
    build_trace();
    assert_ceiling("H2", (29 * 20 - 5 - 58 * 0.3) / 2.0);
    assert_string_equal(find_finding_of_rule("H2")->cause, "host.scalar_reads");
}

static void optimizer_that_reads_its_count_is_no_loop(void **state)
{
    (void)state;
    step(0, 0, 1000), step(1, 1000, 1000);
    write_host_event("user_annotation", "Optimizer.step#Adam.step", 90, 800);
    for (int i = 0; i < 30; i++)
        write_host_event("cpu_op", "aten::add_", 100 + 20 * i, 5),
            write_host_event("cpu_op", "aten::item", 107 + 20 * i, 8);
    build_trace();
    assert_null(find_finding_of_rule("H2"));
    assert_non_null(find_finding_of_rule("H3"));
}

static void loop_gain_includes_its_backward_pass(void **state)
{
    (void)state;
    step(0, 0, 1000), step(1, 1000, 1000);
    for (int i = 0; i < 20; i++) {
        char args[64];
        snprintf(args, sizeof args, "\"Sequence number\":%d,\"Fwd thread id\":0", 100 + i);
        write_host_event_with_args("cpu_op", "aten::select", 100 + 20 * i, 15, args);
        snprintf(args, sizeof args, "\"Sequence number\":%d,\"Fwd thread id\":1", 100 + i);
        write_host_event_with_args("cpu_op", "autograd::engine::evaluate_function: SelectBackward0", 600 + 15 * i, 10,
                                   args);
    }
    write_host_event_with_args("cpu_op", "autograd::engine::evaluate_function: OtherBackward0", 950, 10,
                               "\"Sequence number\":7");
    build_trace();
    /* The backward pass has 19 nodes of the loop, with the engine's work between them. 38 operators of the loop were
     * recorded. */
    assert_ceiling("H2", (495 - 120 + 19 * 15 - 5 - 38 * 0.3) / 2.0);
}

/* Tests that the loop with shapes has the smaller gain, because recording shapes makes operators take longer. */
static void cost_of_recording_shapes_is_subtracted(void **state)
{
    for (int has_shapes = 0; has_shapes < 2; has_shapes++) {
        for (int i = 0; i < 80; i++)
            write_host_event_with_args("cpu_op", i % 2 ? "aten::mul" : "aten::select", 5 * i, 4,
                                       has_shapes ? "\"Input Dims\":[[8,8]],\"Input type\":[\"float\"]" : "");
        build_trace();
        assert_ceiling("H2", 389 - 78 * (has_shapes ? 0.45 : 0.3));
        if (!has_shapes)
            end_event_text(state), begin_trace_test(state);
    }
}

static void time_between_operators_names_its_line(void **state)
{
    (void)state;
    write_host_event("python_function", "train.py(3): main", 0, 100), write_host_event("cpu_op", "aten::mm", 20, 40);
    build_trace();
    /* 60 us outside of the operator, minus the cost of recording it */
    assert_ceiling("H6", 60 - 0.15);
    /* the confidence is low, because recording frames costs time and no step is marked */
    assert_int_equal(find_finding_of_rule("H6")->confidence, TP_CONFIDENCE_LOW);
    ASSERT_PART(find_finding_of_rule("H6")->details, TP_DETAIL_LINE, NAN, 60.1); /* 59.85 us of 99.55 us are 60.1 % */
}

/* Writes three steps of 10 ms with an operator. Before the operator is a pause of 9 ms, in one step or in all steps. */
static void pause_in_one_step_is_no_code(void **state)
{
    for (int is_each = 0; is_each < 2; is_each++) {
        begin_trace_test(state);
        for (int s = 0; s < 3; s++) {
            double at = 10000.0 * s;
            bool has_pause = is_each || s == 1;
            step(s, at, 10000);
            write_host_event("python_function", "train.py(3): main", at, 10000);
            write_host_event("cpu_op", "aten::mm", at + (has_pause ? 9000 : 1), has_pause ? 1000 : 9999);
        }
        build_trace();
        if (!is_each)
            assert_null(find_finding_of_rule("H6"));
        if (!is_each)
            end_event_text(state);
    }
    assert_ceiling("H6", 9000 - 0.15); /* the time is not a pause, because Python code takes it in every step */
}

static void parallel_operators_are_compared_with_single_ones(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        write_host_event("cpu_op", "aten::mm", 20 * i, 10);
    write_host_event("cpu_op", "aten::mm", 100, 40);
    add_event("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::add\",\"pid\":10,\"tid\":2,\"ts\":100,\"dur\":30}");
    build_trace();
    assert_ceiling("H4", 30); /* with other operators aten::mm takes 40 us, without them 10 us */
    assert_int_equal(find_finding_of_rule("H4")->evidence_total, 1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_trace_test, end_event_text)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        CASE(loop_with_indexing_is_found),
        CASE(small_operator_gain_includes_gaps),
        CASE(loop_that_reads_values_is_found_without_indexing),
        CASE(optimizer_that_reads_its_count_is_no_loop),
        CASE(loop_gain_includes_its_backward_pass),
        CASE(cost_of_recording_shapes_is_subtracted),
        CASE(time_between_operators_names_its_line),
        CASE(pause_in_one_step_is_no_code),
        CASE(parallel_operators_are_compared_with_single_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
