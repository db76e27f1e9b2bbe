/* Tests the rules of the CUDA allocator. The sizes were computed by hand from the rules of definitions, section 32. */
#include "webreport/model/allocator/allocator_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define KIB (1ull << 10)
#define MIB (1ull << 20)
#define GIB (1ull << 30)

static void sizes_are_rounded_to_512_bytes(void **state)
{
    (void)state;
    static const struct tp_snapshot_settings settings;
    static const uint64_t sizes[][2] = {{0, 512},    {1, 512},           {512, 512},
                                        {513, 1024}, {1000000, 1000448}, {3 * MIB + 1, 3 * MIB + 512},
                                        {GIB, GIB},  {GIB - 1, GIB}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_int_equal(tp_allocator_round(&settings, sizes[i][0]), sizes[i][1]);
}

static void sizes_are_rounded_to_divisions_of_powers_of_two(void **state)
{
    (void)state;
    struct tp_snapshot_settings settings = {0};
    static const uint64_t sizes[][2] = {{2048, 2048}, {2049, 2560}, {3000, 3072},
                                        {4096, 4096}, {5000, 5120}, {3 * MIB + 1, 3 * MIB + MIB / 2}};
    for (unsigned i = 0; i < 16; i++)
        settings.roundup_divisions[i] = 4;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_int_equal(tp_allocator_round(&settings, sizes[i][0]), sizes[i][1]);
}

static void divisions_belong_to_a_class_of_sizes(void **state)
{
    (void)state;
    struct tp_snapshot_settings settings = {0};
    settings.roundup_divisions[1] = 8;  /* from 2 MiB to 4 MiB */
    settings.roundup_divisions[15] = 2; /* from 32 GiB on */
    assert_int_equal(tp_allocator_round(&settings, 2 * MIB - 1), 2 * MIB);
    assert_int_equal(tp_allocator_round(&settings, 2 * MIB + 1), 2 * MIB + MIB / 4);
    assert_int_equal(tp_allocator_round(&settings, 4 * MIB + 1), 4 * MIB + 512);
    assert_int_equal(tp_allocator_round(&settings, 65 * GIB), 96 * GIB);
}

static void impossible_sizes_do_not_overflow(void **state)
{
    (void)state;
    struct tp_snapshot_settings settings = {0};
    assert_int_equal(tp_allocator_round(&settings, UINT64_MAX), UINT64_MAX - 511);
    assert_int_equal(tp_allocator_segment_bytes(UINT64_MAX), UINT64_MAX - 2 * MIB + 1);
    for (unsigned i = 0; i < 16; i++)
        settings.roundup_divisions[i] = INT64_MAX;
    assert_int_equal(tp_allocator_round(&settings, 1000), 1024);
    settings.roundup_divisions[15] = 3;
    tp_allocator_round(&settings, UINT64_MAX); /* must not be undefined */
}

static void segments_have_few_sizes(void **state)
{
    (void)state;
    static const uint64_t sizes[][2] = {{512, 2 * MIB},        {MIB, 2 * MIB},
                                        {MIB + 512, 20 * MIB}, {10 * MIB - 512, 20 * MIB},
                                        {10 * MIB, 10 * MIB},  {10 * MIB + 512, 12 * MIB}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_int_equal(tp_allocator_segment_bytes(sizes[i][0]), sizes[i][1]);
}

static void large_blocks_keep_up_to_one_mib(void **state)
{
    (void)state;
    struct tp_snapshot_settings settings = {.max_split_bytes = -1};
    const struct tp_allocator_gap small = {.is_small = true}, large = {0}, expandable = {.is_expandable = true};
    assert_false(tp_allocator_splits(&settings, small, 1024, 0));
    assert_true(tp_allocator_splits(&settings, small, 1024, 512));
    assert_true(tp_allocator_splits(&settings, expandable, 30 * MIB, 512));
    assert_false(tp_allocator_splits(&settings, large, 5 * MIB, MIB));
    assert_true(tp_allocator_splits(&settings, large, 5 * MIB, MIB + 512));
    settings.max_split_bytes = 32 * MIB;
    assert_true(tp_allocator_splits(&settings, large, 32 * MIB - 512, 2 * MIB));
    assert_false(tp_allocator_splits(&settings, large, 32 * MIB, 2 * MIB));
    settings.is_expandable = true;
    assert_true(tp_allocator_splits(&settings, large, 32 * MIB, 512));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_rounded_to_512_bytes),
        cmocka_unit_test(sizes_are_rounded_to_divisions_of_powers_of_two),
        cmocka_unit_test(divisions_belong_to_a_class_of_sizes),
        cmocka_unit_test(impossible_sizes_do_not_overflow),
        cmocka_unit_test(segments_have_few_sizes),
        cmocka_unit_test(large_blocks_keep_up_to_one_mib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
