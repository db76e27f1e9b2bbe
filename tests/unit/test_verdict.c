/* Tests the verdict: each class once, thresholds at their limits, and the headline and numbers of small traces by hand
 * (section 13 of docs/definitions.md). */
#include "webreport/measure/result/advice.h"
#include "webreport/model/build.h"

#include <math.h>
#include <string.h>

#include "tests/unit/made_trace.h"

/* Checks the class for these shares of the analysed window. The shares are in the order of enum tp_time_cause: compute,
 * communication, copy, input, sync, launch, queue, outside, unknown. */
static void assert_decision(const double shares[TP_TIME_DEVICE_COUNT], double gap_percent,
                            enum tp_verdict_class expected, enum tp_time_cause cause, double percent)
{
    struct tp_trace_verdict verdict;
    memset(&verdict, 0, sizeof verdict);
    tp_verdict_decide(&verdict, shares, gap_percent);
    assert_string_equal(tp_verdict_class_text(verdict.class), tp_verdict_class_text(expected));
    assert_int_equal(verdict.cause, cause);
    assert_true(verdict.percent == percent);
}

#define SHARES (const double[TP_TIME_DEVICE_COUNT])

static void largest_group_of_a_fifth_names_the_class(void **state)
{
    (void)state;
    assert_decision(SHARES{50, 40, 1, 2, 3, 4}, 0, TP_CLASS_COMMUNICATION_BOUND, TP_TIME_COMMUNICATION, 40);
    assert_decision(SHARES{50, 1, 40, 2, 3, 4}, 0, TP_CLASS_COPY_BOUND, TP_TIME_COPY, 40);
    assert_decision(SHARES{50, 1, 2, 40, 3, 4}, 0, TP_CLASS_INPUT_BOUND, TP_TIME_INPUT, 40);
    assert_decision(SHARES{50, 1, 2, 3, 40, 4}, 0, TP_CLASS_SYNC_BOUND, TP_TIME_SYNC, 40);
    assert_decision(SHARES{50, 1, 2, 3, 4, 40}, 0, TP_CLASS_LAUNCH_BOUND, TP_TIME_LAUNCH, 40);
    assert_decision(SHARES{60, 20, 20, 0, 0, 0}, 0, TP_CLASS_COMMUNICATION_BOUND, TP_TIME_COMMUNICATION,
                    20); /* with equal shares, the first cause is the result */
}

static void thresholds_include_their_limit(void **state)
{
    (void)state;
    assert_decision(SHARES{66, 0, 0, 0, 0, 34}, 34, TP_CLASS_COMPUTE_BOUND, TP_TIME_COMPUTE, 66);
    assert_decision(SHARES{65.9, 0, 0, 0, 0, 34.1}, 34, TP_CLASS_LAUNCH_BOUND, TP_TIME_LAUNCH, 34.1);
    assert_decision(SHARES{60.1, 19.9, 0, 0, 0, 0, 0, 0, 19.9}, 0, TP_CLASS_COMPUTE_BOUND, TP_TIME_COMPUTE, 60.1);
    assert_decision(SHARES{50, 19, 0, 0, 19, 12, 0, 0, 0}, 0, TP_CLASS_COMPUTE_BOUND, TP_TIME_COMPUTE, 50);
    assert_decision(SHARES{49.9, 19, 0, 0, 19, 12.1, 0, 0, 0}, 0, TP_CLASS_BALANCED, TP_TIME_COMPUTE, 49.9);
    assert_decision(SHARES{60, 20, 0, 0, 0, 0, 0, 0, 19.9}, 0, TP_CLASS_COMMUNICATION_BOUND, TP_TIME_COMMUNICATION, 20);
    assert_decision(SHARES{40, 0, 0, 0, 0, 60}, 50, TP_CLASS_STALL, TP_TIME_LAUNCH, 60);
    assert_decision(SHARES{40, 0, 0, 0, 0, 60}, 49.9, TP_CLASS_LAUNCH_BOUND, TP_TIME_LAUNCH, 60);
    /* a long gap gives the class `stall` only if launches are the largest cause */
    assert_decision(SHARES{40, 0, 0, 0, 60, 0}, 60, TP_CLASS_SYNC_BOUND, TP_TIME_SYNC, 60);
}

