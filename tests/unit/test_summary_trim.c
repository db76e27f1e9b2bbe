/* Tests how rows of a summary that is too large are merged. Sums must not change. */
#include "webreport/measure/summary/summary_trim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 10, STEPS = 2 };

static struct tp_summary_row make_row(enum tp_summary_kind kind, const char *name, int64_t ns, struct tp_arena *arena)
{
    struct tp_summary_row row = {.kind = kind, .name = tp_str_of(name), .bytes = TP_NULL_INT};
    row.owner = row.shape = row.dtype = TP_STR("");
    tp_sketch_build(&row.time, &ns, 1, arena);
    row.by_step_ns = tp_arena_array(arena, STEPS, sizeof *row.by_step_ns);
    row.by_step_count = tp_arena_array(arena, STEPS, sizeof *row.by_step_count);
    row.by_step_ns[1] = ns;
    row.by_step_count[1] = 1;
    return row;
}

/* Tests a summary with ten kernels of 100, 90 .. 10 ns and an operator. Four rows of kernels remain, and the last one
 * is the sum of 70 .. 10. */
static void smallest_rows_become_one(void **state)
{
    struct tp_arena arena;
    struct tp_summary_row rows[ROWS + 1];
    struct tp_summary summary = {.rows = rows, .row_count = ROWS + 1, .step_count = STEPS};
    (void)state;
    tp_arena_init(&arena, 0);
    assert_int_equal(setjmp(arena.guard), 0);
    rows[0] = make_row(TP_SUMMARY_OPERATOR_HOST, "aten::mm", 7, &arena);
    for (int i = 0; i < ROWS; i++)
        rows[i + 1] = make_row(TP_SUMMARY_KERNEL, "gemm", 100 - 10 * i, &arena);
    tp_summary_trim(&summary, 4, &arena);
    assert_int_equal(summary.row_count, 5);
    assert_int_equal(summary.rows[0].time.sum_ns, 7);
    assert_int_equal(summary.rows[3].time.sum_ns, 80);
    const struct tp_summary_row *rest = &summary.rows[4];
    assert_true(tp_str_equal(rest->name, TP_STR("(rest)")));
    assert_int_equal(rest->time.sum_ns, 70 + 60 + 50 + 40 + 30 + 20 + 10);
    assert_int_equal(rest->time.count, 7);
    assert_int_equal(rest->time.max_ns, 70);
    assert_int_equal(rest->by_step_ns[1], rest->time.sum_ns);
    assert_int_equal(rest->by_step_count[1], 7);
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(smallest_rows_become_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
