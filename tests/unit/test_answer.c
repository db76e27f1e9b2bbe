/* Tests the answer: the parts of the step time, the part that the headline names, its words, and the step that the
 * strip shows (section 31 of docs/definitions.md). Expected times are counted by hand. */
#include "webreport/document/words/answer_words.h"
#include "webreport/document/words/words.h"

#include "small_findings.h"

enum { US = 1000 };

/* Builds the trace of the test with the sentences of its answer. */
static const struct tp_answer *build_answer(void)
{
    build_trace();
    if (setjmp(arena.guard))
        fail();
    tp_fill_advice_texts(&advice, &model, &arena);
    return &advice.answer;
}

static const char *headline_text(const struct tp_answer *answer)
{
    return tp_arena_copy(&arena, answer->headline.ptr, answer->headline.len);
}

static void assert_headline_starts(const struct tp_answer *answer, const char *start)
{
    if (!tp_str_starts(answer->headline, start))
        fail_msg("%s", headline_text(answer));
}

static unsigned word_count(const char *words)
{
    unsigned count = 0;
    for (size_t i = 0; words[i]; i++)
        count += words[i] != ' ' && (i == 0 || words[i - 1] == ' ');
    return count;
}

/* Checks that the parts fill the analysed steps and do not overlap, and that the headline names the largest avoidable
 * part. */
static void assert_consistent(const struct tp_answer *answer)
{
    int64_t sum = 0, largest = 0;
    struct tp_answer found;
    tp_answer_init(&found);
    tp_answer_find_parts(&found,
                         &(struct tp_answer_basis){
                             .model = &model, .verdict = &advice.verdict, .recommendations = &advice.recommendations},
                         &arena);
    for (unsigned k = 0; k < TP_ANSWER_KINDS; k++) {
        const struct tp_answer_part *part = &answer->parts[k];
        sum += part->ns;
        assert_int_equal(part->ns, tp_intervals_length(found.parts[k].times));
        for (unsigned other = 0; other < k; other++)
            assert_int_equal(tp_intervals_intersection_length(found.parts[k].times, found.parts[other].times), 0);
        if (part->is_avoidable && part->ns > largest)
            largest = part->ns;
    }
    assert_int_equal(sum, answer->whole_ns);
    assert_int_equal(answer->parts[answer->main].ns, largest);
    assert_true(answer->mark_count > 0 && answer->marks[0].part == answer->main);
    assert_true(word_count(headline_text(answer)) <= 24);
}

/* Writes a step of 1 ms: the host loads for load_us, then launches a kernel of kernel_us. */
static void write_loading_step(int number, double load_us, double kernel_us)
{
    double at = number * 1000;
    step(number, at, 1000);
    write_host_event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at, load_us);
    write_launch(at + load_us, 5, number + 1);
    write_kernel("gemm", at + load_us + 5, kernel_us, number + 1);
}

static void loading_is_the_answer(void **state)
{
    for (int s = 0; s < 4; s++)
        write_loading_step(s, 600, 300);
    const struct tp_answer *answer = build_answer();
    (void)state;
    assert_consistent(answer);
    assert_int_equal(answer->main, TP_ANSWER_INPUT);
    assert_int_equal(answer->parts[TP_ANSWER_INPUT].ns, 4 * 600 * US);
    assert_int_equal(answer->parts[TP_ANSWER_WORK].ns, 4 * 300 * US);
    assert_headline_starts(answer, "The GPU waits 0.60 of 1.00 ms for the DataLoader");
    assert_int_equal(answer->marks[0].size, strlen("0.60 of 1.00 ms"));
}

static void work_is_the_answer_of_a_busy_device(void **state)
{
    for (int s = 0; s < 3; s++) {
        step(s, s * 1000, 1000);
        write_launch(s * 1000, 5, s + 1), write_kernel("sgemm", s * 1000 + 10, 980, s + 1);
    }
    const struct tp_answer *answer = build_answer();
    (void)state;
    assert_consistent(answer);
    assert_int_equal(answer->main, TP_ANSWER_WORK);
    assert_headline_starts(answer, "The GPU computes for 98 % of the step");
}

static void two_almost_equal_causes_are_both_named(void **state)
{
    for (int s = 0; s < 4; s++) { /* loads 300 us, copies 250 us, computes 400 us */
        double at = s * 1000;
        step(s, at, 1000);
        write_host_event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at, 300);
        call("cudaMemcpyAsync", at + 300, 5, 10 * s + 1);
        write_operation("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", at + 305, 250, 10 * s + 1, 0, 7, "");
        write_launch(at + 310, 5, 10 * s + 2), write_kernel("gemm", at + 556, 400, 10 * s + 2);
    }
    const struct tp_answer *answer = build_answer();
    (void)state;
    assert_consistent(answer);
    assert_int_equal(answer->main, TP_ANSWER_INPUT);
    assert_int_equal(answer->second, TP_ANSWER_COPY);
    assert_headline_starts(answer, "The GPU loses 0.3");
    assert_int_equal(answer->mark_count, 2);
}

