/* Tests the comparison of the work of two steps. Signatures are made by hand, and expected changes are counted by
 * hand. */
#include "webreport/compare/two/work_sides.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "webreport/compare/gate/budget.h"
#include "webreport/compare/gate/gate_build.h"
#include "webreport/compare/work/work_diff_build.h"
#include "webreport/compare/work/work_words.h"
#include "work_signature.h"

static struct tp_work_diff compare_with_base(const struct op *ops, size_t count, bool is_bare)
{
    struct tp_signature base = make_signature(base_ops, COUNT(base_ops)), now = make_signature(ops, count);
    struct tp_work_diff diff;
    tp_work_diff_build(&diff, &base, &now, is_bare, &arena);
    return diff;
}

static void equal_work_has_no_changes(void **state)
{
    GUARD;
    struct tp_work_diff diff = compare_with_base(base_ops, COUNT(base_ops), false);
    assert_true(diff.is_known && diff.is_same);
    assert_int_equal(diff.count, 0);
    /* another order of operators within the step is no change */
    const struct op moved[] = {LINEAR, RELU, LOSS, LINEAR, RELU};
    diff = compare_with_base(moved, COUNT(moved), false);
    assert_int_equal(diff.count, 0);
}

static void added_item_call_has_its_source_line(void **state)
{
    GUARD;
    const struct op ops[] = {LINEAR,
                             RELU,
                             LINEAR,
                             RELU,
                             LOSS,
                             {"aten::item", "[[]]", "float", 0, STEP},
                             {"aten::_local_scalar_dense", "[[]]", "float", 1, STEP}};
    struct tp_work_diff diff = compare_with_base(ops, COUNT(ops), false);
    assert_int_equal(diff.count, 1); /* one change includes the caller and its callees */
    assert_int_equal(diff.changes[0].kind, TP_WORK_CHANGE_ITEM);
    assert_true(diff.changes[0].is_counted_by_limit);
    assert_string_equal(tp_work_change_sentence(&diff.changes[0], &arena),
                        "+1 aten::item per step in train_step, so the host waits for the value");
    assert_int_equal(tp_work_diff_count(&diff, TP_WORK_WAITS), 1);
    assert_int_equal(tp_work_diff_count(&diff, TP_WORK_ADDED_OPERATORS), 0);
}

static void equal_changes_are_merged_and_counted(void **state)
{
    GUARD;
    const struct op ops[] = {LINEAR, {"aten::clone", "[[4, 8]]", "float", 0, STEP}, RELU,
                             LINEAR, {"aten::clone", "[[4, 8]]", "float", 0, STEP}, RELU,
                             LOSS};
    struct tp_work_diff diff = compare_with_base(ops, COUNT(ops), false);
    assert_int_equal(diff.count, 1);
    assert_int_equal(diff.changes[0].delta, 2);
    assert_int_equal(tp_work_diff_count(&diff, TP_WORK_COPIES), 2);
}

/* Tests a function that runs twice per step. In both passes, the second clone is new. */
static void change_has_the_number_of_its_call(void **state)
{
    GUARD;
#define CLONE(dims)                                                                                                    \
    {                                                                                                                  \
        "aten::clone", dims, "float", 0, STEP                                                                          \
    }
    const struct op before[] = {CLONE("[[2]]"), LINEAR, CLONE("[[2]]"), LINEAR};
    const struct op after[] = {CLONE("[[2]]"), LINEAR, CLONE("[[4, 8]]"), CLONE("[[2]]"), LINEAR, CLONE("[[4, 8]]")};
    struct tp_signature base = make_signature(before, COUNT(before)), now = make_signature(after, COUNT(after));
    struct tp_work_diff diff;
    tp_work_diff_build(&diff, &base, &now, false, &arena);
    assert_int_equal(diff.count, 1);
    assert_int_equal(diff.changes[0].delta, 2);
    assert_int_equal(diff.changes[0].calls, 2);
    assert_int_equal(diff.changes[0].nth, 1);
}

/* Tests x.double().float(), which is two consecutive operators with the same name and different types. */
static void repeated_operators_are_one_change(void **state)
{
    GUARD;
    const struct op ops[] = {LINEAR,
                             RELU,
                             LINEAR,
                             RELU,
                             {"aten::to", "[[4, 8], []]", "float, Scalar", 0, STEP},
                             {"aten::_to_copy", "[[4, 8]]", "float", 1, STEP},
                             {"aten::to", "[[4, 8], []]", "double, Scalar", 0, STEP},
                             {"aten::_to_copy", "[[4, 8]]", "double", 1, STEP},
                             LOSS};
    struct tp_work_diff diff = compare_with_base(ops, COUNT(ops), false);
    assert_int_equal(diff.count, 1);
    assert_string_equal(tp_work_change_sentence(&diff.changes[0], &arena),
                        "+2 aten::to per step in train_step, a cast or move");
}