static void unknown_times_are_one_group(void **state)
{
    (void)state;
    assert_decision(SHARES{55, 0, 0, 0, 0, 15, 9, 12, 9}, 0, TP_CLASS_NOT_SHOWN, TP_TIME_OUTSIDE, 30);
    assert_decision(SHARES{55, 0, 0, 0, 0, 22.5, 11.5, 0, 11}, 0, TP_CLASS_LAUNCH_BOUND, TP_TIME_LAUNCH,
                    22.5); /* with equal shares, a known cause is preferred to an unknown one */
    assert_decision(SHARES{60, 0, 0, 0, 0, 10, 15, 15, 0}, 0, TP_CLASS_NOT_SHOWN, TP_TIME_QUEUE, 30);
}

/* ---- whole traces ---- */

struct made {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_advice advice;
    struct tp_trace_verdict verdict;
};

static void make_verdict(struct made *m, const char *events)
{
    make_model(&m->arena, &m->trace, &m->order, &m->model, "", events);
    tp_advice_build(&m->advice, &m->model, NULL, &m->arena);
    /* makes no check for too few events, so that small traces get a verdict */
    tp_verdict_build(&m->verdict, &m->model, m->advice.quality.is_fragment, &m->arena);
}

static bool has_largest_name(const struct tp_verdict_largest *largest, const char *name)
{
    return tp_str_equal(largest->name, tp_str_of(name));
}

#define EVENT(cat, name, ts, dur, args)                                                                                \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"dur\":" #dur         \
    ",\"args\":{" args "}}"
#define STEP(n, ts, dur) EVENT("user_annotation", "ProfilerStep#" #n, ts, dur, "")
#define LAUNCH(ts, dur, corr) EVENT("cuda_runtime", "cudaLaunchKernel", ts, dur, "\"correlation\":" #corr)
#define KERNEL(name, ts, dur, corr) EVENT("kernel", name, ts, dur, "\"device\":0,\"correlation\":" #corr)
#define LOADER "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"

/* Tests an analysed window from 0 to 100 us. Kernel a is launched at 10 us and runs from 12 to 22 us. From 22 to 50 us
 * the host loads data. From 55 us on the host launches b, which runs from 60 to 80 us. The time until 100 us is
 * outside. The first 10 us are a wait for the launch of a. */
static void every_nanosecond_of_the_steps_has_one_cause(void **state)
{
    (void)state;
    struct made m;
    make_verdict(&m, STEP(1, 0, 100) "," LAUNCH(10, 1, 1) "," KERNEL("a", 12, 10, 1) "," EVENT(
                         "user_annotation", LOADER, 20, 30, "") "," LAUNCH(55, 2, 2) "," KERNEL("b", 60, 20, 2));
    const struct tp_trace_verdict *v = &m.verdict;
    assert_int_equal(v->cause_ns[TP_TIME_COMPUTE], 30000);
    assert_int_equal(v->cause_ns[TP_TIME_INPUT], 28000);         /* input: 22 to 50 us */
    assert_int_equal(v->cause_ns[TP_TIME_LAUNCH], 11000 + 7000); /* the launch calls: 0 to 11 us and 50 to 57 us */
    assert_int_equal(v->cause_ns[TP_TIME_QUEUE], 1000 + 3000);   /* the queue: 11 to 12 us and 57 to 60 us */
    assert_int_equal(v->cause_ns[TP_TIME_OUTSIDE], 20000);
    int64_t sum = 0;
    for (unsigned c = 0; c < TP_TIME_DEVICE_COUNT; c++)
        sum += v->cause_ns[c];
    assert_int_equal(sum, m.model.window_ns);
    assert_int_equal(v->class, TP_CLASS_INPUT_BOUND);
    assert_int_equal(v->gap.start_ns, 22000);
    assert_int_equal(v->gap.total_ns, 38000);
    assert_int_equal(v->gap.part_ns[TP_IDLE_HOST], 33000);
    assert_true(tp_str_equal(v->gap.line, TP_STR(LOADER)));
    assert_int_equal(v->headline_id, TP_HEADLINE_DEVICE);
    assert_int_equal(v->period, TP_PERIOD_STEP);
    assert_int_equal(v->cause, TP_TIME_INPUT);
    assert_int_equal(v->next, TP_TIME_OUTSIDE);
    tp_arena_release(&m.arena);
}

