/* Tests how source lines of two runs are matched. Equal lines are pairs. Moved lines of one function are matched in
 * their order. */
#include "webreport/trace/frame_pairs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void init_arena(struct tp_arena *arena)
{
    tp_arena_init(arena, 0);
    if (setjmp(arena->guard))
        fail(); /* reached if the arena runs out of memory */
}

/* Matches two lists of texts, each ended by NULL. wanted[i]: expected partner of base[i], or "". */
static void assert_pairs(const char *const *base, const char *const *other, const char *const *wanted)
{
    struct tp_arena arena;
    struct tp_strings sides[2];
    init_arena(&arena);
    for (int s = 0; s < 2; s++)
        tp_strings_init(&sides[s], &arena, 0);
    for (size_t i = 0; base[i]; i++)
        tp_strings_add(&sides[0], tp_str_of(base[i]));
    for (size_t i = 0; other[i]; i++)
        tp_strings_add(&sides[1], tp_str_of(other[i]));
    const uint32_t *pairs = tp_frame_pairs(&sides[0], &sides[1], &arena);
    for (uint32_t i = 0; i < sides[0].count; i++) {
        struct tp_str found = tp_strings_get(&sides[1], pairs[i]); /* "" if there is no partner (TP_NO_ID) */
        if (!tp_str_equal(found, tp_str_of(wanted[i])))
            fail_msg("%.*s is %.*s, not %s", (int)sides[0].items[i].len, sides[0].items[i].ptr, (int)found.len,
                     found.ptr, wanted[i]);
        struct tp_str paired = tp_frame_paired_text(pairs, &sides[0], &sides[1], sides[0].items[i]);
        assert_true(tp_str_equal(paired, wanted[i][0] ? found : sides[0].items[i]));
    }
    assert_true(
        tp_str_equal(tp_frame_paired_text(pairs, &sides[0], &sides[1], TP_STR("elsewhere")), TP_STR("elsewhere")));
    tp_arena_release(&arena);
}

static void moved_lines_are_paired(void **state)
{
    (void)state;
    assert_pairs((const char *[]){"a.py(20): f", "a.py(10): f", "a.py(30): g", "b.py(10): f", NULL},
                 (const char *[]){"a.py(12): f", "b.py(10): f", "a.py(33): g", "a.py(23): f", NULL},
                 (const char *[]){"a.py(23): f", "a.py(12): f", "a.py(33): g", "b.py(10): f"});
}

static void equal_lines_pair_only_with_each_other(void **state)
{
    (void)state;
    assert_pairs((const char *[]){"a.py(10): f", "a.py(12): f", "a.py(14): f", NULL},
                 (const char *[]){"a.py(12): f", "a.py(13): f", NULL},
                 (const char *[]){"a.py(13): f", "a.py(12): f", ""});
}

static void lines_of_other_functions_do_not_pair(void **state)
{
    (void)state;
    assert_pairs((const char *[]){"a.py(10): f", "run (1)/a.py(3): f", "aten::mm", "x: a.py(1): b", "", NULL},
                 (const char *[]){"a.py(10): g", "run (2)/a.py(3): f", "aten::add", "x.py(2): a.py: b", NULL},
                 (const char *[]){"", "", "", "", ""});
    assert_pairs((const char *[]){"run [2]: x/a.c(3): f", "aten::mm", "a: b.py(1): c", NULL},
                 (const char *[]){"aten::mm", "run [2]: x/a.c(4): f", "a(1): b.py: c", NULL},
                 (const char *[]){"run [2]: x/a.c(4): f", "aten::mm", ""});
    assert_pairs((const char *[]){NULL}, (const char *[]){"a.py(1): f", NULL}, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moved_lines_are_paired),
        cmocka_unit_test(equal_lines_pair_only_with_each_other),
        cmocka_unit_test(lines_of_other_functions_do_not_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
