/* Tests the segments of the allocator: finding, joining and cutting. */
#include "webreport/model/allocator/segment_set.h"

#include "tests/unit/one_arena.h"

#define MIB (1ull << 20)
#define AT (1ull << 40)

static struct tp_segment_range range(uint64_t address, uint64_t size, bool is_expandable, int64_t stream)
{
    return (struct tp_segment_range){
        .address = address, .size = size, .stream = stream, .is_expandable = is_expandable};
}

/* Checks the segment that contains an address. size: 0 if none does. */
static void check_segment(const struct tp_segment_set *set, uint64_t address, uint64_t start, uint64_t size)
{
    const struct tp_segment_range *found = tp_segment_set_find(set, address);
    assert_int_equal(found ? found->size : 0, size);
    if (found)
        assert_int_equal(found->address, start);
}

static void fixed_segments_are_whole(void **state)
{
    GUARD;
    struct tp_segment_set set;
    tp_segment_set_init(&set, &arena);
    assert_true(tp_segment_set_add(&set, range(AT, 2 * MIB, false, 0)));
    assert_true(tp_segment_set_add(&set, range(AT + 2 * MIB, 20 * MIB, false, 0)));
    assert_false(tp_segment_set_add(&set, range(AT, 2 * MIB, false, 0)));
    check_segment(&set, AT + 2 * MIB - 1, AT, 2 * MIB);
    check_segment(&set, AT + 2 * MIB, AT + 2 * MIB, 20 * MIB);
    check_segment(&set, AT - 1, 0, 0);
    check_segment(&set, AT + 22 * MIB, 0, 0);
    assert_int_equal(set.total_bytes, 22 * MIB);
    assert_false(tp_segment_set_cut(&set, AT, MIB, false));
    assert_false(tp_segment_set_cut(&set, AT + MIB, MIB, false));
    assert_true(tp_segment_set_cut(&set, AT, 2 * MIB, false));
    assert_false(tp_segment_set_cut(&set, AT, 2 * MIB, false));
    assert_int_equal(set.total_bytes, 20 * MIB);
}

static void expandable_segments_of_one_stream_join(void **state)
{
    GUARD;
    struct tp_segment_set set;
    tp_segment_set_init(&set, &arena);
    tp_segment_set_add(&set, range(AT, 20 * MIB, true, 0));
    tp_segment_set_add(&set, range(AT + 40 * MIB, 20 * MIB, true, 0));
    tp_segment_set_add(&set, range(AT + 60 * MIB, 20 * MIB, true, 7));
    check_segment(&set, AT + 20 * MIB, 0, 0);
    tp_segment_set_add(&set, range(AT + 20 * MIB, 20 * MIB, true, 0));
    check_segment(&set, AT + 59 * MIB, AT, 60 * MIB);
    check_segment(&set, AT + 60 * MIB, AT + 60 * MIB, 20 * MIB);
    assert_int_equal(set.starts.count, 2);
    assert_int_equal(set.total_bytes, 80 * MIB);
}

static void a_cut_leaves_the_rest(void **state)
{
    GUARD;
    struct tp_segment_set set, copy;
    tp_segment_set_init(&set, &arena);
    tp_segment_set_init(&copy, &arena);
    tp_segment_set_add(&set, range(AT, 60 * MIB, true, 0));
    assert_false(tp_segment_set_cut(&set, AT + 40 * MIB, 40 * MIB, true));
    assert_true(tp_segment_set_cut(&set, AT + 20 * MIB, 20 * MIB, true));
    check_segment(&set, AT + 20 * MIB, 0, 0);
    check_segment(&set, AT + 40 * MIB, AT + 40 * MIB, 20 * MIB);
    tp_segment_set_copy(&copy, &set);
    assert_true(tp_segment_set_cut(&set, AT, 20 * MIB, true));
    assert_true(tp_segment_set_cut(&set, AT + 40 * MIB, 20 * MIB, true));
    assert_int_equal(set.total_bytes, 0);
    assert_int_equal(set.starts.count, 0);
    assert_int_equal(copy.total_bytes, 40 * MIB);
    check_segment(&copy, AT + 5, AT, 20 * MIB);
}

static void impossible_ranges_are_harmless(void **state)
{
    GUARD;
    struct tp_segment_set set;
    tp_segment_set_init(&set, &arena);
    tp_segment_set_add(&set, range(0, UINT64_MAX, true, 0));
    tp_segment_set_add(&set, range(UINT64_MAX, UINT64_MAX, true, 0));
    tp_segment_set_add(&set, range(1, 1ull << 63, true, 0));
    tp_segment_set_cut(&set, 1ull << 63, 1ull << 63, true);
    tp_segment_set_cut(&set, 0, 0, true);
    tp_segment_set_cut(&set, UINT64_MAX, 1, true);
    assert_true(set.starts.count <= 4);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fixed_segments_are_whole, begin, end),
        cmocka_unit_test_setup_teardown(expandable_segments_of_one_stream_join, begin, end),
        cmocka_unit_test_setup_teardown(a_cut_leaves_the_rest, begin, end),
        cmocka_unit_test_setup_teardown(impossible_ranges_are_harmless, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
