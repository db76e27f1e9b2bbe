/* Tests the alignment of two sequences: pairs of equal items, ties, and the limit of edits. */
#include "writer/base/align.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "one_arena.h"
#include "writer/base/stats.h"

enum { MOST = 64 };

static struct tp_align_items make_items(const char *letters)
{
    uint32_t count = (uint32_t)strlen(letters), *items = tp_arena_array(&arena, count + 1, sizeof *items);
    for (uint32_t i = 0; i < count; i++)
        items[i] = (uint32_t)letters[i];
    return (struct tp_align_items){items, count};
}

/* Returns the pairs as text, such as "00 12": item 0 with item 0, and item 1 with item 2; "-" if the limit is
 * exceeded. */
static const char *pairs_of(const char *a, const char *b, uint32_t limit)
{
    struct tp_vec pairs = TP_VEC(&arena, struct tp_align_pair);
    char *text = tp_arena_alloc(&arena, 4 * MOST), *at = text;
    if (!tp_align(&pairs, make_items(a), make_items(b), limit))
        return pairs.count ? "pairs are left" : "-";
    for (size_t i = 0; i < pairs.count; i++) {
        const struct tp_align_pair *pair = TP_AT(&pairs, struct tp_align_pair, i);
        at += sprintf(at, "%s%u%u", i ? " " : "", pair->a, pair->b);
    }
    return text;
}

static void common_items_are_paired(void **state)
{
    GUARD;
    assert_string_equal(pairs_of("", "", 0), "");
    assert_string_equal(pairs_of("abc", "abc", 0), "00 11 22");
    assert_string_equal(pairs_of("abcd", "acd", 1), "00 21 32");
    assert_string_equal(pairs_of("acd", "abcd", 1), "00 12 23");
    assert_string_equal(pairs_of("axc", "ayc", 2), "00 22");
    assert_string_equal(pairs_of("", "ab", 2), "");
}

static void more_edits_than_the_limit_give_no_pairs(void **state)
{
    GUARD;
    assert_string_equal(pairs_of("abcd", "acd", 0), "-");
    assert_string_equal(pairs_of("axc", "ayc", 1), "-");
    assert_string_equal(pairs_of("", "ab", 1), "-");
    assert_string_equal(pairs_of("aab", "baa", 1), "-");
    assert_string_equal(pairs_of("aab", "baa", 2), "01 12");
}

/* Of two equally short paths, the one that skips an item of `b` late is used: the first path to reach the end. */
static void ties_have_one_result(void **state)
{
    GUARD;
    assert_string_equal(pairs_of("ab", "ba", 2), "10");
    assert_string_equal(pairs_of("xaby", "xbay", 2), "00 21 33");
    assert_string_equal(pairs_of("aa", "a", 1), "00");
    assert_string_equal(pairs_of("a", "aa", 1), "00");
}

/* Returns the length of the longest common subsequence, by the table of all prefixes. */
static uint32_t longest_common(const char *a, const char *b)
{
    uint32_t length[MOST + 1][MOST + 1] = {{0}};
    size_t n = strlen(a), m = strlen(b);
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            uint32_t out = length[i - 1][j], in = length[i][j - 1], most = out > in ? out : in;
            length[i][j] = a[i - 1] == b[j - 1] ? length[i - 1][j - 1] + 1 : most;
        }
    return length[n][m];
}

static void drawn_sequences_have_the_longest_common_subsequence(void **state)
{
    GUARD;
    struct tp_random random = {5};
    for (unsigned draw = 0; draw < 500; draw++) {
        char a[MOST / 2 + 1] = "", b[MOST / 2 + 1] = "";
        size_t n = tp_random_below(&random, MOST / 2), m = tp_random_below(&random, MOST / 2);
        for (size_t i = 0; i < n; i++)
            a[i] = (char)('a' + tp_random_below(&random, 4));
        for (size_t i = 0; i < m; i++)
            b[i] = (char)('a' + tp_random_below(&random, 4));
        struct tp_vec pairs = TP_VEC(&arena, struct tp_align_pair);
        uint32_t edits = (uint32_t)(n + m) - 2 * longest_common(a, b);
        assert_true(tp_align(&pairs, make_items(a), make_items(b), edits));
        assert_int_equal(2 * pairs.count, n + m - edits);
        for (size_t i = 0; i < pairs.count; i++) {
            const struct tp_align_pair *pair = TP_AT(&pairs, struct tp_align_pair, i);
            assert_int_equal(a[pair->a], b[pair->b]);
            assert_true(!i || (pair->a > pair[-1].a && pair->b > pair[-1].b));
        }
        assert_false(edits && tp_align(&pairs, make_items(a), make_items(b), edits - 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(common_items_are_paired, begin, end),
        cmocka_unit_test_setup_teardown(more_edits_than_the_limit_give_no_pairs, begin, end),
        cmocka_unit_test_setup_teardown(ties_have_one_result, begin, end),
        cmocka_unit_test_setup_teardown(drawn_sequences_have_the_longest_common_subsequence, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
