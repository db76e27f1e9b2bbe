/* Tests the joint result of many time limits, because one of many limits can fail by chance. gate_times.c examines a
 * single limit. Also tests limits on ranges. */
#include "webreport/compare/gate/gate_parts.h"

#include <math.h>

#include "tests/unit/one_arena.h"

enum { LIMITS = 12 };

static const struct tp_budget_line line, warning = {.is_warning = true};

/* Returns `count` limits. The first one fails with the p-value `chance`. */
static struct tp_check_item *make_limits(size_t count, double chance)
{
    struct tp_check_item *items = tp_arena_array(&arena, LIMITS, sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = (struct tp_check_item){.line = &line, .chance = 0.5, .cause = TP_CAUSE_WITHIN, .reason = ""};
    items[0].chance = chance;
    items[0].place_count = 1;
    items[0].cause = TP_CAUSE_BEYOND;
    items[0].status = TP_CHECK_FAIL;
    items[0].reason = "99 % interval +1 to +9 %";
    tp_check_judge_times_together(items, count, &arena);
    return items;
}

static void single_failed_limit_stays_failed(void **state)
{
    (void)state;
    if (setjmp(arena.guard))
        fail();
    assert_int_equal(make_limits(1, 0.0049)->status, TP_CHECK_FAIL);
    assert_int_equal(make_limits(2, 0.0029)->status, TP_CHECK_FAIL);
}

static void one_of_many_limits_fails_only_beyond_chance(void **state)
{
    (void)state;
    if (setjmp(arena.guard))
        fail();
    const struct tp_check_item *item = make_limits(LIMITS, 0.004);
    assert_int_equal(item->status, TP_CHECK_INCONCLUSIVE);
    assert_int_equal(item->cause, TP_CAUSE_NOISE);
    assert_int_equal(item->place_count, 0);
    assert_string_equal(item->reason,
                        "unclear: 99 % interval +1 to +9 %; with 12 limits on times, chance alone breaks a "
                        "limit by as much in 4.8 % of checks; repeat the run to decide");
    assert_int_equal(make_limits(LIMITS, 0.0059 / LIMITS)->status, TP_CHECK_FAIL);
}

static void counts_and_warnings_are_not_corrected(void **state)
{
    (void)state;
    if (setjmp(arena.guard))
        fail();
    struct tp_check_item *items = make_limits(1, 0.004);
    for (size_t i = 1; i < LIMITS; i++)
        items[i] = (struct tp_check_item){.line = i % 2 ? &line : &warning, .chance = i % 2 ? NAN : 0.5, .reason = ""};
    tp_check_judge_times_together(items, LIMITS, &arena);
    assert_int_equal(items[0].status, TP_CHECK_FAIL);
}

/* Judges an upper limit of 10 ns on the device time of a range. count: number of ranges in the run. */
static enum tp_check_status judge_range(const char *name, struct tp_summary_range *ranges, uint32_t count)
{
    struct tp_summary run = {.ranges = ranges, .range_count = count};
    struct tp_check_subject subject = {.runs = &run, .run_count = 1};
    struct tp_budget_line limit = {.metric = tp_metric_find("range[NAME].device", 18),
                                   .op = TP_OP_LE,
                                   .kind = TP_LIMIT_ABSOLUTE,
                                   .limit = 10,
                                   .operator= tp_str_of(name)};
    struct tp_check_item item = {.line = &limit};
    memset(&run.evidence, 0, sizeof run.evidence);
    tp_check_judge_item(&item, &subject, &arena);
    return item.status;
}

static void limit_on_an_absent_range_does_not_pass(void **state)
{
    (void)state;
    if (setjmp(arena.guard))
        fail();
    struct tp_summary_range ranges[] = {{TP_STR("a"), false, 10, 99},
                                        {TP_STR("b"), false, 11, 1},
                                        {TP_STR("c"), false, TP_NULL_INT, 1},
                                        {TP_STR("nn.Module: a"), true, 50, 1},
                                        {TP_STR("nn.Module: d"), true, 5, 1}};
    assert_int_equal(judge_range("a", ranges, 5), TP_CHECK_PASS); /* the annotation, not the module */
    assert_int_equal(judge_range("b", ranges, 5), TP_CHECK_FAIL);
    assert_int_equal(judge_range("c", ranges, 5), TP_CHECK_INCONCLUSIVE);
    assert_int_equal(judge_range("d", ranges, 5), TP_CHECK_PASS);
    assert_int_equal(judge_range("nn.Module: a", ranges, 5), TP_CHECK_FAIL);
    assert_int_equal(judge_range("e", ranges, 5), TP_CHECK_INCONCLUSIVE);
    assert_int_equal(judge_range("a", NULL, 0), TP_CHECK_INCONCLUSIVE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(single_failed_limit_stays_failed, begin, end),
        cmocka_unit_test_setup_teardown(one_of_many_limits_fails_only_beyond_chance, begin, end),
        cmocka_unit_test_setup_teardown(counts_and_warnings_are_not_corrected, begin, end),
        cmocka_unit_test_setup_teardown(limit_on_an_absent_range_does_not_pass, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
