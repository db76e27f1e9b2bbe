/* Tests the comparison of memory that a step keeps. Expected changes are counted by hand. */
#include "webreport/compare/two/work_sides.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "webreport/compare/work/work_diff_build.h"
#include "webreport/compare/work/work_words.h"
#include "work_signature.h"

#define OF_RELU(line, count, size, exact)                                                                              \
    {                                                                                                                  \
        TP_STR("aten::relu"), TP_STR("net.py(" line "): forward"), count, size, exact                                  \
    }

static struct tp_work_diff compare_unfreed_memory(struct tp_count_kept *was, uint32_t was_count,
                                                  struct tp_count_kept *is, uint32_t is_count)
{
    struct tp_signature base = make_signature(base_ops, COUNT(base_ops)), now = base;
    struct tp_work_diff diff;
    base.are_unfreed_blocks_known = now.are_unfreed_blocks_known = true;
    base.kept = was;
    base.kept_count = was_count;
    now.kept = is;
    now.kept_count = is_count;
    now.hash++; /* changes the hash, because it also depends on kept memory */
    tp_work_diff_build(&diff, &base, &now, false, &arena);
    return diff;
}

static void unfreed_memory_is_named_with_place(void **state)
{
    GUARD;
    struct tp_count_kept leak[] = {OF_RELU("30", 1, 131072, true)}, moved[] = {OF_RELU("33", 1, 131072, true)};
    struct tp_work_diff diff = compare_unfreed_memory(NULL, 0, leak, 1);
    assert_int_equal(diff.count, 1);
    assert_true(diff.changes[0].is_counted_by_limit && tp_work_has_limited_change(&diff));
    assert_int_equal(tp_work_diff_count(&diff, TP_WORK_UNFREED_MEMORY), 1);
    assert_int_equal(tp_work_diff_count(&diff, TP_WORK_ADDED_OPERATORS), 0);
    assert_int_equal(diff.changes[0].place.len, strlen("net.py(30): forward"));
    assert_string_equal(tp_work_change_sentence(&diff.changes[0], &arena),
                        "+128.0 KiB per step in forward, never freed: 1 block of aten::relu");
    diff = compare_unfreed_memory(leak, 1, NULL, 0); /* The leak is gone, which is reported but fails no limit. */
    assert_int_equal(diff.count, 1);
    assert_false(tp_work_has_limited_change(&diff));
    assert_string_equal(tp_work_change_text(&diff.changes[0]), "memory");
    diff = compare_unfreed_memory(leak, 1, moved, 1); /* the line number changed, but the code is the same */
    assert_int_equal(diff.count, 0);
    assert_true(diff.is_same);
}

static void memory_kept_by_chance_is_ignored(void **state)
{
    GUARD;
    struct tp_count_kept chance[] = {OF_RELU("30", 1, 131072, false)}, leak[] = {OF_RELU("30", 1, 131072, true)};
    struct tp_count_kept loss[] = {OF_RELU("30", 1, 64, true)};
    assert_int_equal(compare_unfreed_memory(NULL, 0, chance, 1).count, 0);
    assert_int_equal(compare_unfreed_memory(chance, 1, NULL, 0).count, 0);
    /* a loss that the program keeps for a log is reported, but is not a leak */
    struct tp_work_diff diff = compare_unfreed_memory(NULL, 0, loss, 1);
    assert_int_equal(diff.count, 1);
    assert_false(tp_work_has_limited_change(&diff));
    struct tp_signature base = make_signature(base_ops, COUNT(base_ops)), now = base;
    now.are_unfreed_blocks_known =
        true; /* the file of the base has no information about kept memory, as in older versions */
    now.kept = leak;
    now.kept_count = 1;
    now.hash++;
    tp_work_diff_build(&diff, &base, &now, false, &arena);
    assert_int_equal(diff.count, 0);
    assert_false(diff.are_unfreed_blocks_known);
}

/* Tests that memory that only one of the two base runs keeps is ignored. */
static void memory_kept_by_one_base_run_is_ignored(void **state)
{
    GUARD;
    struct tp_count_kept leak[] = {OF_RELU("30", 1, 131072, true)};
    struct tp_summary runs[2] = {{.key = {.rank = TP_NULL_INT}}}, run;
    runs[0].signature = make_signature(base_ops, COUNT(base_ops));
    runs[0].signature.are_unfreed_blocks_known = true;
    runs[1] = run = runs[0];
    run.signature.kept = runs[0].signature.kept = leak;
    run.signature.kept_count = runs[0].signature.kept_count = 1;
    run.signature.hash++;
    runs[0].signature.hash++;
    for (uint32_t other = 0; other < 2; other++) {
        struct tp_side_input inputs[TP_SIDES] = {
            [TP_BASE] = {.runs = runs + other, .run_count = 2 - other}, [TP_NEW] = {.runs = &run, .run_count = 1}};
        struct tp_sides sides = {
            .arena = &arena, .side = {[TP_BASE] = {.input = &inputs[TP_BASE]}, [TP_NEW] = {.input = &inputs[TP_NEW]}}};
        struct tp_comparability c = {.workload = TP_WORKLOAD_SAME};
        struct tp_work_diff diff;
        struct tp_replaced replaced;
        tp_work_sides_build(&diff, &replaced, &sides, &c);
        assert_int_equal(diff.count, other); /* a change only if the second run is the only base run */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(unfreed_memory_is_named_with_place, begin, end),
        cmocka_unit_test_setup_teardown(memory_kept_by_chance_is_ignored, begin, end),
        cmocka_unit_test_setup_teardown(memory_kept_by_one_base_run_is_ignored, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
