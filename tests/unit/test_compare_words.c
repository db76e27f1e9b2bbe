/* Tests the sentences of a comparison: the start of its verdict, and line breaks for a terminal. */
#include "webreport/document/commands/compare_parts.h"
#include "webreport/document/commands/compare_words.h"
#include "webreport/print/print.h"

#include <math.h>
#include <string.h>

#include "tests/unit/made_comparison.h"

/* Makes every second step `step_us` microseconds long, so that the median is uncertain. */
static void lengthen_every_second_step(struct tp_summary *run, int64_t step_us)
{
    for (uint32_t i = 0; i < run->step_count; i += 2)
        run->steps[i].part_ns[TP_PART_OTHER] = run->steps[i].total_ns = 1000 * step_us;
}

static void verdict_names_rows_before_memory(void **state)
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
    assert_string_equal(tp_compare_reason_text(&c), "2 table rows");
    runs[TP_BASE].memory = &much;
    runs[TP_NEW].memory = &less;
    runs[TP_BASE].memory_count = runs[TP_NEW].memory_count = 1;
    lengthen_every_second_step(&runs[TP_NEW], 6000);
    compare_runs(&c);
    assert_int_equal(c.totals[TP_QUANTITY_STEP].verdict, TP_CHANGE_NEUTRAL);
    assert_int_equal(c.verdict, TP_CHANGE_IMPROVED);
    assert_string_equal(tp_compare_reason_text(&c), "2 table rows and memory");
    struct tp_document document;
    const struct tp_verdict_block *verdict = build_verdict_block(&document, &c);
    assert_string_equal(verdict->class, "Improved");
    assert_non_null(strstr(verdict->headline, "; the step time shows no significant change ("));
    const char *statistics = tp_compare_statistics_text(&c, &arena);
    if (!strstr(statistics, "99 % intervals, from 1 + 1 runs"))
        fail_msg("%s", statistics);
    /* the headline begins with the change that the badge shows */
    assert_headline(&c, "2 table rows and memory improved");
    runs[TP_NEW] = runs[TP_BASE];
    runs[TP_NEW].memory = &less;
    compare_runs(&c);
    assert_string_equal(tp_compare_reason_text(&c), "memory");
    assert_headline(&c, "memory improved; the step time shows no significant change (0.0 %).");
    runs[TP_NEW] = runs[TP_BASE];
    compare_runs(&c);
    assert_string_equal(tp_compare_reason_text(&c), "");
    assert_headline(&c, "The step time shows no significant change (0.0 %).");
    c.totals[TP_QUANTITY_STEP].change.low = -0.012;
    c.totals[TP_QUANTITY_STEP].change.high = 0.015;
    assert_headline(&c, "Steps take as long as before (0.0 %).");
}

/* Tests that a verdict that is too long for one line of a terminal continues on the next line. */
static void long_verdict_continues_on_second_line(void **state)
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
    build_verdict_block(&document, &c);
    tp_print_text(&text, &document, &(struct tp_print_options){.row_limit = &(const int64_t){10}}, NULL);
    const char *wanted =
        "Regressed: 1,234,567 table rows and memory regressed; the step time shows no\nsignificant change (\xe2\x88\x92"
        "28.6 %).\n";
    if (!strstr(text.data, wanted))
        fail_msg("%.300s", text.data);
    tp_buf_release(&text);
}

/* Sets the mean step of a side to 100 ms and more: 60 ms of kernels, `loading_ms` of data loading, and other parts. */
static void set_parts(struct tp_compare *c, int side, double loading_ms, double runtime_ms)
{
    struct tp_side *s = &c->sides.side[side];
    const double ms[TP_PART_OTHER + 1] = {[TP_PART_KERNEL] = 60,
                                          [TP_PART_RUNTIME] = runtime_ms,
                                          [TP_PART_DATALOADER] = loading_ms,
                                          [TP_PART_OTHER] = side == TP_BASE ? 1 : 1.2};
    s->total_ns = 0;
    for (unsigned part = 0; part <= TP_PART_OTHER; part++) {
        s->part_ns[part] = 1e6 * ms[part];
        s->total_ns += s->part_ns[part];
    }
}