static void renamed_operator_is_not_new(void **state)
{
    GUARD;
    const struct op ops[] = {LINEAR, {"aten::silu", "[[4, 8]]", "float", 0, STEP}, LINEAR, RELU, LOSS};
    struct tp_work_diff diff = compare_with_base(ops, COUNT(ops), false);
    assert_int_equal(diff.count, 1);
    assert_int_equal(diff.changes[0].kind, TP_WORK_CHANGE_RENAMED);
    assert_false(diff.changes[0].is_counted_by_limit);
    assert_false(tp_work_has_limited_change(&diff));
    const struct op with_option[] = {
        LINEAR, {"aten::gelu", "[[4, 8], []]", "float, Scalar", 0, STEP}, LINEAR, RELU, LOSS};
    diff = compare_with_base(with_option, COUNT(with_option), false);
    assert_int_equal(diff.changes[0].kind, TP_WORK_CHANGE_RENAMED);
}

#define SMALL(name)                                                                                                    \
    {                                                                                                                  \
        name, "[[4, 8]]", "float", 0, STEP                                                                             \
    }

/* Tests that replacing operators by others is one change. Without times, a limit fails for added operators, but not for
 * removed operators. */
static void replaced_operators_are_one_change(void **state)
{
    GUARD;
    const struct op many[] = {LINEAR, SMALL("aten::add"), SMALL("aten::tanh"), SMALL("aten::mul"), LINEAR, RELU, LOSS};
    struct tp_work_diff diff = compare_with_base(many, COUNT(many), false);
    assert_int_equal(diff.count, 1);
    assert_int_equal(diff.changes[0].kind, TP_WORK_CHANGE_REPLACED);
    assert_string_equal(tp_work_change_sentence(&diff.changes[0], &arena),
                        "each step has aten::add, aten::mul and aten::tanh instead of aten::relu in train_step");
    assert_int_equal(tp_work_diff_count(&diff, TP_WORK_ADDED_OPERATORS), 3);
    struct tp_signature base = make_signature(many, COUNT(many)), now = make_signature(base_ops, COUNT(base_ops));
    tp_work_diff_build(&diff, &base, &now, false, &arena);
    assert_int_equal(diff.count, 1);
    assert_false(tp_work_has_limited_change(&diff));
}

/* Tests that a removed operator with an unknown place is not replaced by an operator that was added elsewhere. */
static void operators_at_different_places_are_no_replacement(void **state)
{
    GUARD;
#define NOWHERE(name)                                                                                                  \
    {                                                                                                                  \
        name, "[[4, 8]]", "float", 0, ""                                                                               \
    }
    const struct op before[] = {NOWHERE("aten::mm"), NOWHERE("aten::gelu"), NOWHERE("aten::norm"),
                                NOWHERE("aten::sum")};
    const struct op after[] = {NOWHERE("aten::mm"), NOWHERE("aten::norm"), NOWHERE("my::penalty"),
                               NOWHERE("aten::sum")};
    struct tp_signature base = make_signature(before, COUNT(before)), now = make_signature(after, COUNT(after));
    struct tp_work_diff diff;
    tp_work_diff_build(&diff, &base, &now, false, &arena);
    assert_int_equal(diff.count, 2);
    assert_true(tp_work_has_limited_change(&diff));
}

/* Tests an operator that has a new name and waits for a value. The new name must not hide the wait. */
static void wait_in_a_renamed_operator_is_reported(void **state)
{
    GUARD;
    const struct op ops[] = {LINEAR, SMALL("my::relu"), {"aten::item", "[[]]", "float", 1, STEP}, LINEAR, RELU, LOSS};
    struct tp_work_diff diff = compare_with_base(ops, COUNT(ops), false);
    assert_int_equal(tp_work_diff_count(&diff, TP_WORK_WAITS), 1);
    assert_int_equal(tp_work_diff_count(&diff, TP_WORK_ADDED_OPERATORS), 0);
}

