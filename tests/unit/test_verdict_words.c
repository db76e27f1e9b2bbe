/* Tests the sentences of verdicts that are filled in by hand, one verdict for each group of sentences (section 13 of
 * docs/definitions.md). */
#include "webreport/document/words/words.h"

#include <string.h>

#include "one_arena.h"

static struct tp_model model; /* model with an analysed window of 100 us */

/* Checks the headline of a verdict for a program of this producer. */
static void assert_headline(struct tp_trace_verdict verdict, enum tp_producer producer, const char *expected)
{
    static const struct tp_program_view program = {.headline = {"It is sleeping.", 15}};
    model.producer = producer;
    model.window_ns = 100000;
    tp_fill_verdict_texts(&verdict, &program, &model, &arena);
    char *text = tp_arena_copy(&arena, verdict.headline.ptr, verdict.headline.len);
    assert_string_equal(text, expected);
}

static void device_headline_names_cause_and_next(void **state)
{
    GUARD;
    struct tp_trace_verdict v = {
        .headline_id = TP_HEADLINE_DEVICE,
        .class = TP_CLASS_INPUT_BOUND,
        .cause = TP_TIME_INPUT,
        .next = TP_TIME_OUTSIDE,
        .has_device = true,
        .cause_ns = {[TP_TIME_COMPUTE] = 30000, [TP_TIME_INPUT] = 28000, [TP_TIME_OUTSIDE] = 20000}};
    assert_headline(
        v, TP_PRODUCER_TORCH,
        "GPU 0 waits for input data for 28.0 % of the step time and computes for 30.0 %. In addition, GPU 0 has no "
        "recorded work for 20.0 % of the step time, before its first or after its last operation.");
    v.next = TP_TIME_NONE;
    v.ready_percent = 25;
    assert_headline(
        v, TP_PRODUCER_TORCH,
        "GPU 0 waits for input data for 28.0 % of the step time and computes for 30.0 %. For 25.0 % of the step time "
        "the main thread could run, but no CPU was free.");
}

static void communication_headline_adds_the_wait(void **state)
{
    GUARD;
    assert_headline(
        (struct tp_trace_verdict){
            .headline_id = TP_HEADLINE_DEVICE,
            .class = TP_CLASS_COMMUNICATION_BOUND,
            .cause = TP_TIME_COMMUNICATION,
            .next = TP_TIME_QUEUE,
            .has_device = true,
            .awaited_communication_ns = 30000,
            .cause_ns = {[TP_TIME_COMPUTE] = 40000, [TP_TIME_COMMUNICATION] = 10000, [TP_TIME_QUEUE] = 50000}},
        TP_PRODUCER_TORCH,
        "GPU 0 runs communication that no kernel hides for 10.0 % of the step time, waits for collectives to start for "
        "30.0 %, and computes for 40.0 %. In addition, GPU 0 is idle for 20.0 % of the step time although the next "
        "operation was already launched.");
}

static void gap_headline_names_its_line(void **state)
{
    GUARD;
    assert_headline(
        (struct tp_trace_verdict){.headline_id = TP_HEADLINE_GAP,
                                  .period = TP_PERIOD_RECORDING,
                                  .has_device = true,
                                  .has_gap = true,
                                  .gap = {.percent = 82, .kind = "python", .line = TP_STR("train.py(3): warm")}},
        TP_PRODUCER_TORCH,
        "GPU 0 waits for the host in one gap of 82.0 % of the recorded time. During the longest gap, the host mostly "
        "ran train.py(3): warm.");
}