/* Tests that the headline names the part that changes the step most, and that the waterfall marks the same part. */
static void headline_and_waterfall_have_the_same_cause(void **state)
{
    const struct plan plans[] = {KERNEL("gemm", 4, 500), END};
    struct tp_step_change changes[TP_STEP_CHANGES];
    struct tp_compare c;
    struct tp_document document;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    compare_plans(&c, plans, plans);
    c.verdict = c.totals[TP_QUANTITY_STEP].verdict = TP_CHANGE_IMPROVED;
    set_parts(&c, TP_BASE, 60, 10);
    set_parts(&c, TP_NEW, 1, 20);
    unsigned count = tp_compare_step_changes(&c, changes);
    double sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += changes[i].ns;
    assert_int_equal(count, 3); /* data loading, runtime calls, and the rest, which is the change of 0.2 ms */
    assert_true(changes[0].is_cause && changes[0].part == TP_PART_DATALOADER && !changes[1].is_cause);
    assert_true(changes[1].part == TP_PART_RUNTIME && changes[2].part == TP_PART_COUNT);
    assert_true(fabs(sum - (c.sides.side[TP_NEW].total_ns - c.sides.side[TP_BASE].total_ns)) < 1);
    const struct tp_verdict_block *verdict = build_verdict_block(&document, &c);
    assert_string_equal(verdict->headline,
                        "A step takes 82 instead of 131 ms, because data loading no longer delays the GPU.");
    assert_int_equal(verdict->mark_count, 1);
    assert_string_equal(verdict->marks[0].look, tp_look_name(changes[0].look));
    assert_int_equal(strncmp(verdict->headline + verdict->marks[0].start, "data loading no longer", 22), 0);
    assert_non_null(strstr(verdict->text, "Of the 59.0 ms saved in data loading, 10.2 ms come back: runtime calls"));
    struct tp_buf page;
    tp_buf_init(&page, 0);
    assert_int_equal(tp_print_html(&page, &document, &(struct tp_print_options){0}, NULL), TP_OK);
    const char *marked = strstr(page.data, "data-avoidable");
    assert_non_null(strstr(page.data, "data-cause=\"host\" data-ns=\"59000000\" data-avoidable=\"1\""));
    assert_null(strstr(marked + 1, "data-avoidable=\"1\""));
    tp_buf_release(&page);
    set_parts(&c, TP_BASE, 0, 10);
    set_parts(&c, TP_NEW, 0, 25);
    c.verdict = c.totals[TP_QUANTITY_STEP].verdict = TP_CHANGE_REGRESSED;
    assert_headline(
        &c, "A step takes 86.2 instead of 71.0 ms, because launches and other runtime calls take 15.0 ms more.");
}

/* Tests that the page does not claim that nothing changed if the total changed but no row has a verdict. */
static void changed_total_without_rows_is_reported(void **state)
{
    const struct plan base[] = {KERNEL("gemm", 4, 500), KERNEL("relu", 4, 200), END};
    const struct plan slower[] = {KERNEL("gemm", 4, 530), KERNEL("relu", 4, 210), END};
    struct tp_compare c;
    struct tp_document document;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    compare_plans(&c, base, slower);
    c.tables[TP_COMPARE_CHANGES].row_count = 0;
    for (int round = 0; round < 2; round++) {
        struct tp_buf text;
        c.verdict = c.totals[TP_QUANTITY_KERNELS].verdict = round ? TP_CHANGE_NEUTRAL : TP_CHANGE_REGRESSED;
        c.totals[TP_QUANTITY_STEP].verdict = c.totals[TP_QUANTITY_HOST_OPS].verdict = TP_CHANGE_NEUTRAL;
        tp_buf_init(&text, 0);
        build_verdict_block(&document, &c);
        tp_print_markdown(&text, &document, &(struct tp_print_options){0}, NULL);
        assert_int_equal(!!strstr(text.data, "These runs show no significant change."), round);
        const char *wanted =
            "No single kernel or operator shows a significant change; the largest differences per step: gemm 8\xc3\x97"
            "8 +";
        assert_int_equal(!!strstr(text.data, wanted), !round);
        tp_buf_release(&text);
    }
}

