/* What rules of CPU programs ask for where the main thread stands still by accident: of the time without that. Steps of
 * 5,000 us in which 45 operators of 10 us and what is between them take 670. */
#include "small_findings.h"

enum { STEPS = 3, STEP_US = 5000 };

#define FLOAT "\"float\""

/* dims NULL: what it works on is not recorded. */
static void work(const char *name, double ts, double dur, const char *dims, int sequence)
{
    if (dims)
        shaped(name, ts, dur, dims, FLOAT, sequence);
    else
        host("cpu_op", name, ts, dur);
}

/* An operator of usual_us behind the small ones, of paused_us in one step, and one that fills the rest. */
static void small_operators(double usual_us, double paused_us, const char *dims)
{
    for (int s = 0; s < STEPS; s++) {
        double at = (double)STEP_US * s, dur = s == 1 ? paused_us : usual_us;
        step(s, at, STEP_US);
        for (int i = 0; i < 45; i++)
            work("aten::add", at + 15 * i, 10, dims, 100 * s + i);
        work("aten::relu", at + 680, dur, dims, 100 * s + 50);
        work("aten::mm", at + 680 + dur, STEP_US - 680 - dur, dims, 100 * s + 51);
    }
    build();
}

static void small_operators_are_asked_for_without_what_stood_still(void **state)
{
    small_operators(40, 4000, "[32,128]"); /* 1,350 of 15,000 us, of which 3,960 are no work */
    assert_found("H5", "host.small_operators", 2010 / 150.0);
    end(state), begin(state);
    small_operators(40, 40, "[32,128]");
    assert_null(finding("H5"));
    end(state), begin(state);
    small_operators(4000, 4000, "[32,128]"); /* each step does it */
    assert_null(finding("H5"));
    end(state), begin(state);
    small_operators(1000, 4000, "[32,128]"); /* long enough to touch pages of its own */
    assert_null(finding("H5"));
    end(state), begin(state);
    small_operators(40, 4000, NULL); /* nobody knows which calls are alike */
    assert_null(finding("H5"));
}

/* Python of 1,400 us a step in two functions, an operator of 40 us, of 4,000 us in one step, and one for the rest. */
static void python(double paused_us)
{
    for (int s = 0; s < STEPS; s++) {
        double at = (double)STEP_US * s, dur = s == 1 ? paused_us : 40;
        step(s, at, STEP_US);
        for (int i = 0; i < 10; i++)
            frame(i % 2 ? "model.py(3): forward" : "train.py(9): step", at + 70 * i, 70);
        shaped("aten::relu", at + 700, dur, "[32,128]", FLOAT, 100 * s);
        shaped("aten::mm", at + 700 + dur, STEP_US - 1400 - dur, "[512,512]", FLOAT, 100 * s + 1);
        for (int i = 0; i < 10; i++)
            frame(i % 2 ? "model.py(3): forward" : "train.py(9): step", at + STEP_US - 700 + 70 * i, 70);
    }
    build();
}

static void python_all_over_is_asked_for_without_what_stood_still(void **state)
{
    python(3500); /* 4,200 of 15,000 us, of which 3,460 are no work */
    assert_found("H6", "host.python", 28);
    end(state), begin(state);
    python(40);
    assert_null(finding("H6"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    is_recording_free = true;
    const struct CMUnitTest tests[] = {
        CASE(small_operators_are_asked_for_without_what_stood_still),
        CASE(python_all_over_is_asked_for_without_what_stood_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