/* Tests a step that calls the inner operator directly instead of its wrapper, or the reverse. */
static void wrapper_around_equal_work_is_a_rename(void **state)
{
    GUARD;
    const struct op bare[] = {{"aten::mm", "[[4, 8], [8, 8]]", "float, float", 0, STEP}, RELU, LINEAR, RELU, LOSS};
    struct tp_work_diff diff = compare_with_base(bare, COUNT(bare), false);
    assert_int_equal(diff.count, 1);
    assert_int_equal(diff.changes[0].kind, TP_WORK_CHANGE_RENAMED);
    assert_string_equal(tp_work_change_sentence(&diff.changes[0], &arena),
                        "each step has aten::mm instead of aten::linear in train_step");
    assert_false(tp_work_has_limited_change(&diff));
    const struct op around[] = {LINEAR,
                                RELU,
                                LINEAR,
                                {"aten::relu_", "[[4, 8], []]", "float, ", 0, STEP},
                                {"aten::relu", "[[4, 8]]", "float", 1, STEP},
                                LOSS};
    diff = compare_with_base(around, COUNT(around), false);
    assert_int_equal(diff.count, 1);
    assert_string_equal(tp_work_change_sentence(&diff.changes[0], &arena),
                        "each step has aten::relu_ instead of aten::relu in train_step");
    assert_false(tp_work_has_limited_change(&diff));
    const struct op more[] = {LINEAR,
                              RELU,
                              LINEAR,
                              {"aten::block", "[[4, 8]]", "Scalar", 0, STEP},
                              {"aten::relu", "[[4, 8]]", "float", 1, STEP},
                              {"aten::clone", "[[4, 8]]", "float", 1, STEP},
                              LOSS};
    diff = compare_with_base(more, COUNT(more), false);
    assert_true(tp_work_has_limited_change(&diff)); /* the operator does more work than before, so a limit fails */
}

static void different_shapes_and_types_are_changes(void **state)
{
    GUARD;
    const struct op shapes[] = {LINEAR, RELU, LINEAR, {"aten::relu", "[[4, 9]]", "float", 0, STEP}, LOSS};
    struct tp_work_diff diff = compare_with_base(shapes, COUNT(shapes), false);
    assert_int_equal(diff.count, 1);
    assert_int_equal(diff.changes[0].kind, TP_WORK_CHANGE_SHAPE);
    assert_string_equal(tp_work_change_sentence(&diff.changes[0], &arena),
                        "aten::relu: shapes [[4, 9]] instead of [[4, 8]] in train_step");
    assert_int_equal(tp_work_diff_count(&diff, TP_WORK_SHAPES), 1);
    const struct op types[] = {LINEAR, RELU, LINEAR, {"aten::relu", "[[4, 8]]", "c10::Half", 0, STEP}, LOSS};
    diff = compare_with_base(types, COUNT(types), false);
    assert_int_equal(diff.changes[0].kind, TP_WORK_CHANGE_TYPE);
    diff = compare_with_base(shapes, COUNT(shapes), true); /* by names alone, nothing changed */
    assert_int_equal(diff.count, 0);
}

static void removed_work_fails_no_limit(void **state)
{
    GUARD;
    const struct op ops[] = {LINEAR, RELU, LINEAR, RELU};
    struct tp_work_diff diff = compare_with_base(ops, COUNT(ops), false);
    assert_int_equal(diff.count, 1);
    assert_int_equal(diff.changes[0].delta, -1);
    assert_false(tp_work_has_limited_change(&diff));
}

static void counts_without_places_name_the_change(void **state)
{
    GUARD;
    const struct op ops[] = {LINEAR,
                             RELU,
                             LINEAR,
                             RELU,
                             LOSS,
                             {"aten::item", "[[]]", "float", 0, STEP},
                             {"aten::_local_scalar_dense", "[[]]", "float", 1, STEP}};
    struct tp_signature base = make_signature(base_ops, COUNT(base_ops)), now = make_signature(ops, COUNT(ops));
    struct tp_work_diff diff;
    base.call_count = base.lane_count = 0; /* removes the calls, as in a stored run that was too large to keep them */
    tp_work_diff_build(&diff, &base, &now, false, &arena);
    assert_false(diff.is_aligned);
    assert_int_equal(diff.count, 1);
    assert_true(tp_str_equal(diff.changes[0].name, TP_STR("aten::item")));
    assert_true(tp_str_equal(diff.changes[0].place, TP_STR(STEP)));
}