static void gaps_of_a_millisecond_are_code_and_short_gaps_are_launches(void **state)
{
    for (int is_long = 0; is_long < 2; is_long++) {
        if (is_long) {
            end_event_text(state);
            begin_trace_test(state);
        }
        for (int s = 0; s < 3; s++) { /* the device waits half of the step, in one gap or in ten */
            double at = s * 10000;
            step(s, at, 10000);
            for (int k = 0; k < 10; k++) {
                double start = is_long ? at + 5000 + k * 500 : at + k * 1000 + 500;
                write_launch(start - 10, 5, 100 * s + k + 1), write_kernel("a", start, 500, 100 * s + k + 1);
            }
        }
        const struct tp_answer *answer = build_answer();
        assert_consistent(answer);
        assert_int_equal(answer->main, is_long ? TP_ANSWER_CODE : TP_ANSWER_LAUNCH);
        assert_int_equal(answer->parts[is_long ? TP_ANSWER_LAUNCH : TP_ANSWER_CODE].ns, 0);
    }
}

static void host_without_device_has_operators_and_code_between(void **state)
{
    for (int s = 0; s < 2; s++) {
        step(s, s * 1000, 1000);
        write_host_event("cpu_op", "aten::mm", s * 1000 + 100, 300);
    }
    const struct tp_answer *answer = build_answer();
    (void)state;
    assert_consistent(answer);
    assert_int_equal(answer->parts[TP_ANSWER_WORK].ns, 600 * US);
    assert_int_equal(answer->parts[TP_ANSWER_BETWEEN].ns, 1400 * US);
    assert_headline_starts(answer, "Code between operators takes 0.70 of 1.00 ms");
}

static void strip_shows_the_step_of_median_length(void **state)
{
    static const double lengths[] = {900, 1500, 1000, 1100};
    double at = 0;
    for (int s = 0; s < 4; s++) {
        step(s, at, lengths[s]);
        write_host_event("cpu_op", "aten::mm", at + 10, 100);
        write_launch(at + 20, 5, s + 1), write_kernel("a", at + 100, lengths[s] - 200, s + 1);
        at += lengths[s];
    }
    const struct tp_answer *answer = build_answer();
    (void)state;
    assert_int_equal(answer->step_count, 4);
    assert_int_equal(answer->strip_count, 4);
    const struct tp_strip *strip = &answer->strips[0];
    assert_int_equal(strip->end_ns - strip->start_ns, 1000 * US);
    assert_int_equal(strip->first_work_ns - strip->start_ns, 100 * US);
    assert_int_equal(strip->lane_count, 2);
    assert_int_equal(strip->lanes[0].count, 1);
    assert_int_equal(strip->lanes[0].slices[0].b - strip->lanes[0].slices[0].a, 800 * US);
    assert_true(strip->lanes[1].is_host && strip->lanes[1].count >= 1);
}

static void strip_joins_what_a_screen_cannot_separate(void **state)
{
    step(0, 0, 12000);
    for (int k = 0; k < 5000; k++) /* each kernel is shorter than a pixel of 10 us */
        write_launch(k * 2, 1, k + 1), write_kernel("a", k * 2 + 1, 1, k + 1);
    step(1, 12000, 12000);
    write_launch(12010, 5, 9000), write_kernel("a", 12020, 11000, 9000);
    const struct tp_answer *answer = build_answer();
    (void)state;
    for (uint32_t i = 0; i < answer->strip_count; i++)
        for (unsigned lane = 0; lane < answer->strips[i].lane_count; lane++)
            assert_true(answer->strips[i].lanes[lane].count <= 1200);
    assert_int_equal(answer->strips[answer->strip_count - 1].lanes[0].count, 1);
}

static void findings_belong_to_the_part_with_most_of_their_time(void **state)
{
    for (int s = 0; s < 4; s++)
        write_loading_step(s, 600, 300);
    const struct tp_answer *answer = build_answer();
    bool is_any = false;
    (void)state;
    for (uint32_t i = 0; i < advice.recommendations.finding_count; i++)
        if (advice.recommendations.findings[i].rule->id[0] == 'B') { /* rules B are about input */
            assert_int_equal(answer->part_of_finding[i], TP_ANSWER_INPUT);
            is_any = true;
        }
    assert_true(is_any);
}

static void names_of_host_events_are_short(void **state)
{
    static const char *const names[][2] = {
        {"model.py(12): forward", "forward"},
        {"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "DataLoader"},
        {"nn.Module: ResNet_0", "ResNet"},
        {"Optimizer.step#SGD.step", "SGD.step"},
        {"<built-in method to of Tensor object at 0x7f>", "to"},
        {"aten::mm", "aten::mm"},
        {"", ""},
        {"): ", "): "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct tp_str name = tp_short_host_name(tp_str_of(names[i][0]));
        assert_int_equal(name.len, strlen(names[i][1]));
        assert_memory_equal(name.ptr, names[i][1], name.len);
    }
}

#define SAYS(name) cmocka_unit_test_setup_teardown(name, begin_trace_test, end_event_text)
int main(void)
{
    const struct CMUnitTest tests[] = {
        SAYS(loading_is_the_answer),
        SAYS(work_is_the_answer_of_a_busy_device),
        SAYS(two_almost_equal_causes_are_both_named),
        SAYS(gaps_of_a_millisecond_are_code_and_short_gaps_are_launches),
        SAYS(host_without_device_has_operators_and_code_between),
        SAYS(strip_shows_the_step_of_median_length),
        SAYS(strip_joins_what_a_screen_cannot_separate),
        SAYS(findings_belong_to_the_part_with_most_of_their_time),
        cmocka_unit_test(names_of_host_events_are_short),
    };
    return cmocka_run_group_tests_name("answer", tests, NULL, NULL);
}