/* Tests that another kind of loader is reported as one change of work, not as changes of its operators. */
static void changed_loader_is_one_change(void **state)
{
    const struct plan plans[] = {KERNEL("gemm", 4, 500), END};
    struct tp_work_change changes[] = {
        {.kind = TP_WORK_CHANGE_LOADER, .name = TP_STR("aten::set_"), .delta = 2},
        {.kind = TP_WORK_CHANGE_LOADER, .name = TP_STR("aten::copy_"), .delta = -64},
        {.kind = TP_WORK_CHANGE_LOADER, .name = TP_STR("aten::copy_"), .delta = -32},
        {.kind = TP_WORK_CHANGE_LOADER, .name = TP_STR("aten::div"), .delta = -32},
    };
    struct tp_compare c;
    struct tp_document document;
    struct tp_buf text;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    compare_plans(&c, plans, plans);
    c.work = (struct tp_work_diff){.is_known = true, .changes = changes, .count = 4};
    assert_string_equal(tp_compare_work_figure(&c, &arena), "1 change");
    tp_buf_init(&text, 0);
    build_verdict_block(&document, &c);
    tp_print_markdown(&text, &document, &(struct tp_print_options){0}, NULL);
    if (!strstr(text.data, "- data loader: +2 and \xe2\x88\x92"
                           "128 operator calls per step in the data loader, among them \xe2\x88\x92"
                           "64 `aten::copy_` and \xe2\x88\x92"
                           "32 aten::div\n"))
        fail_msg("%s", text.data);
    tp_buf_release(&text);
    for (size_t i = 1; i < 4; i++)
        changes[i].delta = -changes[i].delta;
    tp_buf_init(&text, 0);
    build_verdict_block(&document, &c);
    tp_print_markdown(&text, &document, &(struct tp_print_options){0}, NULL);
    if (!strstr(text.data,
                "- data loader: +130 operator calls per step in the data loader, among them +64 `aten::copy_` "
                "and +32 aten::div\n"))
        fail_msg("%s", text.data);
    tp_buf_release(&text);
}

static void assert_texts(const struct tp_compare *c, const char *wanted, const char *unwanted)
{
    struct tp_document document;
    struct tp_buf text;
    tp_buf_init(&text, 0);
    build_verdict_block(&document, c);
    tp_print_markdown(&text, &document, &(struct tp_print_options){0}, NULL);
    if (!strstr(text.data, wanted) || strstr(text.data, unwanted))
        fail_msg("%s", text.data);
    tp_buf_release(&text);
}

/* Tests a change that affects only a function of the loader. The sentences below the headline, the notice and the last
 * line report it, and no text claims that nothing changed. */
static void changed_loader_function_is_reported(void **state)
{
    const struct plan plans[] = {KERNEL("gemm", 4, 500), END};
    struct tp_work_change changes[] = {
        {.kind = TP_WORK_CHANGE_FUNCTION, .name = TP_STR("load"), .place = TP_STR("train.py(7): load"), .ratio = 2.5},
        {.kind = TP_WORK_CHANGE_FUNCTION, .name = TP_STR("crop"), .place = TP_STR("train.py(9): crop"), .delta = 8},
        {.kind = TP_WORK_CHANGE_LAUNCHES, .name = TP_STR(""), .delta = 1},
    };
    struct tp_compare c;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    compare_plans(&c, plans, plans);
    c.work = (struct tp_work_diff){.is_known = true, .changes = changes, .count = 1};
    assert_texts(&c, "A hint, not certain: each call of load in the data loader takes 2.50 times as long",
                 "These runs show no significant change.");
    assert_texts(&c, "**Functions of the data loader take longer or shorter**", "A step does different work");
    assert_texts(&c, "These runs show no other significant change of a time.",
                 "These runs show no significant change of a time");
    c.work.count = 2;
    assert_texts(&c, "takes 2.50 times as long (corrected for the speed of the machine); and 1 more.",
                 "These runs show no significant change.");
    assert_texts(&c,
                 "**Functions of the data loader are called a different number of times, or take longer or shorter**",
                 "does different work");
    c.work.count = 3;
    assert_texts(&c, "The operators, copies or waits of a step differ (3 changes).",
                 "These runs show no significant change.");
    assert_texts(&c, "**A step does different work, but no change counts as a regression**",
                 "These runs show no significant change.");
    assert_texts(&c, "- launches: +1 launch per step", "These runs show no other significant change of a time");
}

