/* Tests sketches (histograms of durations): exact sums, quantiles within their bucket, and adding in any order. */
#include "webreport/measure/summary/sketch.h"

#include <math.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static int compare_by_value(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

/* Returns the next number of a fixed sequence of durations of very different sizes. */
static int64_t next_duration(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (int64_t)(*state >> (11 + (*state >> 59)));
}

static void sketch_counts_and_sums_are_exact(void **state)
{
    static const int64_t ns[] = {0, 1, 2, 3, 1000, 1000, -5};
    struct tp_arena arena;
    struct tp_sketch sketch;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    tp_sketch_build(&sketch, ns, 7, &arena);
    assert_int_equal(sketch.count, 7);
    assert_int_equal(sketch.sum_ns, 2006);
    assert_int_equal(sketch.min_ns, 0);
    assert_int_equal(sketch.max_ns, 1000);
    assert_true(sketch.square_sum_ns2 == 2000014);
    assert_int_equal(sketch.bucket_count, 5);
    assert_int_equal(sketch.buckets[0].bucket, 0); /* the first bucket contains values up to 0 */
    assert_int_equal(sketch.buckets[0].count, 2);
    assert_int_equal(sketch.buckets[1].bucket, 1);
    assert_int_equal(sketch.buckets[2].bucket, 9);
    assert_int_equal(sketch.buckets[3].bucket, 13); /* 8 log2(3) = 12.68 */
    assert_int_equal(sketch.buckets[4].bucket, 80); /* 8 log2(1000) = 79.73 */
    assert_true(fabs(tp_sketch_mean(&sketch) - 2006 / 7.0) < 1e-9);
    tp_arena_release(&arena);
}

static void sketch_quantiles_are_close(void **state)
{
    enum { COUNT = 5000 };
    static int64_t ns[COUNT];
    struct tp_arena arena;
    struct tp_sketch sketch;
    static uint64_t seed = 7;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    for (int i = 0; i < COUNT; i++)
        ns[i] = next_duration(&seed);
    tp_sketch_build(&sketch, ns, COUNT, &arena);
    qsort(ns, COUNT, sizeof *ns, compare_by_value);
    for (int percent = 1; percent <= 100; percent++) {
        double exact = (double)ns[COUNT * percent / 100 - 1], q = tp_sketch_quantile(&sketch, percent / 100.0);
        assert_true(fabs(q - exact) <= 0.045 * exact);
    }
    assert_true(tp_sketch_quantile(&sketch, 0) >= (double)ns[0]);
    assert_true(tp_sketch_quantile(&sketch, 1) <= (double)ns[COUNT - 1]);
    tp_arena_release(&arena);
}

static void sketch_of_both_equals_merged_sketches(void **state)
{
    enum { COUNT = 900, FIRST = 317 };
    int64_t ns[COUNT];
    struct tp_arena arena;
    struct tp_sketch all, x, y, z;
    static uint64_t seed = 42;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    for (int i = 0; i < COUNT; i++)
        ns[i] = next_duration(&seed) >> 20;
    tp_sketch_build(&all, ns, COUNT, &arena);
    tp_sketch_build(&x, ns, FIRST, &arena);
    tp_sketch_build(&y, ns + FIRST, COUNT - FIRST, &arena);
    z = y;
    tp_sketch_merge(&z, &x, &arena);
    tp_sketch_merge(&x, &y, &arena);
    const struct tp_sketch *const sums[] = {&x, &z};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sums[i]->count, all.count);
        assert_int_equal(sums[i]->sum_ns, all.sum_ns);
        assert_int_equal(sums[i]->min_ns, all.min_ns);
        assert_int_equal(sums[i]->max_ns, all.max_ns);
        assert_int_equal(sums[i]->bucket_count, all.bucket_count);
        assert_memory_equal(sums[i]->buckets, all.buckets, all.bucket_count * sizeof *all.buckets);
    }
    tp_arena_release(&arena);
}

static void sketch_without_values_has_no_numbers(void **state)
{
    static const int64_t one = 12, huge[] = {INT64_MAX, INT64_MAX};
    struct tp_arena arena;
    struct tp_sketch sketch;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    tp_sketch_build(&sketch, NULL, 0, &arena);
    assert_true(isnan(tp_sketch_quantile(&sketch, 0.5)));
    assert_true(isnan(tp_sketch_mean(&sketch)));
    tp_sketch_build(&sketch, &one, 1, &arena);
    assert_true(tp_sketch_quantile(&sketch, 0.5) == 12);
    assert_true(isnan(tp_sketch_deviation(&sketch)));
    tp_sketch_build(&sketch, huge, 2, &arena);
    assert_int_equal(sketch.sum_ns, INT64_MAX);
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sketch_counts_and_sums_are_exact),
        cmocka_unit_test(sketch_quantiles_are_close),
        cmocka_unit_test(sketch_of_both_equals_merged_sketches),
        cmocka_unit_test(sketch_without_values_has_no_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
