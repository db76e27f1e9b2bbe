/* Tests the search for the longest run of equal pairs. */
#include "webreport/measure/snapshot/pair_run.h"

#include "tests/unit/one_arena.h"

enum { MOST = 4096 };
static struct tp_pair sides[2][MOST];
static size_t counts[2];

static void add(unsigned side, uint64_t key, int64_t time_ns)
{
    sides[side][counts[side]++] = (struct tp_pair){key, time_ns};
}

static struct tp_pair_run find(void)
{
    const struct tp_pair *const pairs[] = {sides[0], sides[1]};
    struct tp_pair_run run;
    tp_pair_run_find(&run, pairs, counts, &arena);
    return run;
}

static void finds_the_only_long_run(void **state)
{
    GUARD;
    counts[0] = counts[1] = 0;
    for (unsigned i = 0; i < 300; i++)
        add(0, i * 7, i);
    for (unsigned i = 0; i < 50; i++)
        add(1, 100000 + i, i);
    for (unsigned i = 20; i < 200; i++)
        add(1, i * 7, i);
    add(1, 5, 1);
    for (unsigned i = 200; i < 290; i++) /* a shorter run */
        add(1, i * 7, i);
    struct tp_pair_run run = find();
    assert_int_equal(run.count, 180);
    assert_int_equal(run.first[0], 20);
    assert_int_equal(run.first[1], 50);
}

static void equal_steps_are_chosen_by_time(void **state)
{
    GUARD;
    counts[0] = counts[1] = 0;
    for (unsigned step = 0; step < 10; step++)
        for (unsigned i = 0; i < 20; i++)
            add(0, i, step * 1000 + i);
    for (unsigned step = 4; step < 7; step++)
        for (unsigned i = 0; i < 20; i++)
            add(1, i, step * 1000 + i + 333);
    struct tp_pair_run run = find();
    assert_int_equal(run.count, 60);
    assert_int_equal(run.first[0], 80);
    assert_int_equal(run.first[1], 0);
}

static void nothing_in_common_and_empty_sides(void **state)
{
    GUARD;
    counts[0] = counts[1] = 0;
    assert_int_equal(find().count, 0);
    for (unsigned i = 0; i < 10; i++)
        add(0, i, i);
    assert_int_equal(find().count, 0);
    add(1, 10, 0);
    assert_int_equal(find().count, 0);
    add(1, 0, 0);
    assert_int_equal(find().count, 1);
}

static void equals_a_search_of_all_pairs(void **state)
{
    static uint64_t seed = 12345;
    GUARD;
    for (unsigned round = 0; round < 200; round++) {
        size_t longest = 0;
        counts[0] = counts[1] = 0;
        for (unsigned i = 0; i < 60; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            add(i % 2, (seed >> 40) % (2 + round % 5), i);
        }
        for (size_t a = 0; a < counts[0]; a++)
            for (size_t b = 0; b < counts[1]; b++) {
                size_t n = 0;
                while (a + n < counts[0] && b + n < counts[1] && sides[0][a + n].key == sides[1][b + n].key)
                    n++;
                longest = n > longest ? n : longest;
            }
        struct tp_pair_run run = find();
        assert_int_equal(run.count, longest);
        for (size_t i = 0; i < run.count; i++)
            assert_int_equal(sides[0][run.first[0] + i].key, sides[1][run.first[1] + i].key);
    }
}

static void constant_keys_need_few_steps(void **state)
{
    GUARD;
    counts[0] = counts[1] = 0;
    for (unsigned i = 0; i < MOST; i++) {
        add(0, 1, i);
        add(1, 1, i + 5);
    }
    assert_int_equal(find().count, MOST);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(finds_the_only_long_run, begin, end),
        cmocka_unit_test_setup_teardown(equal_steps_are_chosen_by_time, begin, end),
        cmocka_unit_test_setup_teardown(nothing_in_common_and_empty_sides, begin, end),
        cmocka_unit_test_setup_teardown(equals_a_search_of_all_pairs, begin, end),
        cmocka_unit_test_setup_teardown(constant_keys_need_few_steps, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