static void varying_work_is_ignored(void **state)
{
    GUARD;
    const struct op ops[] = {LINEAR, RELU, LINEAR, RELU, LOSS, {"aten::item", "[[]]", "float", 0, STEP}};
    struct tp_signature base = make_signature(base_ops, COUNT(base_ops)), now = make_signature(ops, COUNT(ops));
    struct tp_work_diff diff;
    for (uint32_t i = 0; i < now.key_count; i++)
        now.keys[i].is_exact = !tp_str_equal(now.keys[i].name, TP_STR("aten::item"));
    tp_work_diff_build(&diff, &base, &now, false, &arena);
    assert_int_equal(diff.count, 0);
    assert_int_equal(diff.varying_key_count, 1);
}

static void add_key(struct tp_signature *s, enum tp_count_kind kind, const char *name, const char *detail,
                    int64_t count)
{
    s->keys[s->key_count++] = (struct tp_count_key){.kind = (uint8_t)kind,
                                                    .name = tp_str_of(name),
                                                    .dims = TP_STR(""),
                                                    .detail = tp_str_of(detail),
                                                    .count = count,
                                                    .is_exact = true};
    s->hash += (uint64_t)count + 77;
}

static void device_work_is_reported_with_its_operator(void **state)
{
    GUARD;
    struct tp_signature base = make_signature(base_ops, COUNT(base_ops)),
                        now = make_signature(base_ops, COUNT(base_ops));
    struct tp_work_diff diff;
    add_key(&base, TP_COUNT_KERNEL, "aten::mm", "gemm_128", 2);
    add_key(&now, TP_COUNT_COPY, "", "Memcpy HtoD (Pageable -> Device)", 1);
    add_key(&now, TP_COUNT_WAIT, "cudaStreamSynchronize", "", 1);
    add_key(&now, TP_COUNT_KERNEL, "aten::mm", "gemm_64", 4);
    tp_work_diff_build(&diff, &base, &now, false, &arena);
    assert_int_equal(diff.count, 3);
    assert_int_equal(diff.changes[0].kind, TP_WORK_CHANGE_COPIES);
    assert_true(diff.changes[0].is_counted_by_limit);
    assert_int_equal(diff.changes[1].kind, TP_WORK_CHANGE_WAIT);
    assert_true(diff.changes[1].is_counted_by_limit);
    /* another algorithm fails no limit, because an autotuner can choose it */
    assert_int_equal(diff.changes[2].kind, TP_WORK_CHANGE_ALGORITHM);
    assert_false(diff.changes[2].is_counted_by_limit);
}

static void backward_pass_is_part_of_the_change(void **state)
{
    GUARD;
    const struct op ops[] = {LINEAR,
                             {"aten::clone", "[[4, 8]]", "float", 0, STEP},
                             RELU,
                             LINEAR,
                             RELU,
                             LOSS,
                             {"autograd::engine::evaluate_function: CloneBackward0", "[[4, 8]]", "float", 0, STEP}};
    struct tp_work_diff diff = compare_with_base(ops, COUNT(ops), false);
    assert_int_equal(diff.count, 2);
    assert_true(diff.changes[1].is_consequence);
    assert_int_equal(tp_work_diff_count(&diff, TP_WORK_COPIES), 1);
    assert_int_equal(tp_work_diff_count(&diff, TP_WORK_ADDED_OPERATORS), 0);
}

/* ---- `check` ---- */

static struct tp_check check_budget(const char *text, const struct tp_summary *run, const struct tp_summary *base)
{
    struct tp_budget *budget = tp_arena_alloc(&arena, sizeof *budget);
    struct tp_check_input *input = tp_arena_alloc(&arena, sizeof *input);
    struct tp_check check;
    struct tp_error err = {0};
    if (tp_budget_parse(budget, "b", text, strlen(text), &arena, &err) < 0)
        fail_msg("%s", err.text);
    *input = (struct tp_check_input){
        budget, {"run", run, 1, false}, {base ? "base" : NULL, base, base ? 1 : 0, false}, false, false};
    tp_check_build(&check, input, &arena);
    return check;
}

