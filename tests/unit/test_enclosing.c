/* Tests the search for the innermost enclosing interval against a linear search from the end. */
#include "webreport/model/enclosing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint32_t seed = 3;

static uint32_t random_below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* Compares the results of both searches for random intervals. */
static void check_round(struct tp_arena *arena)
{
    struct tp_enclosing tree;
    int64_t starts[40], ends[40], at = 0;
    size_t count = 1 + random_below(40);
    for (size_t i = 0; i < count; i++) {
        at += random_below(4);
        starts[i] = at;
        ends[i] = at + random_below(25);
    }
    tp_enclosing_init(&tree, starts, ends, count, arena);
    for (int64_t t = -1; t < at + 3; t++)
        for (int64_t reach = t; reach < t + 20; reach += 5) {
            size_t expected = SIZE_MAX;
            for (size_t i = 0; i < count; i++)
                if (starts[i] <= t && ends[i] >= reach)
                    expected = i;
            assert_true(tp_enclosing_find(&tree, t, reach) == expected);
        }
}

static void results_equal_a_linear_search(void **state)
{
    (void)state;
    struct tp_arena arena;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    for (int round = 0; round < 400; round++)
        check_round(&arena);
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_equal_a_linear_search)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
