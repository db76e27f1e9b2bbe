/* Tests memory flow: blocks from records, addresses without gaps, small blocks merged into cells. Expected values are
 * counted by hand. */
#include "webreport/export/memory_flow/memory_flow.h"
#include "webreport/model/build.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/made_trace.h"

#define MEMORY(ts, address, bytes, more)                                                                               \
    "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":" ts ",\"args\":{\"Addr\":" address                \
    ",\"Bytes\":" bytes ",\"Device Type\":1,\"Device Id\":0" more "}}"
#define OPERATOR(name, ts, dur)                                                                                        \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" ts ",\"dur\":" dur "}"

struct scene {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_memory_records records;
    struct tp_memory_flow flow;
};

static void build_memory_flow(struct scene *s, const char *events)
{
    make_model(&s->arena, &s->trace, &s->order, &s->model, "", events);
    tp_memory_records_build(&s->records, &s->model, &s->arena);
    tp_memory_flow_build(&s->flow, &s->records, 0, &s->arena);
}

#define PLACELESS(ts, bytes, more)                                                                                     \
    "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":" ts ",\"args\":{\"Bytes\":" bytes                 \
    ",\"Device Type\":1,\"Device Id\":0" more "}}"

static void assert_total(const struct scene *s, uint32_t i, int64_t at_ns, int64_t bytes)
{
    assert_true(i < s->flow.total_count);
    assert_int_equal(s->flow.totals[i].at_ns, at_ns);
    assert_int_equal(s->flow.totals[i].bytes, bytes);
}

static void assert_picture_contains(struct scene *s, const char *text)
{
    struct tp_flow_colours colours;
    struct tp_buf out;
    tp_buf_init(&out, 0);
    tp_flow_colours_build(&colours, &s->flow, TP_EXPORT_BY_LIFETIME, &s->arena);
    tp_memory_flow_write_svg(&out, &s->flow, &colours, TP_STR("w"), &s->arena);
    tp_buf_putc(&out, '\0');
    assert_int_equal(out.failed, 0);
    assert_non_null(strstr(out.data, text));
    tp_buf_release(&out);
}

/* Tests traces of torch up to 1.9, which have no addresses. They have a curve of the total, but no blocks. */
static void records_without_addresses_give_only_a_curve(void **state)
{
    static struct scene s;
    (void)state;
    build_memory_flow(&s, OPERATOR("aten::empty", "0", "10") "," PLACELESS("1", "100", "") "," PLACELESS(
                              "3", "50", "") "," PLACELESS("5", "-120", "") "," PLACELESS("6", "-40", ""));
    assert_int_equal(s.flow.count, 0);
    assert_int_equal(s.flow.total_count, 4);
    assert_int_equal(s.flow.bytes_before, 0);
    assert_total(&s, 0, 1000, 100);
    assert_total(&s, 1, 3000, 150);
    assert_total(&s, 3, 6000, -10); /* this block was allocated before the recording */
    assert_int_equal(s.flow.peak_bytes, 150);
    assert_picture_contains(
        &s, "4 records without an address: no block has a place. Over time: what was allocated less what was");
    assert_picture_contains(&s, "id=\"curve\"");
    assert_picture_contains(&s, "(sum of the records since the start)");
    tp_arena_release(&s.arena);
    build_memory_flow(
        &s, OPERATOR("aten::empty", "0", "10") "," PLACELESS("2", "100", ",\"Total Allocated\":700") "," PLACELESS(
                "3", "-50", ",\"Total Allocated\":650"));
    assert_int_equal(s.flow.bytes_before, 600);
    assert_total(&s, 1, 3000, 650);
    assert_int_equal(s.flow.peak_bytes, 700);
    assert_picture_contains(&s, "the total that the allocator reported");
    tp_arena_release(&s.arena);
    build_memory_flow(&s, OPERATOR("aten::empty", "0", "10") "," PLACELESS("2", "0", "")); /* this record has 0 bytes */
    assert_picture_contains(&s, "0 blocks");
    tp_arena_release(&s.arena);
}

static void assert_block(const struct scene *s, uint32_t i, int64_t start_ns, int64_t end_ns, uint32_t flags)
{
    assert_true(i < s->flow.count);
    assert_int_equal(s->flow.blocks[i].start_ns, start_ns);
    assert_int_equal(s->flow.blocks[i].end_ns, end_ns);
    assert_int_equal(s->flow.blocks[i].flags, flags);
}

