/* Tests the numbering of ids and of keys with several members. */
#include "writer/base/keys.h"
#include "writer/base/renumber.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "writer/base/table.h"

static void equal_keys_share_a_number(void **state)
{
    (void)state;
    struct tp_arena arena;
    struct tp_keys pairs;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    tp_keys_init(&pairs, &arena, 2);
    assert_int_equal(tp_keys_find(&pairs, (uint32_t[]){1, 2}), TP_NO_ID);
    for (uint32_t i = 0; i < 5000; i++)
        assert_int_equal(tp_keys_pair(&pairs, i % 50, i / 50), i);
    for (uint32_t i = 0; i < 5000; i++) {
        assert_int_equal(tp_keys_pair(&pairs, i % 50, i / 50), i);
        assert_int_equal(tp_keys_get(&pairs, i)[1], i / 50);
    }
    assert_int_equal(tp_keys_count(&pairs), 5000);
    assert_int_equal(tp_keys_find(&pairs, (uint32_t[]){50, 0}), TP_NO_ID);
    tp_arena_release(&arena);
}

/* Checks the numbering of ids that are `step` apart. Close ids use a table and others a hash, with the same results. */
static void check_numbers_of_distant_ids(int64_t lowest, int64_t step)
{
    struct tp_arena arena;
    struct tp_ids ids;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    tp_ids_init(&ids, &arena, lowest, lowest + 99 * step, 100);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(tp_ids_add(&ids, lowest + (99 - (int64_t)i) * step), i);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(tp_ids_find(&ids, lowest + (99 - (int64_t)i) * step), i);
    assert_int_equal(ids.count, 100);
    assert_int_equal(tp_ids_find(&ids, lowest - 1), TP_NO_ID);
    assert_int_equal(tp_ids_find(&ids, lowest + 99 * step + 1), TP_NO_ID);
    assert_int_equal(tp_ids_find(&ids, INT64_MAX), TP_NO_ID);
    tp_arena_release(&arena);
}

static void distant_ids_get_the_same_numbers(void **state)
{
    (void)state;
    check_numbers_of_distant_ids(5, 1);
    check_numbers_of_distant_ids(-50, 3);
    check_numbers_of_distant_ids(-(INT64_C(1) << 60), INT64_C(1) << 50);
}

static int64_t id_of_item(const void *context, uint32_t item)
{
    return ((const int64_t *)context)[item];
}

static void id_table_covers_the_ids_of_the_items(void **state)
{
    static const int64_t near[] = {TP_NULL_INT, 70, 66, TP_NULL_INT, 70}, far[] = {INT64_MAX, -INT64_MAX, 0},
                         none[] = {TP_NULL_INT};
    struct tp_arena arena;
    struct tp_ids ids;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    assert_int_equal(tp_ids_init_for_items(&ids, &arena, 5, id_of_item, near), 3);
    assert_int_equal(ids.lowest, 66);
    assert_int_equal(ids.direct_entry_count, 5);
    assert_int_equal(tp_ids_init_for_items(&ids, &arena, 3, id_of_item, far), 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(tp_ids_add(&ids, far[i]), i);
    assert_int_equal(tp_ids_init_for_items(&ids, &arena, 1, id_of_item, none), 0);
    assert_int_equal(tp_ids_find(&ids, 66), TP_NO_ID);
    assert_int_equal(tp_ids_find(&ids, INT64_MAX), TP_NO_ID);
    tp_arena_release(&arena);
}

static void ids_over_the_whole_range_need_no_table(void **state)
{
    (void)state;
    struct tp_arena arena;
    struct tp_ids ids;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    tp_ids_init(&ids, &arena, INT64_MIN, INT64_MAX, 2);
    assert_int_equal(tp_ids_add(&ids, INT64_MIN), 0);
    assert_int_equal(tp_ids_add(&ids, INT64_MAX), 1);
    assert_int_equal(tp_ids_find(&ids, INT64_MIN), 0);
    assert_int_equal(tp_ids_find(&ids, 0), TP_NO_ID);
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_keys_share_a_number),
        cmocka_unit_test(distant_ids_get_the_same_numbers),
        cmocka_unit_test(ids_over_the_whole_range_need_no_table),
        cmocka_unit_test(id_table_covers_the_ids_of_the_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
