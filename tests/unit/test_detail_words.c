/* Tests the sentences about details of findings: how arguments are written, and how parts are joined. */
#include "webreport/document/words/detail_words.h"

#include "one_arena.h"

static void assert_detail(const struct tp_detail *details, enum tp_producer producer, const char *expected)
{
    struct tp_model model = {.producer = producer};
    struct tp_str text = tp_detail_text(details, &model, &arena);
    assert_string_equal(tp_arena_copy(&arena, text.ptr, text.len), expected);
}

static void arguments_are_formatted_by_type(void **state)
{
    GUARD;
    assert_detail(NULL, TP_PRODUCER_TORCH, "");
    assert_detail(&(struct tp_detail){TP_DETAIL_MALLOCS, {TP_OF_NUMBER(12345), TP_OF_NUMBER(2), TP_OF_NUMBER(3)}, NULL},
                  TP_PRODUCER_TORCH,
                  "The allocator gets memory from the driver 12,345 times and returns memory 2 times in 3 steps.");
    assert_detail(
        &(struct tp_detail){TP_DETAIL_LITTLE, {TP_OF_NUMBER(1), TP_OF_NS(100000), TP_OF_PERCENT(16)}, NULL},
        TP_PRODUCER_TORCH,
        "The analysed step takes 100 \xc2\xb5s, has 1 device operation, and keeps the device busy for 16.0 % of the "
        "step time.");
    assert_detail(&(struct tp_detail){TP_DETAIL_GROWTH, {TP_OF_BYTES(2048)}, NULL}, TP_PRODUCER_TORCH,
                  "Allocated memory grows by at least 2.0 KiB in each step after the first.");
    assert_detail(
        &(struct tp_detail){
            TP_DETAIL_MICRO_STEPS, {TP_OF_NUMBER(4), TP_OF_REAL(10.125), TP_OF_REAL(2), TP_OF_REAL(4.1)}, NULL},
        TP_PRODUCER_TORCH,
        "An optimizer step of 4 micro-steps takes 10.12 ms, a micro-step 2.00 ms, and one with the update 4.10 ms.");
}

static void sentences_use_singular_or_plural(void **state)
{
    GUARD;
    assert_detail(&(struct tp_detail){TP_DETAIL_FEW_GAPS, {TP_OF_NUMBER(1), TP_OF_PERCENT(60)}, NULL},
                  TP_PRODUCER_TORCH, "1 gap between device operations makes up 60.0 % of the time of this finding.");
    assert_detail(&(struct tp_detail){TP_DETAIL_FEW_GAPS, {TP_OF_NUMBER(3), TP_OF_PERCENT(84)}, NULL},
                  TP_PRODUCER_TORCH, "3 gaps between device operations make up 84.0 % of the time of this finding.");
    struct tp_detail chains = {TP_DETAIL_CHAINS, {TP_OF_NUMBER(2), TP_OF_NUMBER(1), TP_OF_PERCENT(5)}, NULL};
    assert_detail(
        &chains, TP_PRODUCER_TORCH,
        "2 chains of three or more kernels only move, combine or normalise values and take 5.0 % of the step time.");
    chains.arguments[1].number = 6;
    assert_detail(
        &chains, TP_PRODUCER_TORCH,
        "2 chains of three or more kernels in 6 steps only move, combine or normalise values and take 5.0 % of "
        "the step time.");
}

static void sentence_parts_are_joined(void **state)
{
    GUARD;
    struct tp_detail late = {TP_DETAIL_OVERLAP_LATE, {TP_OF_PERCENT(3)}, NULL};
    struct tp_detail rest = {TP_DETAIL_OVERLAP_REST, {TP_NO_ARGUMENT}, &late};
    assert_detail(
        &(struct tp_detail){TP_DETAIL_OVERLAP, {TP_OF_PERCENT(20), TP_OF_PERCENT(5)}, &rest}, TP_PRODUCER_TORCH,
        "For 20.0 % of the step time, communication runs without computation, and computation could hide 5.0 % of the "
        "step time. To save the remaining communication time, communicate less. Hiding "
        "communication for 3.0 % of the step time saves nothing, because the host launches later kernels too late.");
}

static void sentences_use_words_of_the_producer(void **state)
{
    GUARD;
    const struct tp_detail small = {
        TP_DETAIL_SMALL_OPERATORS, {TP_OF_NUMBER(90), TP_OF_NUMBER(100), TP_OF_REAL(12.5)}, NULL};
    assert_detail(&small, TP_PRODUCER_TORCH, "90 of 100 outermost operator calls are shorter than 12.5 \xc2\xb5s.");
    assert_detail(&small, TP_PRODUCER_MPI, "90 of 100 outermost calls are shorter than 12.5 \xc2\xb5s.");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(arguments_are_formatted_by_type), TEST(sentences_use_singular_or_plural),
                                       TEST(sentence_parts_are_joined), TEST(sentences_use_words_of_the_producer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