static void host_headline_uses_words_of_the_users(void **state)
{
    GUARD;
    struct tp_trace_verdict v = {.headline_id = TP_HEADLINE_CALLS,
                                 .percent = 40,
                                 .cause_ns = {[TP_TIME_BETWEEN] = 41000},
                                 .largest = {TP_STR("aten::mm"), 100}};
    assert_headline(
        v, TP_PRODUCER_TORCH,
        "Operators take 40.0 % of the step time, and code between operators takes 41.0 %. No device was recorded. The "
        "operator with the most self time is aten::mm (100.0 % of the time in operators).");
    v.largest.name = TP_STR("MPI_Send");
    assert_headline(
        v, TP_PRODUCER_MPI,
        "Recorded calls take 40.0 % of the step time, and code between calls takes 41.0 %. No device was recorded. The "
        "call with the most self time is MPI_Send (100.0 % of the time in calls).");
    v = (struct tp_trace_verdict){.headline_id = TP_HEADLINE_INPUT, .percent = 20, .recording_percent = 12};
    assert_headline(
        v, TP_PRODUCER_TORCH,
        "Loading input data takes 20.0 % of the step time. No device was recorded. Record once without shapes and "
        "memory before you change the program, because the recording itself takes about 12.0 % of the step time.");
    assert_headline(
        (struct tp_trace_verdict){.headline_id = TP_HEADLINE_COPY, .percent = 30, .largest = {TP_STR("save"), 30}},
        TP_PRODUCER_OTHER,
        "Copying takes 30.0 % of the step time. No device was recorded. The range with the most time is save.");
    assert_headline(
        (struct tp_trace_verdict){.headline_id = TP_HEADLINE_RANGES, .percent = 90, .largest = {TP_STR("solve"), 72}},
        TP_PRODUCER_OTHER,
        "solve takes 72.0 % of the step time. Computing takes 90.0 % of the step time, and code outside of calls and "
        "ranges with a kind takes 0.0 %. No device was recorded.");
}

static void headline_begins_with_unjudged_time(void **state)
{
    GUARD;
    struct tp_trace_verdict v = {.headline_id = TP_HEADLINE_TOO_LITTLE_WORK, .has_device = true};
    const struct tp_detail little = {TP_DETAIL_LITTLE, {TP_OF_NUMBER(2), TP_OF_NS(100000), TP_OF_PERCENT(16)}, NULL};
    v.unjudged = (struct tp_unjudged){TP_UNJUDGED_TOO_LITTLE_WORK, 100000, &little};
    assert_headline(
        v, TP_PRODUCER_TORCH,
        "Record several steps after a warm-up. The analysed step takes 100 \xc2\xb5s, has 2 device operations, and "
        "keeps the device busy for 16.0 % of the step time.");
    v.headline_id = TP_HEADLINE_FIRST_USE;
    v.unjudged = (struct tp_unjudged){TP_UNJUDGED_FIRST_USE, 60000, NULL};
    v.cause_ns[TP_TIME_COMPUTE] = 10000;
    assert_headline(
        v, TP_PRODUCER_TORCH,
        "Record later steps. For 60.0 % of the step time, GPU 0 waits for work that a program does only once, such as "
        "allocating memory and loading modules. GPU 0 computes for 25.0 % of the remaining time.");
}

static void trace_without_times_has_a_headline(void **state)
{
    GUARD;
    assert_headline((struct tp_trace_verdict){.headline_id = TP_HEADLINE_EMPTY}, TP_PRODUCER_TORCH,
                    "The trace contains no events that tracepress can analyse.");
    assert_headline(
        (struct tp_trace_verdict){.headline_id = TP_HEADLINE_SAMPLES, .sample_count = 2, .samples_ns = 12000000},
        TP_PRODUCER_OTHER, "The trace has 2 samples of running threads (12.0 ms of CPU time), but no recorded call.");
    assert_headline((struct tp_trace_verdict){.headline_id = TP_HEADLINE_PROGRAM}, TP_PRODUCER_OTHER,
                    "It is sleeping.");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(device_headline_names_cause_and_next), TEST(communication_headline_adds_the_wait),
        TEST(gap_headline_names_its_line),          TEST(host_headline_uses_words_of_the_users),
        TEST(headline_begins_with_unjudged_time),   TEST(trace_without_times_has_a_headline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
