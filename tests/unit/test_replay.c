/* Tests the replay of the CUDA allocator's events. All amounts were counted by hand from definitions, section 32. */
#include "webreport/model/allocator/replay_build.h"

#include "tests/unit/one_arena.h"

#include "tests/unit/made_snapshot.h"

static void replay_of(struct tp_replay *replay, struct made_snapshot *made)
{
    tp_replay_build(replay, &arena, &made->snapshot, 0, NULL, NULL);
}

/* Checks the amounts after an event (-1: before the first event). */
static void check_amounts(const struct tp_replay *replay, int index, uint64_t allocated, uint64_t active,
                          uint64_t reserved, uint64_t requested)
{
    const struct tp_allocator_amounts *at = index < 0 ? &replay->start : &replay->curve[index];
    assert_int_equal(at->allocated, allocated);
    assert_int_equal(at->active, active);
    assert_int_equal(at->reserved, reserved);
    assert_int_equal(at->requested, requested);
}

static void a_small_block_is_split_off(void **state)
{
    GUARD;
    static struct made_snapshot made;
    struct tp_replay replay;
    make_snapshot(&made);
    struct tp_snapshot_segment *segment = add_segment(&made, BASE, 2 * MIB);
    add_block(segment, 1024, TP_BLOCK_ALLOCATED, 600);
    add_block(segment, 512, TP_BLOCK_ALLOCATED, 100);
    add_block(segment, 2 * MIB - 1536, TP_BLOCK_FREE, 0);
    add_event(&made, TP_ACTION_SEGMENT_ALLOC, BASE, 2 * MIB);
    add_event(&made, TP_ACTION_ALLOC, BASE, 1000);
    add_event(&made, TP_ACTION_ALLOC, BASE + 1024, 100);
    add_free(&made, BASE, 1000);
    add_event(&made, TP_ACTION_ALLOC, BASE, 600); /* the gap of 1,024 B is too small for a rest */
    replay_of(&replay, &made);
    assert_true(replay.is_exact);
    check_amounts(&replay, -1, 0, 0, 0, 0);
    check_amounts(&replay, 0, 0, 0, 2 * MIB, 0);
    check_amounts(&replay, 2, 1536, 1536, 2 * MIB, 1100);
    check_amounts(&replay, 3, 512, 1536, 2 * MIB, 100);
    check_amounts(&replay, 4, 512, 512, 2 * MIB, 100);
    check_amounts(&replay, 5, 1536, 1536, 2 * MIB, 700);
}

static void a_large_block_keeps_a_small_rest(void **state)
{
    GUARD;
    static struct made_snapshot made;
    struct tp_replay replay;
    make_snapshot(&made);
    struct tp_snapshot_segment *segment = add_segment(&made, BASE, 20 * MIB);
    add_block(segment, 18 * MIB, TP_BLOCK_FREE, 0);
    add_block(segment, 2 * MIB, TP_BLOCK_ALLOCATED, 3 * MIB / 2);
    add_event(&made, TP_ACTION_SEGMENT_ALLOC, BASE, 20 * MIB);
    add_event(&made, TP_ACTION_ALLOC, BASE, 9 * MIB);
    add_event(&made, TP_ACTION_ALLOC, BASE + 9 * MIB, 9 * MIB);
    add_event(&made, TP_ACTION_ALLOC, BASE + 18 * MIB, 3 * MIB / 2);
    add_free(&made, BASE, 9 * MIB);
    add_free(&made, BASE + 9 * MIB, 9 * MIB);
    replay_of(&replay, &made);
    assert_true(replay.is_exact);
    check_amounts(&replay, 3, 20 * MIB, 20 * MIB, 20 * MIB, 39 * MIB / 2);
    check_amounts(&replay, 7, 2 * MIB, 2 * MIB, 20 * MIB, 3 * MIB / 2);
}

static void blocks_that_another_stream_uses_stay_active(void **state)
{
    GUARD;
    static struct made_snapshot made;
    struct tp_replay replay;
    make_snapshot(&made);
    struct tp_snapshot_segment *segment = add_segment(&made, BASE, 2 * MIB);
    add_block(segment, 1024, TP_BLOCK_PENDING, 1000);
    add_block(segment, 2 * MIB - 1024, TP_BLOCK_FREE, 0);
    add_event(&made, TP_ACTION_SEGMENT_ALLOC, BASE, 2 * MIB);
    add_event(&made, TP_ACTION_ALLOC, BASE, 1000);
    add_event(&made, TP_ACTION_FREE_REQUESTED, BASE, 1000);
    replay_of(&replay, &made);
    assert_true(replay.is_exact);
    check_amounts(&replay, 2, 0, 1024, 2 * MIB, 0);
}

static void frees_before_the_recording_give_older_blocks(void **state)
{
    GUARD;
    static struct made_snapshot made;
    struct tp_replay replay;
    make_snapshot(&made);
    struct tp_snapshot_segment *segment = add_segment(&made, BASE, 2 * MIB);
    add_block(segment, 512, TP_BLOCK_ALLOCATED, 512);
    add_block(segment, 512, TP_BLOCK_ALLOCATED, 512);
    add_block(segment, 2 * MIB - 1024, TP_BLOCK_FREE, 0);
    add_free(&made, BASE + 1024, 700);
    replay_of(&replay, &made);
    assert_true(replay.is_exact);
    assert_int_equal(replay.start_count, 3);
    check_amounts(&replay, -1, 2048, 2048, 2 * MIB, 1724);
    check_amounts(&replay, 1, 1024, 1024, 2 * MIB, 1024);
    assert_true(tp_replay_block(&replay, 2)->is_estimated);
    assert_false(tp_replay_block(&replay, 0)->is_estimated);
}