static void gap_of_half_the_window_is_a_stall(void **state)
{
    (void)state;
    struct made m;
    make_verdict(&m, EVENT("python_function", "train.py(3): warm", 0, 100, "") "," LAUNCH(0, 1, 1) "," KERNEL(
                         "a", 2, 8, 1) "," LAUNCH(90, 1, 2) "," KERNEL("b", 92, 8, 2));
    assert_int_equal(m.verdict.class, TP_CLASS_STALL);
    assert_int_equal(m.verdict.headline_id, TP_HEADLINE_GAP);
    assert_int_equal(m.verdict.period, TP_PERIOD_RECORDING);
    assert_true(m.verdict.gap.percent == 82);
    assert_true(tp_str_equal(m.verdict.gap.line, TP_STR("train.py(3): warm")));
    tp_arena_release(&m.arena);
}

static void headline_names_too_little_work(void **state)
{
    (void)state;
    struct made m;
    make_verdict(&m, STEP(1, 0, 100) "," LAUNCH(0, 1, 1) "," KERNEL("a", 2, 8,
                                                                    1) "," LAUNCH(90, 1, 2) "," KERNEL("b", 92, 8, 2));
    m.verdict = m.advice.verdict;
    assert_int_equal(m.verdict.class, TP_CLASS_TOO_LITTLE);
    assert_int_equal(m.verdict.unjudged.ns, m.model.window_ns);
    assert_int_equal(m.verdict.headline_id, TP_HEADLINE_TOO_LITTLE_WORK);
    assert_int_equal(m.verdict.unjudged.reason, TP_UNJUDGED_TOO_LITTLE_WORK);
    tp_arena_release(&m.arena);
}

static void wait_that_empties_the_queue_is_the_cause(void **state)
{
    (void)state;
    struct made m;
    make_verdict(
        &m, STEP(1, 0, 100) "," LAUNCH(0, 1, 1) "," KERNEL("a", 1, 49, 1) "," EVENT(
                "cuda_runtime", "cudaDeviceSynchronize", 5, 46, "") "," LAUNCH(85, 1, 2) "," KERNEL("b", 86, 14, 2));
    assert_int_equal(m.verdict.cause_ns[TP_TIME_SYNC], 86000 - 51000);
    assert_int_equal(m.verdict.class, TP_CLASS_SYNC_BOUND);
    tp_arena_release(&m.arena);
}

/* Tests an analysed window from 0 to 10 ms with a collective that is launched at 1 ms but starts at 5 ms, although no
 * other kernel runs after 2 ms. */
static void delayed_collective_is_communication(void **state)
{
    (void)state;
    struct made m;
    make_verdict(&m,
                 STEP(1, 0, 10000) "," LAUNCH(0, 1, 1) "," KERNEL("a", 1, 1999, 1) "," LAUNCH(1000, 1, 2) "," KERNEL(
                     "ncclDevKernel_SendRecv", 5000, 1000, 2) "," LAUNCH(1002, 1, 3) "," KERNEL("b", 8000, 2000, 3));
    /* the view of idle time has the same value */
    assert_int_equal(m.verdict.cause_ns[TP_TIME_QUEUE], 3000000 + 2000000);
    /* the reason of the wait before b is unknown */
    assert_int_equal(m.verdict.awaited_communication_ns, 3000000);
    assert_int_equal(m.verdict.class, TP_CLASS_COMMUNICATION_BOUND);
    assert_true(m.verdict.percent == 40);
    assert_int_equal(m.verdict.headline_id, TP_HEADLINE_DEVICE);
    assert_int_equal(m.verdict.cause_ns[TP_TIME_COMMUNICATION], 1000000);
    assert_int_equal(m.verdict.next, TP_TIME_QUEUE); /* the next cause is the rest of the queue time, without the wait
                                                      * for the collective */
    assert_int_equal(tp_verdict_cause_ns(&m.verdict, TP_TIME_QUEUE), 2000000);
    tp_arena_release(&m.arena);
}

