/* Tests the rank of a memory snapshot, which its file name gives, and the rows of several snapshots. */
#include "webreport/measure/snapshot/snapshot_result.h"

#include "tests/unit/one_arena.h"

#include "tests/unit/made_snapshot.h"

static void rank_is_the_number_after_rank_or_the_last_number(void **state)
{
    static const struct {
        const char *file;
        int64_t rank;
    } cases[] = {{"snapshot_oom_rank-3.pickle", 3},
                 {"oom_rank3.pickle", 3},
                 {"rank3_step10.pickle", 3},
                 {"step10_rank_7.pickle.gz", 7},
                 {"rank1_to_rank2.pickle", 2},
                 {"dump_11.pkl", 11},
                 {"a4b5.pickle", 5},
                 {"snapshot.pickle", TP_NULL_INT},
                 {"rank.pickle", TP_NULL_INT},
                 {"", TP_NULL_INT},
                 {"rank0.pickle", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(tp_snapshot_rank_of_file(tp_str_of(cases[i].file)), cases[i].rank);
}

static void each_device_of_each_snapshot_has_a_row(void **state)
{
    static struct made_snapshot made;
    struct tp_snapshot_result results[2];
    size_t count;
    GUARD;
    make_snapshot(&made);
    add_block(add_segment(&made, BASE, 2 * MIB), 1024, TP_BLOCK_ALLOCATED, 1000);
    add_event(&made, TP_ACTION_SEGMENT_ALLOC, BASE, 2 * MIB);
    add_event(&made, TP_ACTION_ALLOC, BASE, 1000);
    tp_snapshot_analyse(&results[0], &made.snapshot, TP_STR("rank5.pickle"), &arena);
    tp_snapshot_analyse(&results[1], &made.snapshot, TP_STR("a.pickle"), &arena);
    const struct tp_snapshot_rank *rows = tp_snapshot_ranks_list(results, 2, &count, &arena);
    assert_int_equal(count, 2);
    assert_int_equal(rows[0].rank, 5);
    assert_int_equal(rows[0].peak_bytes, 1024);
    assert_int_equal(rows[0].reserved_bytes, 2 * MIB);
    assert_null(rows[0].oom_kind);
    assert_int_equal(rows[0].line.len, 0);
    assert_int_equal(rows[1].rank, TP_NULL_INT);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rank_is_the_number_after_rank_or_the_last_number, begin, end),
        cmocka_unit_test_setup_teardown(each_device_of_each_snapshot_has_a_row, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
