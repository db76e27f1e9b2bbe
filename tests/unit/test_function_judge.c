/* Tests the comparison of functions by their samples. Runs of the same program must not be reported as changed, and a
 * function that takes twice as long must come first. Sample counts are random, and each function varies by 4 % between
 * runs. */
#include "webreport/compare/two/compare_build.h"
#include "webreport/compare/two/function_judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "normal_draws.h"
#include "one_arena.h"
#include "webreport/document/commands/compare_document.h"
#include "webreport/document/commands/compare_words.h"

enum { SAMPLE_NS = 5000000, FUNCTIONS = 5, DRAWS = 300, MOST_RUNS = 3 };

static struct tp_random noise;

static int begin_drawing(void **state)
{
    noise.state = 77;
    return begin(state);
}

static const char *const names[FUNCTIONS] = {"parse", "encode", "hash", "read", "rare"};
static const int expected[FUNCTIONS] = {200, 100, 60, 30, 6};

static struct tp_summary make_program_run(const double *factors)
{
    static const char *const owner = "src/two.c";
    struct tp_summary run = {.key = {.rank = TP_NULL_INT}, .step_count = 1};
    run.rows = tp_arena_array(&arena, FUNCTIONS, sizeof *run.rows);
    run.steps = tp_arena_array(&arena, 1, sizeof *run.steps);
    for (int part = 0; part < TP_PART_COUNT; part++)
        run.steps[0].part_ns[part] = TP_NULL_INT;
    for (int i = 0; i < FUNCTIONS; i++) {
        struct tp_summary_row *row = &run.rows[run.row_count++];
        double mean = expected[i] * factors[i] * (1 + 0.04 * draw_normal_number(&noise));
        double drawn = round(mean + sqrt(mean) * draw_normal_number(&noise));
        int64_t ns[1024];
        size_t count = drawn < 1 ? 1 : (size_t)drawn;
        for (size_t k = 0; k < count; k++)
            ns[k] = SAMPLE_NS;
        *row = (struct tp_summary_row){.kind = TP_SUMMARY_FUNCTION,
                                       .name = tp_str_of(names[i]),
                                       .owner = tp_str_of(owner),
                                       .shape = TP_STR(""),
                                       .dtype = TP_STR(""),
                                       .bytes = TP_NULL_INT};
        tp_sketch_build(&row->time, ns, count, &arena);
        run.steps[0].total_ns += (int64_t)count * SAMPLE_NS;
    }
    return run;
}

enum { STEPS = 10 };

/* Returns a run of the program with PyTorch steps that do not contain the functions. */
static struct tp_summary make_run_with_steps(const double *factors)
{
    struct tp_summary run = make_program_run(factors);
    struct tp_summary_step *steps = tp_arena_array(&arena, STEPS, sizeof *steps);
    for (int s = 0; s < STEPS; s++) {
        steps[s] = run.steps[0];
        steps[s].total_ns = 20 * SAMPLE_NS;
    }
    run.steps = steps;
    run.step_count = STEPS;
    return run;
}

static void compare_runs(struct tp_compare *compare, const double *factors, uint32_t run_count, bool has_steps)
{
    static const double equal[FUNCTIONS] = {1, 1, 1, 1, 1};
    static const struct tp_calltree *const no_trees[TP_SIDES];
    struct tp_summary *made[TP_SIDES];
    struct tp_side_input inputs[TP_SIDES];
    for (int s = 0; s < TP_SIDES; s++) {
        made[s] = tp_arena_array(&arena, run_count, sizeof **made);
        for (uint32_t r = 0; r < run_count; r++)
            made[s][r] = (has_steps ? make_run_with_steps : make_program_run)(s == TP_BASE ? equal : factors);
        inputs[s] = (struct tp_side_input){s == TP_BASE ? "base" : "new", made[s], run_count, false};
    }
    tp_compare_build(compare, inputs, no_trees, &(struct tp_compare_options){0}, &arena);
}

static void compare_programs(struct tp_compare *compare, const double *factors, uint32_t run_count)
{
    compare_runs(compare, factors, run_count, false);
}

static void equal_programs_raise_no_alarm(void **state)
{
    static const double equal[FUNCTIONS] = {1, 1, 1, 1, 1};
    (void)state;
    for (uint32_t runs_a_side = 1; runs_a_side <= MOST_RUNS; runs_a_side += 2) {
        unsigned reported = 0;
        for (int i = 0; i < DRAWS; i++) {
            struct tp_compare c;
            compare_programs(&c, equal, runs_a_side);
            assert_true(c.changes.functions.judged_function_count >= 4);
            reported += c.verdict != TP_CHANGE_NEUTRAL;
        }
        assert_in_range(reported, 0, DRAWS / 50); /* the goal is 1 % of false alarms; the test allows 2 % */
    }
}

static void a_function_twice_as_slow_is_named_first(void **state)
{
    static const double slower[FUNCTIONS] = {1, 2, 1, 1, 1};
    unsigned found = 0;
    struct tp_compare c;
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        compare_programs(&c, slower, 1);
        const struct tp_str *first =
            c.tables[TP_COMPARE_CHANGES].row_count ? tp_table_text(&c.tables[TP_COMPARE_CHANGES], TP_ROW_NAME) : NULL;
        found += c.verdict == TP_CHANGE_REGRESSED && first && tp_str_equal(*first, TP_STR("encode"));
    }
    assert_in_range(found, DRAWS * 9 / 10, DRAWS);
    compare_programs(&c, slower, MOST_RUNS);
    assert_int_equal(c.verdict, TP_CHANGE_REGRESSED);
    assert_true(tp_compare_has_regressed(&c));
    assert_int_equal(strncmp(tp_compare_verdict(&c, &arena).headline, "encode (two.c) takes ", 21), 0);
}

static void function_in_a_run_with_steps_is_a_hint(void **state)
{
    static const double slower[FUNCTIONS] = {1, 4, 1, 1, 1};
    struct tp_compare c;
    (void)state;
    compare_runs(&c, slower, MOST_RUNS, true);
    assert_int_equal(c.hint_count, 1);
    assert_int_equal(c.verdict, TP_CHANGE_NEUTRAL);
    assert_false(tp_compare_has_regressed(&c));
}

static void a_function_of_few_samples_is_not_judged(void **state)
{
    static const double rarely[FUNCTIONS] = {1, 1, 1, 1, 0.01};
    struct tp_compare c;
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        compare_programs(&c, rarely, 1);
        for (size_t row = 0; row < c.tables[TP_COMPARE_CHANGES].row_count; row++)
            assert_false(tp_str_equal(tp_table_text(&c.tables[TP_COMPARE_CHANGES], TP_ROW_NAME)[row], TP_STR("rare")));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_programs_raise_no_alarm, begin_drawing, end),
        cmocka_unit_test_setup_teardown(a_function_twice_as_slow_is_named_first, begin_drawing, end),
        cmocka_unit_test_setup_teardown(function_in_a_run_with_steps_is_a_hint, begin_drawing, end),
        cmocka_unit_test_setup_teardown(a_function_of_few_samples_is_not_judged, begin_drawing, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
