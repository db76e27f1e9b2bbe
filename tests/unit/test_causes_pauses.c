/* Tests rules of CPU programs whose main thread pauses by accident: thresholds and gains use the time without the
 * pause. */
#include "small_findings.h"

enum { STEPS = 3, STEP_US = 5000 };

#define FLOAT "\"float\""

/* Writes an operator. dims: its shapes; NULL: not recorded. */
static void write_operator(const char *name, double ts, double dur, const char *dims, int sequence)
{
    if (dims)
        write_operator_with_shapes(name, ts, dur, dims, FLOAT, sequence);
    else
        write_host_event("cpu_op", name, ts, dur);
}

/* Writes steps with 45 operators of 10 us, which take 670 us with the time between them. Then an operator of usual_us
 * (paused_us in one step) and an operator for the rest of the step follow. */
static void write_small_operators(double usual_us, double paused_us, const char *dims)
{
    for (int s = 0; s < STEPS; s++) {
        double at = (double)STEP_US * s, dur = s == 1 ? paused_us : usual_us;
        step(s, at, STEP_US);
        for (int i = 0; i < 45; i++)
            write_operator("aten::add", at + 15 * i, 10, dims, 100 * s + i);
        write_operator("aten::relu", at + 680, dur, dims, 100 * s + 50);
        write_operator("aten::mm", at + 680 + dur, STEP_US - 680 - dur, dims, 100 * s + 51);
    }
    build_trace();
}

static void small_operators_are_judged_without_pauses(void **state)
{
    write_small_operators(40, 4000, "[32,128]"); /* small operators take 1,350 of 15,000 us, but 3,960 us of the total
                                                  * are a pause */
    assert_finding("H5", "host.small_operators", 2010 / 150.0);
    end_event_text(state), begin_trace_test(state);
    write_small_operators(40, 40, "[32,128]");
    assert_null(find_finding_of_rule("H5"));
    end_event_text(state), begin_trace_test(state);
    write_small_operators(4000, 4000,
                          "[32,128]"); /* this operator takes 4,000 us in every step, so nothing is a pause */
    assert_null(find_finding_of_rule("H5"));
    end_event_text(state), begin_trace_test(state);
    /* not a pause, because the operator can take long to write to new memory pages */
    write_small_operators(1000, 4000, "[32,128]");
    assert_null(find_finding_of_rule("H5"));
    end_event_text(state), begin_trace_test(state);
    write_small_operators(40, 4000, NULL); /* without shapes, equal calls cannot be recognized */
    assert_null(find_finding_of_rule("H5"));
}

/* Writes steps with an Adam optimizer, which calls each of six operators of 10 us `calls` times. In one step, one call
 * takes paused_us. Another operator fills the rest of the step. */
static void write_optimizer_steps(int calls, double paused_us)
{
    static const char *const names[] = {"aten::mul_", "aten::lerp_", "aten::addcmul_",
                                        "aten::sqrt", "aten::div_",  "aten::addcdiv_"};
    for (int s = 0; s < STEPS; s++) {
        double at = (double)STEP_US * s + 10;
        step(s, (double)STEP_US * s, STEP_US);
        write_host_event("user_annotation", "Optimizer.step#Adam.step", at, 60 * calls + (s == 1 ? paused_us - 10 : 0));
        for (int i = 0; i < 6 * calls; i++) {
            double dur = s == 1 && i == 6 * calls - 2 ? paused_us : 10;
            write_host_event_with_args("cpu_op", names[i % 6], at, dur,
                                       "\"Input Dims\":[[32,128]],\"Input type\":[\"float\"]");
            at += dur;
        }
        write_operator_with_shapes("aten::mm", at, (double)STEP_US * (s + 1) - at, "[512,512]", FLOAT, 100 * s + 1);
    }
    build_trace();
}

