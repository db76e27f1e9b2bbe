/* Tests rule H21: single steps with work that other steps do not have. */
#include <math.h>

#include "tests/unit/small_findings.h"

enum { STEPS = 8, STEP_US = 1000 };

#define FLOAT "\"float\""

/* Writes a usual step: a product in a frame, lengthened by the factor `slower`. Returns its length, us. */
static double write_usual_step(double at, int s, double slower)
{
    frame("train.py(9): step", at, STEP_US * slower);
    write_operator_with_shapes("aten::mm", at + 100, 800 * slower, "[64,512],[512,512]", FLOAT, 10 * s);
    return STEP_US * slower;
}

/* Writes steps. From step `first` on, every `every`-th step also validates for extra_us. With is_slow, such a step does
 * not validate but takes extra_us longer. */
static void write_steps(int first, int every, double extra_us, bool is_slow)
{
    double at = 0;
    for (int s = 0; s < STEPS; s++) {
        bool is_one = s >= first && (s - first) % every == 0;
        double extra = is_one && !is_slow ? extra_us : 0, slower = is_one && is_slow ? 1 + extra_us / STEP_US : 1;
        step(s, at, STEP_US * slower + extra);
        if (extra > 0) {
            frame("train.py(30): validate", at, extra);
            write_operator_with_shapes("aten::mm", at + 10, extra - 20, "[4096,512],[512,512]", FLOAT, 10 * s + 1);
        }
        at += extra + write_usual_step(at + extra, s, slower);
    }
    build_trace();
}

static void single_step_with_validation_is_found(void **state)
{
    write_steps(3, STEPS, 4000, false); /* 4,000 us of the total 12,000 us are extra */
    assert_finding("H21", "step.outlier", NAN);
    assert_int_equal(find_finding_of_rule("H21")->severity, TP_SEVERITY_MEDIUM);
    assert_int_equal(find_finding_of_rule("H21")->evidence_total, 1); /* only the validation is evidence, not the
                                                                       * product that every step contains */
    end_event_text(state), begin_trace_test(state);
    write_steps(3, STEPS, 12000, false);
    assert_int_equal(find_finding_of_rule("H21")->severity, TP_SEVERITY_HIGH);
    end_event_text(state), begin_trace_test(state);
    write_steps(3, 4, 4000, false); /* steps 3 and 7 validate: a quarter of all steps */
    assert_finding("H21", "step.outlier", NAN);
}

static void other_slow_steps_are_no_outliers(void **state)
{
    write_steps(3, STEPS, 4000, true); /* the slow step has the same calls as the others */
    assert_null(find_finding_of_rule("H21"));
    end_event_text(state), begin_trace_test(state);
    write_steps(0, STEPS, 400, false); /* one-time work in the first step is normal */
    assert_null(find_finding_of_rule("H21"));
    end_event_text(state), begin_trace_test(state);
    write_steps(1, 2, 4000, false); /* half of all steps are too many for an outlier */
    assert_null(find_finding_of_rule("H21"));
    end_event_text(state), begin_trace_test(state);
    write_steps(3, STEPS, 300, false); /* 300 us in a step of 1,300 us are too little for a finding */
    assert_null(find_finding_of_rule("H21"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_trace_test, end_event_text)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(single_step_with_validation_is_found),
        CASE(other_slow_steps_are_no_outliers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
