/* Tests lists of numbers that are stored in 32 bits, with exceptions for larger numbers. Every number must be read back
 * unchanged. */
#include "writer/base/narrow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void narrow_array_returns_each_number(void **state)
{
    static const int64_t all[] = {
        0, 1,         -1, UINT32_MAX - INT64_C(1), UINT32_MAX, INT64_C(1) << 32, INT64_MAX, INT64_MIN, 4294967294,
        7, INT64_MAX, 12};
    enum { COUNT = sizeof all / sizeof *all };
    struct tp_arena arena;
    struct tp_narrow narrow;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    for (size_t count = 0; count <= COUNT; count++) {
        int64_t *values = tp_arena_array(&arena, count, sizeof *values);
        for (size_t i = 0; i < count; i++)
            values[i] = all[i];
        tp_narrow_init(&narrow, values, count, &arena);
        for (uint32_t i = 0; i < count; i++)
            assert_true(tp_narrow_get(&narrow, i) == all[i]);
    }
    assert_int_equal(narrow.listed_count, 6);
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(narrow_array_returns_each_number)};
    return cmocka_run_group_tests_name("narrow", tests, NULL, NULL);
}