/* Tests that rows have no verdicts if the runs are not comparable. Then no text claims that no row changed. */
static void rows_of_another_workload_are_not_counted(void **state)
{
    const struct plan base[] = {KERNEL("gemm", 4, 500), KERNEL("relu", 4, 200), END};
    const struct plan other[] = {KERNEL("gemm", 4, 500), END};
    struct tp_compare c;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    compare_plans(&c, base, other);
    c.comparability.workload = TP_WORKLOAD_OTHER;
    c.comparability.is_not_comparable = c.is_open = true;
    c.verdict = TP_CHANGE_INCONCLUSIVE;
    assert_texts(&c, " The rows of the tables get no verdict.", "rows changed");
    c.tables[TP_COMPARE_CHANGES].row_count = 0;
    assert_texts(&c, "\nThe times of these runs get no verdict.\n", "too few, too short or too noisy");
    c.damage = "new: it is cut";
    assert_texts(&c, "An input is damaged, so tracepress does not report which times changed.",
                 "A step does different work");
}

/* Tests that texts and JSON show the metrics of a serving engine as a table, one row per class of steps. Programs
 * without an engine have no table. */
static void steps_of_an_engine_are_compared_by_class(void **state)
{
    const struct plan plans[] = {KERNEL("gemm", 4, 500), END};
    static const char *const names[] = {"decode.bs32.step.p50", "decode.bs32.step.p90", "decode.tokens_per_s"};
    static const double values[TP_SIDES][3] = {{300000, 310000, 1000}, {330000, 341000, 900}};
    struct tp_compare c;
    struct tp_document document;
    struct tp_buf text;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    compare_plans(&c, plans, plans);
    assert_int_equal(c.tables[TP_COMPARE_SERVING].row_count, 0);
    for (int s = 0; s < TP_SIDES; s++)
        for (int i = 0; i < 3; i++)
            runs[s].metrics[tp_metric_find(names[i], strlen(names[i]))].value = values[s][i];
    compare_runs(&c);
    assert_int_equal(c.tables[TP_COMPARE_SERVING].row_count, 1);
    tp_buf_init(&text, 0);
    build_verdict_block(&document, &c);
    tp_print_markdown(&text, &document, &(struct tp_print_options){0}, NULL);
    assert_non_null(strstr(text.data, "decode: 1,000 \xe2\x86\x92 900 tokens/s."));
    const char *row = "| decode.bs32 | 300 \xc2\xb5s | 330 \xc2\xb5s | +30 \xc2\xb5s | +10.0 % | 310 \xc2\xb5s | 341 "
                      "\xc2\xb5s |";
    if (!strstr(text.data, row))
        fail_msg("%s", text.data);
    tp_buf_clear(&text);
    tp_print_json(&text, &document, &(struct tp_print_options){0}, NULL);
    assert_non_null(strstr(text.data, "\"serving\":[{\"class\":\"decode.bs32\",\"base_p50_us\":300,"));
    tp_buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(verdict_names_rows_before_memory, begin, end),
        cmocka_unit_test_setup_teardown(long_verdict_continues_on_second_line, begin, end),
        cmocka_unit_test_setup_teardown(headline_and_waterfall_have_the_same_cause, begin, end),
        cmocka_unit_test_setup_teardown(changed_total_without_rows_is_reported, begin, end),
        cmocka_unit_test_setup_teardown(changed_loader_is_one_change, begin, end),
        cmocka_unit_test_setup_teardown(changed_loader_function_is_reported, begin, end),
        cmocka_unit_test_setup_teardown(rows_of_another_workload_are_not_counted, begin, end),
        cmocka_unit_test_setup_teardown(steps_of_an_engine_are_compared_by_class, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