static void unmapped_pages_divide_an_expandable_segment(void **state)
{
    GUARD;
    static struct made_snapshot made;
    struct tp_replay replay;
    struct tp_segment_set before;
    make_snapshot(&made);
    made.snapshot.settings.is_expandable = true;
    for (unsigned i = 0; i < 2; i++) {
        struct tp_snapshot_segment *segment = add_segment(&made, BASE + i * 40 * MIB, 20 * MIB);
        segment->is_expandable = true;
        add_block(segment, 20 * MIB, TP_BLOCK_ALLOCATED, 20 * MIB);
    }
    add_event(&made, TP_ACTION_SEGMENT_MAP, BASE, 60 * MIB);
    for (unsigned i = 0; i < 3; i++)
        add_event(&made, TP_ACTION_ALLOC, BASE + i * 20 * MIB, 20 * MIB);
    add_free(&made, BASE + 20 * MIB, 20 * MIB);
    add_event(&made, TP_ACTION_SEGMENT_UNMAP, BASE + 20 * MIB, 20 * MIB);
    replay_of(&replay, &made);
    assert_true(replay.is_exact);
    check_amounts(&replay, 5, 40 * MIB, 40 * MIB, 60 * MIB, 40 * MIB);
    check_amounts(&replay, 6, 40 * MIB, 40 * MIB, 40 * MIB, 40 * MIB);
    tp_segment_set_init(&before, &arena);
    tp_replay_segments_at(&replay, &before, 5);
    assert_int_equal(before.starts.count, 1);
    tp_replay_segments_at(&replay, &before, 6);
    assert_int_equal(before.starts.count, 2);
}

static void contradictions_are_counted(void **state)
{
    GUARD;
    static struct made_snapshot made;
    struct tp_replay replay;
    make_snapshot(&made);
    add_block(add_segment(&made, BASE, 2 * MIB), 2 * MIB, TP_BLOCK_FREE, 0);
    add_event(&made, TP_ACTION_ALLOC, BASE, 1024);     /* never freed, but free at the end */
    add_event(&made, TP_ACTION_ALLOC, BASE + 8, 1024); /* inside of the block before */
    add_event(&made, TP_ACTION_ALLOC, 5, 1024);        /* outside of all segments */
    add_event(&made, TP_ACTION_SEGMENT_ALLOC, BASE, 2 * MIB);
    add_event(&made, TP_ACTION_SEGMENT_FREE, BASE + 64 * MIB, MIB);
    add_event(&made, TP_ACTION_UNKNOWN, 0, 0);
    replay_of(&replay, &made);
    assert_false(replay.is_exact);
    assert_int_equal(replay.inconsistencies[TP_INCONSISTENT_ALLOC_WITHOUT_END], 3);
    assert_int_equal(replay.inconsistencies[TP_INCONSISTENT_OUTSIDE_SEGMENTS] > 0, true);
    assert_int_equal(replay.wrong_blocks, 3);
}

static void count_event(void *context, struct tp_replay *replay, size_t index)
{
    uint64_t *seen = context;
    assert_int_equal(replay->state.amounts.allocated, 4096 + 8192 * *seen);
    assert_int_equal(index, 2 + 2 * *seen);
    ++*seen;
}

static void failed_requests_see_the_state_before_them(void **state)
{
    GUARD;
    static struct made_snapshot made;
    struct tp_replay replay;
    uint64_t seen = 0;
    make_snapshot(&made);
    struct tp_snapshot_segment *segment = add_segment(&made, BASE, 2 * MIB);
    add_block(segment, 4096, TP_BLOCK_ALLOCATED, 4096);
    add_block(segment, 8192, TP_BLOCK_ALLOCATED, 8192);
    add_block(segment, 2 * MIB - 12288, TP_BLOCK_FREE, 0);
    add_event(&made, TP_ACTION_SEGMENT_ALLOC, BASE, 2 * MIB);
    add_event(&made, TP_ACTION_ALLOC, BASE, 4096);
    add_event(&made, TP_ACTION_OOM, 0, 64 * MIB);
    add_event(&made, TP_ACTION_ALLOC, BASE + 4096, 8192);
    add_event(&made, TP_ACTION_OOM, 0, 64 * MIB);
    tp_replay_build(&replay, &arena, &made.snapshot, 0, count_event, &seen);
    assert_int_equal(seen, 2);
    assert_true(replay.is_exact);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_small_block_is_split_off, begin, end),
        cmocka_unit_test_setup_teardown(a_large_block_keeps_a_small_rest, begin, end),
        cmocka_unit_test_setup_teardown(blocks_that_another_stream_uses_stay_active, begin, end),
        cmocka_unit_test_setup_teardown(frees_before_the_recording_give_older_blocks, begin, end),
        cmocka_unit_test_setup_teardown(unmapped_pages_divide_an_expandable_segment, begin, end),
        cmocka_unit_test_setup_teardown(contradictions_are_counted, begin, end),
        cmocka_unit_test_setup_teardown(failed_requests_see_the_state_before_them, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
