/* Tests sorts: stable, total, and equal to insertion sort on random input. */
#include "writer/base/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "writer/base/rule_sort.h"

static uint32_t seed = 7;

static uint32_t random_below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static void keyed_items_come_in_order_of_key_and_tie(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        struct tp_arena arena;
        tp_arena_init(&arena, 0);
        if (setjmp(arena.guard))
            fail();
        uint32_t count = random_below(200);
        struct tp_keyed *items = tp_arena_array(&arena, count, sizeof *items);
        uint64_t sum = 0, after = 0;
        for (uint32_t i = 0; i < count; i++) {
            items[i] = (struct tp_keyed){(int64_t)random_below(20) - 10, i, i * i};
            sum += items[i].item;
        }
        tp_sort_keyed(items, count, &arena);
        for (uint32_t i = 0; i < count; i++) {
            after += items[i].item;
            assert_true(items[i].item == items[i].tie * items[i].tie);
            if (i)
                assert_true(items[i - 1].key < items[i].key ||
                            (items[i - 1].key == items[i].key && items[i - 1].tie < items[i].tie));
        }
        assert_true(sum == after);
        tp_arena_release(&arena);
    }
}

static int compare_by_tens(const void *context, uint32_t x, uint32_t y)
{
    const uint32_t *values = context;
    return (values[x] / 10 > values[y] / 10) - (values[x] / 10 < values[y] / 10);
}

static void rows_that_compare_equal_keep_their_order(void **state)
{
    (void)state;
    struct tp_arena arena;
    uint32_t values[500], rows[500];
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    for (uint32_t i = 0; i < 500; i++) {
        values[i] = random_below(100);
        rows[i] = i;
    }
    tp_sort_rows(rows, 500, compare_by_tens, values, &arena);
    for (uint32_t i = 1; i < 500; i++) {
        assert_true(values[rows[i - 1]] / 10 <= values[rows[i]] / 10);
        if (values[rows[i - 1]] / 10 == values[rows[i]] / 10)
            assert_true(rows[i - 1] < rows[i]);
    }
    tp_arena_release(&arena);
}

static bool before_by_tens(const void *context, uint32_t x, uint32_t y)
{
    const uint32_t *values = context;
    return values[x] / 10 < values[y] / 10;
}

/* Sorts inputs of different lengths that are already sorted, and inputs with ties. */
static void indexes_are_sorted_by_a_comparison(void **state)
{
    (void)state;
    struct tp_arena arena;
    uint32_t values[500], indexes[500];
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    for (uint32_t count = 0; count <= 500; count += 1 + count / 3) {
        for (uint32_t i = 0; i < count; i++) {
            values[i] = i && random_below(5) ? values[i - 1] + random_below(9) : random_below(100);
            indexes[i] = i;
        }
        tp_sort_by_rule(indexes, count, &arena, values, before_by_tens);
        for (uint32_t i = 1; i < count; i++) {
            assert_false(before_by_tens(values, indexes[i], indexes[i - 1]));
            assert_true(before_by_tens(values, indexes[i - 1], indexes[i]) || indexes[i - 1] < indexes[i]);
        }
    }
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keyed_items_come_in_order_of_key_and_tie),
        cmocka_unit_test(rows_that_compare_equal_keep_their_order),
        cmocka_unit_test(indexes_are_sorted_by_a_comparison),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
