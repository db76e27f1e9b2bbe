/* Tests the exports of memory snapshots: tables of live blocks, the picture of segments, and the rows of the databases.
 * All numbers were counted by hand. */
#include "webreport/measure/snapshot/live_rows.h"

#include "tests/unit/one_arena.h"

#include "tests/unit/made_snapshot.h"
#include "webreport/export/memory_flow/memory_flow.h"
#include "webreport/export/rows/export_rows.h"
#include "webreport/export/rows/snapshot_rows.h"

static const struct tp_snapshot_device *analyse(struct tp_snapshot_result *result, struct made_snapshot *made)
{
    tp_snapshot_analyse(result, &made->snapshot, TP_STR("a.pickle"), &arena);
    assert_int_equal(result->device_count, 1);
    return &result->devices[0];
}

/* Two blocks of one line and a larger one of another line; one more block of the second line is freed. */
static void make_three_blocks(struct made_snapshot *made)
{
    make_snapshot(made);
    uint32_t first = add_frame(made, 0, "/home/a.py", 1, "f"), second = add_frame(made, 0, "/home/b.py", 2, "g");
    struct tp_snapshot_segment *segment = add_segment(made, BASE, 2 * MIB);
    add_block(segment, 1024, TP_BLOCK_ALLOCATED, 1000);
    add_block(segment, 1024, TP_BLOCK_ALLOCATED, 900);
    add_block(segment, 4096, TP_BLOCK_ALLOCATED, 3600);
    add_block(segment, 2 * MIB - 6144, TP_BLOCK_FREE, 0);
    add_event(made, TP_ACTION_SEGMENT_ALLOC, BASE, 2 * MIB);
    add_event(made, TP_ACTION_ALLOC, BASE, 1000)->stack = first;
    add_event(made, TP_ACTION_ALLOC, BASE + 1024, 900)->stack = first;
    add_event(made, TP_ACTION_ALLOC, BASE + 2048, 3600)->stack = second;
    add_event(made, TP_ACTION_ALLOC, BASE + 6144, 512)->stack = second;
    add_free(made, BASE + 6144, 512);
}

static void check_row(const struct tp_table *rows, size_t row, const char *name, int64_t bytes, int64_t blocks)
{
    assert_true(tp_str_equal(tp_table_text(rows, TP_LIVE_COLUMN_NAME)[row], tp_str_of(name)));
    assert_int_equal(tp_table_int(rows, TP_LIVE_COLUMN_BYTES)[row], bytes);
    assert_int_equal(tp_table_int(rows, TP_LIVE_COLUMN_BLOCKS)[row], blocks);
}

static void rows_are_sorted_by_a_column(void **state)
{
    GUARD;
    static struct made_snapshot made;
    struct tp_snapshot_result result;
    struct tp_table rows;
    struct tp_live_rows_options options = {TP_LIVE_LINE, TP_SNAPSHOT_AT_PEAK, TP_LIVE_COLUMN_BYTES};
    make_three_blocks(&made);
    const struct tp_snapshot_device *device = analyse(&result, &made);
    assert_true(tp_live_rows_build(&rows, device, &options, &arena));
    assert_int_equal(rows.row_count, 2);
    check_row(&rows, 0, "b.py(2): g", 4608, 2);
    check_row(&rows, 1, "a.py(1): f", 2048, 2);
    options = (struct tp_live_rows_options){TP_LIVE_LINE, TP_SNAPSHOT_AT_END, TP_LIVE_COLUMN_BLOCKS};
    assert_true(tp_live_rows_build(&rows, device, &options, &arena));
    check_row(&rows, 0, "a.py(1): f", 2048, 2);
    check_row(&rows, 1, "b.py(2): g", 4096, 1);
    options.sort_by = TP_LIVE_COLUMN_REQUESTED;
    assert_true(tp_live_rows_build(&rows, device, &options, &arena));
    check_row(&rows, 0, "b.py(2): g", 4096, 1);
    options.when = TP_SNAPSHOT_AT_OOM;
    assert_false(tp_live_rows_build(&rows, device, &options, &arena));
    assert_string_equal(tp_snapshot_no_live_text(&result, options.when), "no request for memory failed");
}