static void blocks_end_at_their_release(void **state)
{
    static struct scene s;
    (void)state;
    build_memory_flow(
        &s,
        OPERATOR("aten::empty", "0", "10") "," MEMORY("1", "4096", "100", "") "," MEMORY(
            "2", "8192", "50",
            "") "," MEMORY("3", "4096", "-100",
                           "") "," MEMORY("4", "700", "-7",
                                          "") "," MEMORY("5", "8192", "60",
                                                         "") "," MEMORY("6", "0", "0",
                                                                        "") ",{\"ph\":\"i\",\"name\":\"[memory]\","
                                                                            "\"pid\":1,\"tid\":1,\"ts\":7,\"args\":{"
                                                                            "\"Bytes\":9,\"Device Type\":1,\"Device "
                                                                            "Id\":0}}");
    assert_int_equal(s.flow.count, 4);
    assert_block(&s, 0, 1000, 3000, 0);
    /* the release is missing, so the block ends when its address is reused */
    assert_block(&s, 1, 2000, 5000, TP_FLOW_REUSED);
    /* allocated before the recording, so the block begins at the start of the trace */
    assert_block(&s, 2, 0, 4000, TP_FLOW_FROM_BEFORE);
    assert_block(&s, 3, 5000, 10000, TP_FLOW_NEVER_FREED); /* never freed, so the block ends at the end of the trace */
    assert_int_equal(s.flow.without_address, 1);
    assert_int_equal(s.flow.never_freed_count, 1);
    assert_int_equal(s.flow.peak_bytes, 150);
    assert_int_equal(s.flow.peak_at_ns, 2000);
    assert_false(s.flow.is_peak_reported);
    assert_true(tp_str_equal(tp_flow_operator(&s.flow, &s.flow.blocks[0]), TP_STR("aten::empty")));
    assert_int_equal(tp_flow_operator(&s.flow, &s.flow.blocks[2]).len, 0);
    tp_arena_release(&s.arena);
}

static void peak_equals_the_allocators_peak(void **state)
{
    static struct scene s;
    (void)state;
    build_memory_flow(&s, MEMORY("1", "4096", "100", ",\"Total Allocated\":5000") "," MEMORY(
                              "2", "8192", "100", ",\"Total Allocated\":5100") "," MEMORY("3", "8192", "-100",
                                                                                          ",\"Total Allocated\":5000"));
    assert_true(s.flow.is_peak_reported);
    assert_int_equal(s.flow.peak_bytes, 5100);
    assert_int_equal(s.flow.peak_at_ns, 2000);
    tp_arena_release(&s.arena);
}

static void gaps_between_addresses_are_compressed(void **state)
{
    static struct scene s;
    (void)state;
    build_memory_flow(&s, MEMORY("1", "1000", "600", "") "," MEMORY("2", "1500", "500", "") "," MEMORY(
                              "3", "1000000000000", "1000", "") "," MEMORY("4", "2004", "10", ""));
    assert_int_equal(s.flow.range_count, 3); /* three ranges of addresses: 1000 to 2000, 2004 to 2014, and from 1e12
                                              * on */
    assert_true(s.flow.height > 2010 && s.flow.height < 2050);
    assert_true(tp_memory_flow_position(&s.flow, 2004) == 1004); /* a small gap keeps its size */
    /* a large gap shrinks to 1 % of 2010 bytes */
    assert_true(tp_memory_flow_position(&s.flow, 1000000000000) < 1014 + 21);
    assert_int_equal(tp_memory_flow_address(&s.flow, 0), 1000);
    assert_int_equal(tp_memory_flow_address(&s.flow, tp_memory_flow_position(&s.flow, 1000000000500)), 1000000000500);
    assert_int_equal(tp_memory_flow_address(&s.flow, s.flow.height), 1000000001000);
    tp_arena_release(&s.arena);
}

static void absurd_addresses_stay_inside_the_picture(void **state)
{
    static struct scene s;
    struct tp_flow_colours colours;
    struct tp_buf svg;
    (void)state;
    build_memory_flow(&s, MEMORY("1", "9223372036854775807", "9223372036854775807", "") "," MEMORY(
                              "2", "-9223372036854775807", "5", "") "," MEMORY("3", "0", "-9223372036854775807", ""));
    tp_buf_init(&svg, 0);
    for (int kind = 0; kind < 3; kind++) {
        tp_flow_colours_build(&colours, &s.flow, (enum tp_export_colour)kind, &s.arena);
        tp_memory_flow_write_svg(&svg, &s.flow, &colours, TP_STR("t"), &s.arena);
    }
    assert_int_equal(svg.failed, 0);
    assert_null(strstr(svg.data, "nan"));
    assert_null(strstr(svg.data, "inf"));
    assert_null(strstr(svg.data, "=\"-"));
    tp_buf_release(&svg);
    tp_arena_release(&s.arena);
}

static void small_blocks_become_cells(void **state)
{
    struct tp_arena arena;
    struct tp_flow_raster raster = {.columns = 4, .rows = 2, .pixels = 2};
    const struct tp_flow_box boxes[] = {{.x = 0, .y = 0, .width = 4, .height = 1, .colour = 1},
                                        {.x = 0, .y = 1, .width = 2, .height = 0.5, .colour = 0},
                                        {.x = 7.9, .y = 3.9, .width = 0, .height = 0, .colour = 0}};
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    tp_flow_raster_paint(&raster, boxes, 3, 2, &arena);
    assert_int_equal(raster.cells[0].colour, 1);
    assert_int_equal(raster.cells[0].level, 3); /* one block covers half of the cell, another one a quarter of it */
    assert_int_equal(raster.cells[1].level, 2); /* one block covers half of the cell */
    assert_int_equal(raster.cells[2].level, 0);
    assert_int_equal(raster.cells[4].level, 0);
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_without_addresses_give_only_a_curve),
        cmocka_unit_test(blocks_end_at_their_release),
        cmocka_unit_test(peak_equals_the_allocators_peak),
        cmocka_unit_test(gaps_between_addresses_are_compressed),
        cmocka_unit_test(absurd_addresses_stay_inside_the_picture),
        cmocka_unit_test(small_blocks_become_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