static void failed_limits_name_operator_and_line(void **state)
{
    GUARD;
    const struct op ops[] = {LINEAR, RELU, LINEAR, RELU, LOSS, {"aten::item", "[[]]", "float", 0, STEP}};
    struct tp_summary base = {.key = {.rank = TP_NULL_INT}}, run = base;
    base.signature = make_signature(base_ops, COUNT(base_ops));
    run.signature = make_signature(ops, COUNT(ops));
    struct tp_check c = check_budget("op[aten::item].calls <= +0\ncount.wait <= +0\ncount.copy <= +0", &run, &base);
    assert_int_equal(c.counts[TP_CHECK_FAIL], 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(c.items[i].place_count, 1);
        assert_true(tp_str_equal(c.items[i].places[0].file_line, TP_STR(STEP)));
        assert_true(tp_str_equal(c.items[i].places[0].rule, TP_STR("count.wait")));
        assert_true(c.items[i].change == 1);
    }
    c = check_budget("op[aten::item].calls == 0", &run, NULL);
    assert_int_equal(c.verdict, TP_CHECK_FAIL);
    c = check_budget("op[aten::item].calls <= +0\ncount.added <= +0", &base, &run);
    assert_int_equal(c.verdict, TP_CHECK_PASS);
    run.signature.hash = 0; /* without a signature, the limit cannot be checked */
    c = check_budget("optional count.wait <= +0", &run, &base);
    assert_int_equal(c.items[0].cause, TP_CAUSE_SKIPPED);
}

static void different_input_compares_only_names(void **state)
{
    GUARD;
    const struct op ops[] = {{"aten::linear", "[[5, 8], [8, 8]]", "float, float", 0, STEP},
                             {"aten::mm", "[[5, 8], [8, 8]]", "float, float", 1, STEP},
                             {"aten::relu", "[[5, 8]]", "float", 0, STEP},
                             {"aten::linear", "[[5, 8], [8, 8]]", "float, float", 0, STEP},
                             {"aten::mm", "[[5, 8], [8, 8]]", "float, float", 1, STEP},
                             {"aten::relu", "[[5, 8]]", "float", 0, STEP},
                             {"aten::sum", "[[5, 8]]", "float", 0, STEP},
                             {"aten::item", "[[]]", "float", 0, STEP}};
    struct tp_summary_fact four = {TP_STR("input"), TP_STR("[4, 8]")}, five = {TP_STR("input"), TP_STR("[5, 8]")};
    struct tp_summary base = {.key = {.rank = TP_NULL_INT}, .facts = &four, .fact_count = 1}, run = base;
    base.signature = make_signature(base_ops, COUNT(base_ops));
    run.facts = &five;
    run.signature = make_signature(ops, COUNT(ops));
    struct tp_check c = check_budget("count.wait <= +0\ncount.shape <= +0\nkernels.per_step <= +0", &run, &base);
    assert_int_equal(c.workload, TP_WORKLOAD_OTHER);
    assert_int_equal(c.counts[TP_CHECK_FAIL], 1); /* only the limit count.wait fails, because of the new .item() */
    assert_int_equal(c.items[0].places[0].rule.len, strlen("count.wait"));
    run.signature = make_signature(ops, COUNT(ops) - 1);
    c = check_budget("count.wait <= +0\ncount.shape <= +0\ncount.added <= +0", &run, &base);
    assert_int_equal(c.verdict, TP_CHECK_PASS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_work_has_no_changes, begin, end),
        cmocka_unit_test_setup_teardown(added_item_call_has_its_source_line, begin, end),
        cmocka_unit_test_setup_teardown(equal_changes_are_merged_and_counted, begin, end),
        cmocka_unit_test_setup_teardown(change_has_the_number_of_its_call, begin, end),
        cmocka_unit_test_setup_teardown(repeated_operators_are_one_change, begin, end),
        cmocka_unit_test_setup_teardown(renamed_operator_is_not_new, begin, end),
        cmocka_unit_test_setup_teardown(replaced_operators_are_one_change, begin, end),
        cmocka_unit_test_setup_teardown(operators_at_different_places_are_no_replacement, begin, end),
        cmocka_unit_test_setup_teardown(wait_in_a_renamed_operator_is_reported, begin, end),
        cmocka_unit_test_setup_teardown(wrapper_around_equal_work_is_a_rename, begin, end),
        cmocka_unit_test_setup_teardown(different_shapes_and_types_are_changes, begin, end),
        cmocka_unit_test_setup_teardown(removed_work_fails_no_limit, begin, end),
        cmocka_unit_test_setup_teardown(counts_without_places_name_the_change, begin, end),
        cmocka_unit_test_setup_teardown(varying_work_is_ignored, begin, end),
        cmocka_unit_test_setup_teardown(device_work_is_reported_with_its_operator, begin, end),
        cmocka_unit_test_setup_teardown(backward_pass_is_part_of_the_change, begin, end),
        cmocka_unit_test_setup_teardown(failed_limits_name_operator_and_line, begin, end),
        cmocka_unit_test_setup_teardown(different_input_compares_only_names, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
