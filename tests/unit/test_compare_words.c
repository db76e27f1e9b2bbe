/* The words of a comparison: what a verdict says first, and how it is cut for a terminal. */
#include "webreport/document/compare_words.h"
#include "webreport/print/print.h"

#include <string.h>

#include "tests/unit/made_comparison.h"

/* Every other step takes this many us: the median may lie anywhere between. */
static void alternate(struct tp_summary *run, int64_t step_us)
{
    for (uint32_t i = 0; i < run->step_count; i += 2)
        run->steps[i].part_ns[TP_PART_OTHER] = run->steps[i].total_ns = 1000 * step_us;
}

static void the_verdict_names_rows_before_memory(void **state)
{
    const struct plan base[] = {KERNEL("gemm", 4, 500),
                                KERNEL("relu", 4, 200),
                                {"Memcpy HtoD", "aten::to", "", 3, TP_SUMMARY_COPY, 2},
                                {"cudaStreamSynchronize", "", "a.py(1): f", 4, TP_SUMMARY_SYNC, 1},
                                END};
    const struct plan faster[] = {
        KERNEL("gemm", 4, 500), KERNEL("relu", 4, 200), {"Memcpy HtoD", "aten::to", "", 3, TP_SUMMARY_COPY, 1}, END};
    struct tp_summary_memory much = {TP_STR("GPU0"), 140 << 20, 200 << 20, 0, NULL, 0};
    struct tp_summary_memory less = {TP_STR("GPU0"), 100 << 20, 200 << 20, 0, NULL, 0};
    struct tp_compare c;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    compare_plans(&c, base, faster);
    assert_int_equal(c.totals[TP_QUANTITY_STEP].verdict, TP_CHANGE_NEUTRAL);
    assert_string_equal(tp_compare_reason_text(&c), "2 rows");
    runs[TP_BASE].memory = &much;
    runs[TP_NEW].memory = &less;
    runs[TP_BASE].memory_count = runs[TP_NEW].memory_count = 1;
    alternate(&runs[TP_NEW], 6000);
    compare_runs(&c);
    assert_int_equal(c.totals[TP_QUANTITY_STEP].verdict, TP_CHANGE_NEUTRAL);
    assert_int_equal(c.verdict, TP_CHANGE_IMPROVED);
    assert_string_equal(tp_compare_reason_text(&c), "2 rows and memory");
    struct tp_document document;
    const struct tp_verdict_block *verdict = verdict_of(&document, &c);
    assert_string_equal(verdict->class, "Improved");
    assert_non_null(strstr(verdict->headline, "; no sure change of the step ("));
    assert_non_null(strstr(verdict->headline, " to "));
    assert_headline(&c, "2 rows and memory improved"); /* what the badge says, first */
    runs[TP_NEW] = runs[TP_BASE];
    runs[TP_NEW].memory = &less;
    compare_runs(&c);
    assert_string_equal(tp_compare_reason_text(&c), "memory");
    assert_headline(&c, "memory improved; no sure change of the step (0.0 %, 99 % interval ");
    runs[TP_NEW] = runs[TP_BASE];
    compare_runs(&c);
    assert_string_equal(tp_compare_reason_text(&c), "");
    assert_headline(&c, "No sure change of the step (0.0 %, 99 % interval "); /* one run a side leaves room for much */
    c.totals[TP_QUANTITY_STEP].change.low = -0.012;
    c.totals[TP_QUANTITY_STEP].change.high = 0.015;
    assert_headline(&c, "Steps take as long as before (0.0 %)");
}

/* A verdict too long for a terminal keeps its interval, on more lines. */
static void a_long_verdict_takes_two_lines(void **state)
{
    const struct plan plans[] = {KERNEL("gemm", 4, 500), END};
    struct tp_compare c;
    struct tp_document document;
    struct tp_buf text;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    compare_plans(&c, plans, plans);
    c.verdict = TP_CHANGE_REGRESSED;
    c.memory_verdict = TP_CHANGE_REGRESSED;
    c.regressed_count = 1234567;
    c.totals[TP_QUANTITY_STEP].change = (struct tp_run_change){.estimate = -0.286, .low = -0.329, .high = 0.127};
    c.totals[TP_QUANTITY_KERNELS].verdict = TP_CHANGE_NEUTRAL;
    tp_buf_init(&text, 0);
    verdict_of(&document, &c);
    tp_print_text(&text, &document, &(struct tp_print_options){.row_limit = &(const int64_t){10}}, NULL);
    const char *wanted = "Regressed: 1,234,567 rows and memory regressed; no sure change of the step\n(\xe2\x88\x92"
                         "28.6 %, 99 % interval \xe2\x88\x92"
                         "32.9 to +12.7 %)\n";
    if (!strstr(text.data, wanted))
        fail_msg("%.300s", text.data);
    tp_buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_verdict_names_rows_before_memory, begin, end),
        cmocka_unit_test_setup_teardown(a_long_verdict_takes_two_lines, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