static void cpu_programs_are_judged_by_the_main_thread(void **state)
{
    (void)state;
    struct made m;
    make_verdict(&m, STEP(1, 0, 100) "," EVENT("user_annotation", LOADER, 0, 19, "") "," EVENT("cpu_op", "aten::mm", 30,
                                                                                               40, ""));
    assert_int_equal(m.verdict.class, TP_CLASS_CPU);
    assert_int_equal(m.verdict.headline_id, TP_HEADLINE_CALLS);
    assert_true(m.verdict.percent == 40);
    assert_int_equal(m.verdict.cause_ns[TP_TIME_BETWEEN], 41000);
    assert_true(has_largest_name(&m.verdict.largest, "aten::mm"));
    assert_true(m.verdict.largest.percent == 100);
    tp_arena_release(&m.arena);
    make_verdict(&m, STEP(1, 0, 100) "," EVENT("user_annotation", LOADER, 0, 20, "") "," EVENT("cpu_op", "aten::mm", 30,
                                                                                               40, ""));
    assert_int_equal(m.verdict.class, TP_CLASS_INPUT_BOUND);
    assert_int_equal(m.verdict.headline_id, TP_HEADLINE_INPUT);
    assert_true(m.verdict.percent == 20);
    tp_arena_release(&m.arena);
}

#define SAMPLE(ts, ns)                                                                                                 \
    "{\"ph\":\"P\",\"cat\":\"cpu_sample\",\"name\":\"f\",\"pid\":10,\"tid\":1,\"ts\":" #ts                             \
    ",\"args\":{\"cpu ns\":" #ns "}}"

static void trace_without_times_gives_a_reason(void **state)
{
    (void)state;
    struct made m;
    make_verdict(&m, LAUNCH(0, 5, 1));
    assert_int_equal(m.verdict.class, TP_CLASS_DEVICE_MISSING);
    assert_int_equal(m.verdict.cause, TP_TIME_NONE);
    assert_true(isnan(m.verdict.percent));
    tp_arena_release(&m.arena);
    make_verdict(&m, EVENT("mtia_ccp_events", "x", 0, 5, ""));
    assert_int_equal(m.verdict.class, TP_CLASS_OTHER_DEVICE);
    tp_arena_release(&m.arena);
    make_verdict(&m, EVENT("overhead", "x", 0, 5, ""));
    assert_int_equal(m.verdict.class, TP_CLASS_EMPTY);
    tp_arena_release(&m.arena);
}

/* Tests that samples of threads, as in a recording from outside, are enough for a verdict. */
static void thread_samples_are_enough_to_judge(void **state)
{
    (void)state;
    struct made m;
    make_verdict(&m, EVENT("process", "sort", 0, 50, "") "," SAMPLE(10, 5000000) "," SAMPLE(20, 7000000));
    assert_int_equal(m.verdict.class, TP_CLASS_SAMPLES);
    assert_int_equal(m.verdict.headline_id, TP_HEADLINE_SAMPLES);
    assert_int_equal(m.verdict.sample_count, 2);
    assert_int_equal(m.verdict.samples_ns, 12000000);
    assert_true(isnan(m.verdict.percent));
    tp_arena_release(&m.arena);
}

/* ---- traces with too few events for a verdict ---- */