static void names_of_keys_and_columns_are_found(void **state)
{
    GUARD;
    enum tp_live_key key;
    enum tp_live_rows_column column;
    assert_true(tp_live_rows_key_find(&key, "fx_node"));
    assert_int_equal(key, TP_LIVE_NODE);
    assert_false(tp_live_rows_key_find(&key, "lines"));
    assert_true(tp_live_rows_column_find(&column, "requested_bytes"));
    assert_int_equal(column, TP_LIVE_COLUMN_REQUESTED);
    assert_false(tp_live_rows_column_find(&column, "share_pct"));
}

static void blocks_have_their_lives(void **state)
{
    GUARD;
    static struct made_snapshot made;
    struct tp_snapshot_result result;
    struct tp_rows rows;
    struct tp_rows_cell cells[TP_ROWS_MAX_COLUMNS];
    make_three_blocks(&made);
    analyse(&result, &made);
    tp_snapshot_rows_build(&rows, &result, &arena);
    const struct tp_rows_table *blocks = tp_rows_table(&rows, 0);
    assert_string_equal(blocks->name, "blocks");
    assert_int_equal(blocks->count(&rows), 4);
    blocks->fill(&rows, 3, cells);
    assert_int_equal(cells[3].integer, 512); /* bytes */
    assert_int_equal(cells[5].integer, 4);   /* alloc_index */
    assert_int_equal(cells[6].integer, 5);   /* free_index */
    assert_int_equal(cells[7].integer, 6);   /* complete_index */
    assert_null(cells[18].text.ptr);         /* end_state: the block is gone */
    blocks->fill(&rows, 0, cells);
    assert_int_equal(cells[6].integer, TP_NULL_INT);
    assert_true(tp_str_equal(cells[18].text, TP_STR("allocated")));
    const struct tp_rows_table *stacks = tp_rows_table(&rows, 3);
    assert_string_equal(stacks->name, "stacks");
    assert_int_equal(stacks->count(&rows), 2);
}

/* A mapped range of 60 MiB whose middle is given back leaves two ranges. */
static void part_of_a_range_is_released(void **state)
{
    GUARD;
    static struct made_snapshot made;
    static const struct tp_filter whole = {.options = {.from = "0"}};
    struct tp_snapshot_result result;
    struct tp_memory_flow flow;
    make_snapshot(&made);
    add_segment(&made, BASE, 20 * MIB)->is_expandable = true;
    add_segment(&made, BASE + 40 * MIB, 20 * MIB)->is_expandable = true;
    for (size_t i = 0; i < 2; i++)
        add_block(TP_AT(&made.snapshot.segments, struct tp_snapshot_segment, i), 20 * MIB, TP_BLOCK_FREE, 0);
    add_event(&made, TP_ACTION_SEGMENT_MAP, BASE, 60 * MIB);
    add_event(&made, TP_ACTION_SEGMENT_UNMAP, BASE + 20 * MIB, 20 * MIB);
    const struct tp_snapshot_device *device = analyse(&result, &made);
    assert_int_equal(tp_memory_flow_build_snapshot(&flow, device, &whole, &arena, NULL), TP_OK);
    assert_int_equal(flow.segment_count, 3);
    const struct {
        int64_t start, end;
        uint64_t address, bytes;
    } wanted[] = {{0, 1, BASE, 60 * MIB}, {1, 2, BASE, 20 * MIB}, {1, 2, BASE + 40 * MIB, 20 * MIB}};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(flow.segments[i].start_ns, wanted[i].start);
        assert_int_equal(flow.segments[i].end_ns, wanted[i].end);
        assert_int_equal(flow.segments[i].address, wanted[i].address);
        assert_int_equal(flow.segments[i].bytes, wanted[i].bytes);
    }
    assert_int_equal(flow.range_count, 1);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_sorted_by_a_column, begin, end),
        cmocka_unit_test_setup_teardown(names_of_keys_and_columns_are_found, begin, end),
        cmocka_unit_test_setup_teardown(blocks_have_their_lives, begin, end),
        cmocka_unit_test_setup_teardown(part_of_a_range_is_released, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
