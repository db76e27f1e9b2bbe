/* Tests sets of intervals against a slow reference: a bitmap with one bit per time. */
#include "writer/base/interval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { TIMES = 64, ROUNDS = 2000 };

static uint32_t seed = 1;

static uint32_t random_below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* Returns a set of random intervals. Sets the bits of the times in this set. */
static struct tp_intervals make_random_set(struct tp_arena *arena, uint64_t *bits)
{
    size_t count = random_below(9);
    struct tp_interval *items = tp_arena_array(arena, count + 1, sizeof *items);
    *bits = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t a = random_below(TIMES), b = a + random_below(12);
        items[i] = (struct tp_interval){a, b < TIMES ? b : TIMES};
        for (int64_t t = a; t < items[i].b; t++)
            *bits |= 1ull << t;
    }
    return tp_intervals_union(arena, items, count);
}

static void assert_equal_set(struct tp_intervals set, uint64_t bits)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < set.count; i++) {
        assert_true(set.items[i].a < set.items[i].b);
        assert_true(i == 0 || set.items[i - 1].b < set.items[i].a);
        for (int64_t t = set.items[i].a; t < set.items[i].b; t++)
            seen |= 1ull << t;
    }
    assert_true(seen == bits);
    assert_int_equal(tp_intervals_length(set), __builtin_popcountll(bits));
}

static void interval_sets_equal_a_bitmap(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct tp_arena arena;
        uint64_t x_bits, y_bits;
        tp_arena_init(&arena, 0);
        if (setjmp(arena.guard))
            fail();
        struct tp_intervals x = make_random_set(&arena, &x_bits), y = make_random_set(&arena, &y_bits);
        assert_equal_set(x, x_bits);
        assert_equal_set(tp_intervals_intersection(&arena, x, y), x_bits & y_bits);
        assert_equal_set(tp_intervals_difference(&arena, x, y), x_bits & ~y_bits);
        assert_int_equal(tp_intervals_intersection_length(x, y), __builtin_popcountll(x_bits & y_bits));
        int64_t at = random_below(TIMES);
        assert_int_equal(tp_intervals_contain(x, at), x_bits >> at & 1);
        assert_int_equal(tp_intervals_length_within(x, 0, at), __builtin_popcountll(x_bits & ((1ull << at) - 1)));
        tp_arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(interval_sets_equal_a_bitmap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