static void optimizer_gain_excludes_pauses(void **state)
{
    write_optimizer_steps(10, 10);
    assert_gain_range("H3", 0.75 * 9, 9); /* a fused optimizer saves three quarters of the optimizer's 9 % (3 x 600 of
                                           * 15,000 us) */
    end_event_text(state), begin_trace_test(state);
    write_optimizer_steps(10, 4010); /* without the pause of 4,000 us, the total is 11,000 us */
    assert_gain_range("H3", 0.75 * 12.27, 12.27);
    end_event_text(state), begin_trace_test(state);
    /* without the pause, the optimizer takes 270 of 11,000 us, which is below the minimum */
    write_optimizer_steps(2, 4010);
    assert_null(find_finding_of_rule("H3"));
    end_event_text(state), begin_trace_test(state);
    write_optimizer_steps(4, 10);
    assert_gain_range("H3", 0.75 * 3.6, 3.6);
}

/* Writes a copy of usual_us in each step, but of copied_us in one step. A product fills the rest of the step. */
static void write_copies(double usual_us, double copied_us, const char *dims)
{
    for (int s = 0; s < STEPS; s++) {
        double at = (double)STEP_US * s, dur = s == 1 ? copied_us : usual_us;
        step(s, at, STEP_US);
        write_operator_with_shapes("aten::copy_", at + 10, dur, dims, FLOAT, 100 * s);
        write_operator_with_shapes("aten::mm", at + 10 + dur, STEP_US - 10 - dur, "[512,512]", FLOAT, 100 * s + 1);
    }
    build_trace();
}

static void copies_gain_excludes_pauses(void **state)
{
    write_copies(50, 4000, "[32,128]"); /* without the pause of 3,950 us, copies take 187 of 11,050 us */
    assert_gain_range("H7", 0.75 * 1.7, 27.6);
    assert_int_equal(find_finding_of_rule("H7")->confidence, TP_CONFIDENCE_LOW);
    end_event_text(state), begin_trace_test(state);
    write_copies(390, 4000, "[512,512]"); /* not a pause, because the copy can take long to write to new memory pages */
    assert_gain_range("H7", 0.75 * 39.8, 39.8);
    assert_int_equal(find_finding_of_rule("H7")->confidence, TP_CONFIDENCE_MEDIUM);
}

/* Writes steps with 1,400 us of Python in two functions, an operator of 40 us (paused_us in one step), and an operator
 * for the rest. */
static void write_python_steps(double paused_us)
{
    for (int s = 0; s < STEPS; s++) {
        double at = (double)STEP_US * s, dur = s == 1 ? paused_us : 40;
        step(s, at, STEP_US);
        for (int i = 0; i < 10; i++)
            frame(i % 2 ? "model.py(3): forward" : "train.py(9): step", at + 70 * i, 70);
        write_operator_with_shapes("aten::relu", at + 700, dur, "[32,128]", FLOAT, 100 * s);
        write_operator_with_shapes("aten::mm", at + 700 + dur, STEP_US - 1400 - dur, "[512,512]", FLOAT, 100 * s + 1);
        for (int i = 0; i < 10; i++)
            frame(i % 2 ? "model.py(3): forward" : "train.py(9): step", at + STEP_US - 700 + 70 * i, 70);
    }
    build_trace();
}

static void scattered_python_is_judged_without_pauses(void **state)
{
    write_python_steps(3500); /* Python takes 4,200 of 15,000 us, but 3,460 us of the total are a pause */
    assert_finding("H6", "host.python", 28);
    end_event_text(state), begin_trace_test(state);
    write_python_steps(40);
    assert_null(find_finding_of_rule("H6"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_trace_test, end_event_text)

int main(void)
{
    is_recording_free = true;
    const struct CMUnitTest tests[] = {
        CASE(small_operators_are_judged_without_pauses),
        CASE(optimizer_gain_excludes_pauses),
        CASE(copies_gain_excludes_pauses),
        CASE(scattered_python_is_judged_without_pauses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
