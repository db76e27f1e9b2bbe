/* Tests the measures of free memory. All amounts were counted by hand from definitions, section 32. */
#include "webreport/measure/snapshot/layout.h"

#include "tests/unit/one_arena.h"

#include "tests/unit/made_snapshot.h"

enum { MOST = 16 };

static struct tp_segment_set segments;
static struct tp_allocator_block blocks[MOST];
static const struct tp_allocator_block *sorted[MOST];
static size_t block_count;
static struct tp_layout layout;
static struct tp_code_stacks stacks;
static struct made_snapshot made;

static int begin_layout(void **state)
{
    begin(state);
    if (setjmp(arena.guard))
        return -1;
    tp_segment_set_init(&segments, &arena);
    block_count = 0;
    make_snapshot(&made);
    tp_code_stacks_build(&stacks, &made.snapshot, &arena);
    return 0;
}

static void segment(uint64_t address, uint64_t size, struct tp_segment_range kind)
{
    kind.address = address;
    kind.size = size;
    tp_segment_set_add(&segments, kind);
}

/* Adds a live block. Blocks must be added by address. */
static void live(uint64_t address, uint64_t size)
{
    blocks[block_count] = (struct tp_allocator_block){.address = address, .size = size};
    sorted[block_count] = &blocks[block_count];
    block_count++;
}

static void build(void)
{
    tp_layout_build(&layout, &arena, &segments, sorted, block_count);
}

static void free_ranges_are_counted_by_kind(void **state)
{
    GUARD;
    struct tp_fragmentation f;
    segment(BASE, 20 * MIB, (struct tp_segment_range){0}); /* 5 free, 2 live, 13 free */
    live(BASE + 5 * MIB, 2 * MIB);
    segment(BASE + 32 * MIB, 20 * MIB, (struct tp_segment_range){0});                      /* free */
    segment(BASE + 64 * MIB, 30 * MIB, (struct tp_segment_range){.pool = 1});              /* free, in a private pool */
    segment(BASE + 128 * MIB, 60 * MIB, (struct tp_segment_range){.is_expandable = true}); /* 15 live, 45 free */
    live(BASE + 128 * MIB, 15 * MIB);
    build();
    tp_layout_fragmentation(&layout, &f);
    assert_int_equal(f.reserved_bytes, 130 * MIB);
    assert_int_equal(f.segments, 4);
    assert_int_equal(f.active_bytes, 17 * MIB);
    assert_int_equal(f.inactive_bytes, 113 * MIB);
    assert_int_equal(f.inactive_split_bytes, 18 * MIB);
    assert_int_equal(f.inactive_split_blocks, 2);
    assert_int_equal(f.releasable_bytes, 20 * MIB + 40 * MIB);
    assert_int_equal(f.largest_free_bytes, 45 * MIB);
    assert_int_equal(f.free_blocks, 5);
    assert_int_equal(f.private_pool_reserved_bytes, 30 * MIB);
    assert_int_equal(f.private_pool_inactive_bytes, 30 * MIB);
}

static void free_memory_is_useless_for_one_reason(void **state)
{
    GUARD;
    struct tp_free_by_use use;
    segment(BASE, 40 * MIB, (struct tp_segment_range){.stream = 7});
    segment(BASE + 64 * MIB, 40 * MIB, (struct tp_segment_range){.pool = 1});
    segment(BASE + 128 * MIB, 2 * MIB, (struct tp_segment_range){.is_small = true});
    segment(BASE + 256 * MIB, 20 * MIB, (struct tp_segment_range){0});
    segment(BASE + 512 * MIB, 34 * MIB, (struct tp_segment_range){0});
    build();
    tp_layout_free_by_use(&layout, &(struct tp_memory_request){.block_bytes = 30 * MIB}, &use);
    assert_int_equal(use.other_pool_bytes, 42 * MIB);
    assert_int_equal(use.other_stream_bytes, 40 * MIB);
    assert_int_equal(use.too_small_bytes, 20 * MIB);
    assert_int_equal(use.usable_bytes, 34 * MIB);
    assert_int_equal(use.unusable_bytes, 102 * MIB);
}

static void few_live_bytes_pin_a_segment(void **state)
{
    GUARD;
    struct tp_pinned pinned;
    segment(BASE, 20 * MIB, (struct tp_segment_range){0});
    live(BASE, MIB);
    live(BASE + 10 * MIB, MIB);
    segment(BASE + 32 * MIB, 20 * MIB, (struct tp_segment_range){0}); /* more than a tenth is live */
    live(BASE + 32 * MIB, 2 * MIB + 512);
    segment(BASE + 64 * MIB, 20 * MIB, (struct tp_segment_range){0}); /* free */
    segment(BASE + 96 * MIB, 20 * MIB, (struct tp_segment_range){.is_expandable = true});
    live(BASE + 96 * MIB, MIB);
    build();
    tp_layout_pinned(&layout, &stacks, &arena, &pinned);
    assert_int_equal(pinned.segments, 1);
    assert_int_equal(pinned.free_bytes, 18 * MIB);
    assert_int_equal(pinned.live_bytes, 2 * MIB);
    assert_int_equal(pinned.rows[0].address, BASE);
    assert_int_equal(pinned.rows[0].blocks, 2);
}

static void the_window_with_the_fewest_live_bytes_is_found(void **state)
{
    GUARD;
    struct tp_to_go to_go;
    segment(BASE, 20 * MIB, (struct tp_segment_range){0}); /* 9 free, 2 live, 9 free */
    live(BASE + 9 * MIB, 2 * MIB);
    segment(BASE + 32 * MIB, 20 * MIB, (struct tp_segment_range){0});
    live(BASE + 32 * MIB, 20 * MIB);
    build();
    tp_layout_to_go(&layout, &stacks, &(struct tp_memory_request){.block_bytes = 12 * MIB, .segment_bytes = 12 * MIB},
                    &arena, &to_go);
    assert_true(to_go.has_window && to_go.has_segments);
    assert_int_equal(to_go.window.segment, BASE);
    assert_int_equal(to_go.window.live_bytes, 2 * MIB);
    assert_int_equal(to_go.window.blocks, 1);
    assert_int_equal(to_go.whole.segments, 1);
    assert_int_equal(to_go.whole.live_bytes, 2 * MIB);
    assert_int_equal(to_go.whole.freed_bytes, 20 * MIB);
}

static void a_request_that_is_too_large_has_no_way(void **state)
{
    GUARD;
    struct tp_to_go to_go;
    segment(BASE, 20 * MIB, (struct tp_segment_range){0});
    live(BASE, 10 * MIB);
    build();
    tp_layout_to_go(
        &layout, &stacks,
        &(struct tp_memory_request){.block_bytes = 64 * MIB, .segment_bytes = 64 * MIB, .device_free_bytes = 8 * MIB},
        &arena, &to_go);
    assert_false(to_go.has_window);
    assert_false(to_go.has_segments);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(free_ranges_are_counted_by_kind, begin_layout, end),
        cmocka_unit_test_setup_teardown(free_memory_is_useless_for_one_reason, begin_layout, end),
        cmocka_unit_test_setup_teardown(few_live_bytes_pin_a_segment, begin_layout, end),
        cmocka_unit_test_setup_teardown(the_window_with_the_fewest_live_bytes_is_found, begin_layout, end),
        cmocka_unit_test_setup_teardown(a_request_that_is_too_large_has_no_way, begin_layout, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
