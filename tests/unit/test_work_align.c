/* Tests how two sequences of calls are aligned, and in which blocks they differ. */
#include "webreport/compare/work/work_align.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "one_arena.h"
#include "writer/base/stats.h"

static struct tp_align_sequence make_sequence(const char *letters)
{
    uint32_t count = (uint32_t)strlen(letters);
    uint32_t *items = tp_arena_array(&arena, count + 1, sizeof *items);
    uint32_t *depth = tp_arena_array(&arena, count + 1, sizeof *depth);
    for (uint32_t i = 0; i < count; i++) {
        items[i] = (uint32_t)letters[i];
        depth[i] = letters[i] >= 'a'; /* a capital letter is an operator that calls the operators after it */
    }
    return (struct tp_align_sequence){items, depth, count};
}

static struct tp_vec align_sequences(const char *a, const char *b)
{
    struct tp_vec blocks = TP_VEC(&arena, struct tp_align_block);
    struct tp_align_sequence x = make_sequence(a), y = make_sequence(b);
    tp_align_sequences(&blocks, &x, &y);
    return blocks;
}

static void equal_sequences_have_no_blocks(void **state)
{
    GUARD;
    assert_int_equal(align_sequences("", "").count, 0);
    assert_int_equal(align_sequences("AbcD", "AbcD").count, 0);
}

static void block_begins_with_the_calling_operator(void **state)
{
    GUARD;
    /* both "bcA" and "Abc" would be correct, but the block that starts with the calling operator is better */
    struct tp_vec blocks = align_sequences("AbcD", "AbcAbcD");
    assert_int_equal(blocks.count, 1);
    struct tp_align_block *block = blocks.data;
    assert_int_equal(block->end_in_b - block->b, 3);
    assert_true(block->b == 0 || block->b == 3);
    assert_int_equal(block->a, block->end_in_a);
    blocks = align_sequences("AbcAbcD", "AbcD");
    assert_int_equal(blocks.count, 1);
    block = blocks.data;
    assert_true(block->a == 0 || block->a == 3);
}

/* Replaces the differing blocks of one sequence by those of the other. The result must equal the other sequence. */
static void check_script(const struct tp_align_sequence *a, const struct tp_align_sequence *b, size_t most)
{
    struct tp_vec blocks = TP_VEC(&arena, struct tp_align_block);
    uint32_t i = 0, k = 0;
    size_t edits = 0;
    tp_align_sequences(&blocks, a, b);
    for (size_t at = 0; at <= blocks.count; at++) {
        struct tp_align_block end = {a->count, a->count, b->count, b->count};
        struct tp_align_block *block = at < blocks.count ? TP_AT(&blocks, struct tp_align_block, at) : &end;
        for (; i < block->a; i++, k++)
            assert_true(k < b->count && a->items[i] == b->items[k]);
        assert_int_equal(k, block->b);
        edits += block->end_in_a - block->a + block->end_in_b - block->b;
        i = block->end_in_a;
        k = block->end_in_b;
    }
    assert_true(i == a->count && k == b->count);
    assert_true(edits <= most);
}

static void edit_scripts_are_correct_and_short(void **state)
{
    GUARD;
    struct tp_random random = {7};
    for (int round = 0; round < 300; round++) {
        struct tp_align_sequence a, b;
        uint32_t changes = 0;
        a.count = 40 + (uint32_t)tp_random_below(&random, 2000);
        uint32_t *items = tp_arena_array(&arena, a.count, sizeof *items),
                 *depth = tp_arena_array(&arena, 2 * a.count, 4);
        uint32_t *other = tp_arena_array(&arena, 2 * a.count, sizeof *other);
        b.count = 0;
        for (uint32_t i = 0; i < a.count; i++) {
            uint32_t what = (uint32_t)tp_random_below(&random, round % 3 ? 200 : 4);
            items[i] = (uint32_t)tp_random_below(&random, 20);
            if (what == 0 && ++changes)
                continue; /* skips a call that was removed */
            if (what == 1 && ++changes)
                other[b.count++] = 100;
            other[b.count++] = items[i];
        }
        a.items = items;
        b.items = other;
        a.depth = b.depth = depth;
        check_script(&a, &b, changes < TP_ALIGN_EDITS ? changes : SIZE_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_sequences_have_no_blocks, begin, end),
        cmocka_unit_test_setup_teardown(block_begins_with_the_calling_operator, begin, end),
        cmocka_unit_test_setup_teardown(edit_scripts_are_correct_and_short, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