#define SPAN(dur) EVENT("Trace", "PyTorch Profiler (0)", 0, dur, "")
#define OPERATORS(ts) EVENT("cpu_op", "aten::randn", ts, 10, "") "," EVENT("cpu_op", "aten::softmax", ts, 20, "")
#define SEVEN(ts) OPERATORS(ts) "," OPERATORS(ts) "," OPERATORS(ts) "," EVENT("cpu_op", "aten::zeros", ts, 30, "")

static void assert_too_little(const char *events, bool expected)
{
    struct made m;
    make_verdict(&m, events);
    const struct tp_recommendations *found = &m.advice.recommendations;
    bool is_fragment = m.verdict.headline_id == TP_HEADLINE_FRAGMENT;
    assert_int_equal(m.verdict.class == TP_CLASS_TOO_LITTLE, expected);
    assert_int_equal(is_fragment, expected);
    if (expected) {
        assert_int_equal(m.verdict.cause, TP_TIME_NONE);
        assert_int_equal(found->finding_count, 0);
        for (uint32_t i = 0; i < found->not_evaluated_count; i++)
            assert_string_equal(found->not_evaluated[i].reason, "the recording contains too little work");
    }
    tp_arena_release(&m.arena);
}

static void fragment_is_not_judged(void **state)
{
    (void)state;
    /* a recording is a fragment if only 15 events are in the three seconds before its first step */
    assert_too_little(SPAN(3000000) "," SEVEN(5) "," SEVEN(900), true);
    /* a short recording without long gaps is not a fragment */
    assert_too_little(SPAN(99999) "," SEVEN(5) "," SEVEN(900), false);
    assert_too_little(SPAN(100000) "," SEVEN(5), true);
    assert_too_little(SPAN(3000000) "," EVENT("cpu_op", "aten::mm", 5, 99999, ""), true);
    assert_too_little(SPAN(3000000) "," EVENT("cpu_op", "aten::mm", 5, 100000, ""), false);
    assert_too_little(SPAN(3000000) "," LAUNCH(5, 2, 1) "," KERNEL("a", 10, 99, 1), true);
    assert_too_little(SPAN(3000000) "," LAUNCH(5, 2, 1) "," KERNEL("a", 10, 100000, 1), false);
}

static void loading_data_does_not_count_as_work(void **state)
{
    (void)state;
    /* this short recording is a fragment, too, because loading data is not work */
    assert_too_little(EVENT("user_annotation", LOADER, 0, 900, "") "," SEVEN(5), true);
    assert_too_little(SPAN(3000000) "," EVENT("user_annotation", LOADER, 0, 2900000, "") "," SEVEN(5), true);
    /* a step without work is a fragment */
    assert_too_little(STEP(1, 0, 1000) "," EVENT("user_annotation", LOADER, 0, 1000, ""), true);
}

static void step_or_range_with_work_is_judged(void **state)
{
    (void)state;
    assert_too_little(SPAN(3000000) "," STEP(1, 0, 1000) "," SEVEN(5), false);
    assert_too_little(SPAN(3000000) "," STEP(1, 0, 1000) "," EVENT("user_annotation", "forward", 5, 10, ""), false);
    assert_too_little(SPAN(3000000) "," EVENT("user_annotation", "solve", 5, 2000000, ""), false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest_group_of_a_fifth_names_the_class),
        cmocka_unit_test(thresholds_include_their_limit),
        cmocka_unit_test(unknown_times_are_one_group),
        cmocka_unit_test(every_nanosecond_of_the_steps_has_one_cause),
        cmocka_unit_test(gap_of_half_the_window_is_a_stall),
        cmocka_unit_test(headline_names_too_little_work),
        cmocka_unit_test(wait_that_empties_the_queue_is_the_cause),
        cmocka_unit_test(delayed_collective_is_communication),
        cmocka_unit_test(cpu_programs_are_judged_by_the_main_thread),
        cmocka_unit_test(trace_without_times_gives_a_reason),
        cmocka_unit_test(thread_samples_are_enough_to_judge),
        cmocka_unit_test(fragment_is_not_judged),
        cmocka_unit_test(loading_data_does_not_count_as_work),
        cmocka_unit_test(step_or_range_with_work_is_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
