/* Tests the parts of the reader of Perfetto traces: fields of messages, interned texts, clocks, tracks, and the pairing
 * of begins and ends. The expected values are computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "webreport/export/perfetto/packet_writer.h"
#include "webreport/trace/inputs/perfetto/clocks.h"
#include "webreport/trace/inputs/perfetto/slices.h"
#include "webreport/trace/inputs/perfetto/wire.h"
#include "webreport/trace/trace.h"

#define BYTES(literal) ((struct tp_str){(literal), sizeof(literal) - 1})

/* ---- fields ---- */

static void fields_of_each_type_are_read(void **state)
{
    struct tp_wire wire =
        tp_wire_of(BYTES("\x08\x96\x01\x12\x02hi\x19\x01\x00\x00\x00\x00\x00\x00\x00\x25\x02\x00\x00\x00"));
    struct tp_wire_field field;
    (void)state;
    assert_true(tp_wire_next(&wire, &field) && tp_wire_is(&field, 1, TP_WIRE_NUMBER) && field.value == 150);
    assert_true(tp_wire_next(&wire, &field) && tp_wire_is(&field, 2, TP_WIRE_BYTES) && field.bytes.len == 2);
    assert_true(tp_wire_next(&wire, &field) && tp_wire_is(&field, 3, TP_WIRE_FIXED64) && field.value == 1);
    assert_true(tp_wire_next(&wire, &field) && tp_wire_is(&field, 4, TP_WIRE_FIXED32) && field.value == 2);
    assert_false(tp_wire_next(&wire, &field));
    assert_false(wire.is_broken);
}

static void short_fields_at_the_end_of_a_message_are_read(void **state)
{
    static const struct {
        struct tp_str message;
        uint32_t field;
        uint64_t value;
    } good[] = {{BYTES("\x08\x7f"), 1, 127},       {BYTES("\x08\x80\x01"), 1, 128},
                {BYTES("\x08\xff\x7f"), 1, 16383}, {BYTES("\x08\x80\x80\x01"), 1, 16384},
                {BYTES("\x80\x01\x05"), 16, 5},    {BYTES("\xd0\x0f\x80\x01"), 250, 128},
                {BYTES("\x08\x85\x00"), 1, 5}};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct tp_wire wire = tp_wire_of(good[i].message);
        struct tp_wire_field field;
        assert_true(tp_wire_next(&wire, &field) && tp_wire_is(&field, good[i].field, TP_WIRE_NUMBER));
        assert_int_equal(field.value, good[i].value);
        assert_false(tp_wire_next(&wire, &field));
        assert_false(wire.is_broken);
    }
}

static void damaged_fields_break_the_message(void **state)
{
    static const struct tp_str bad[] = {
        BYTES("\x08"),                                             /* no value */
        BYTES("\x08\x80"),                                         /* half a value */
        BYTES("\x80\x01"),                                         /* no value of field 16 */
        BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), /* a number of eleven bytes */
        BYTES("\x12\x05hi"),                                       /* content beyond the end */
        BYTES("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),     /* a length of 2^63 and more */
        BYTES("\x0b\x0c"),                                         /* a group */
        BYTES("\x02\x00"),                                         /* field number 0 */
        BYTES("\x19\x01\x00"),                                     /* five bytes of a fixed number are missing */
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct tp_wire wire = tp_wire_of(bad[i]);
        struct tp_wire_field field;
        while (tp_wire_next(&wire, &field))
            ;
        assert_true(wire.is_broken);
    }
}

static void the_last_of_equal_numbers_counts(void **state)
{
    uint64_t first = 7, second = 7;
    const struct tp_wire_number wanted[] = {{1, &first}, {9, &second}};
    (void)state;
    assert_true(tp_wire_read_numbers(BYTES("\x08\x01\x08\x02"), wanted, 2));
    assert_int_equal(first, 2);
    assert_int_equal(second, 7);
}

/* ---- written fields ---- */

static void sizes_of_nested_messages_are_exact(void **state)
{
    struct tp_buf out;
    (void)state;
    for (size_t size = 120; size < 140; size++) { /* the size needs one byte up to 127, then two bytes */
        struct tp_wire wire;
        struct tp_wire_field field;
        tp_buf_init(&out, 0);
        size_t begin = tp_field_begin(&out, 5);
        for (size_t i = 0; i < size; i++)
            tp_buf_putc(&out, 'x');
        tp_field_end(&out, begin);
        wire = tp_wire_of((struct tp_str){out.data, out.size});
        assert_true(tp_wire_next(&wire, &field) && tp_wire_is(&field, 5, TP_WIRE_BYTES));
        assert_int_equal(field.bytes.len, size);
        assert_false(tp_wire_next(&wire, &field) || wire.is_broken);
        tp_buf_release(&out);
    }
}

/* ---- texts ---- */

static int texts_of_sequences(void *context, struct tp_error *err)
{
    struct tp_interned interned;
    (void)err;
    tp_interned_init(&interned, context);
    struct tp_sequence *one = tp_interned_sequence(&interned, 1);
    tp_interned_set(&interned, one, TP_INTERNED_NAMES, 1, TP_STR("a"));
    tp_interned_set(&interned, one, TP_INTERNED_NAMES, UINT64_MAX, TP_STR("far"));
    tp_interned_set(&interned, one, TP_INTERNED_CATEGORIES, 1, TP_STR("category"));
    struct tp_sequence *other = tp_interned_sequence(&interned, 2);
    assert_int_equal(tp_interned_get(&interned, other, TP_INTERNED_NAMES, 1), TP_NO_ID);
    one = tp_interned_sequence(&interned, 1);
    struct tp_str far = tp_interned_text(&interned, tp_interned_get(&interned, one, TP_INTERNED_NAMES, UINT64_MAX));
    assert_true(tp_str_equal(far, TP_STR("far")));
    assert_int_equal(tp_interned_get(&interned, one, TP_INTERNED_NAMES, 0), TP_NO_ID);
    tp_interned_clear(&interned, one);
    assert_int_equal(tp_interned_get(&interned, one, TP_INTERNED_NAMES, 1), TP_NO_ID);
    assert_int_equal(tp_interned_get(&interned, one, TP_INTERNED_NAMES, UINT64_MAX), TP_NO_ID);
    tp_interned_set(&interned, one, TP_INTERNED_NAMES, 1, TP_STR("b"));
    struct tp_str text = tp_interned_text(&interned, tp_interned_get(&interned, one, TP_INTERNED_NAMES, 1));
    assert_true(tp_str_equal(text, TP_STR("b")));
    return 0;
}

static void texts_belong_to_a_sequence_until_it_is_cleared(void **state)
{
    struct tp_arena arena;
    (void)state;
    tp_arena_init(&arena, 0);
    assert_int_equal(tp_arena_run(&arena, texts_of_sequences, &arena, NULL), 0);
    tp_arena_release(&arena);
}

/* ---- clocks ---- */

/* ClockSnapshot: BOOTTIME is 1000, and clock 64 counts differences in units of 10 ns. */
#define SNAPSHOT "\x0a\x05\x08\x06\x10\xe8\x07\x0a\x08\x08\x40\x10\x00\x18\x01\x20\x0a"

static int clocks_of_a_sequence(void *context, struct tp_error *err)
{
    struct tp_interned interned;
    struct tp_clocks clocks;
    int64_t ns;
    (void)err;
    tp_interned_init(&interned, context);
    tp_clocks_init(&clocks, context);
    struct tp_sequence *sequence = tp_interned_sequence(&interned, 1);
    assert_false(tp_clocks_convert(&clocks, sequence, 64, 1, &ns));
    assert_false(tp_clocks_convert(&clocks, sequence, 1, 1, &ns));
    assert_true(tp_clocks_convert(&clocks, sequence, 6, 5, &ns) && ns == 5);
    assert_true(tp_clocks_read_snapshot(&clocks, sequence, BYTES(SNAPSHOT)));
    assert_int_equal(clocks.first_snapshot_ns, 1000);
    assert_true(tp_clocks_convert(&clocks, sequence, 64, 3, &ns) && ns == 1030);
    assert_true(tp_clocks_convert(&clocks, sequence, 64, 2, &ns) && ns == 1050);
    assert_true(tp_clocks_read_snapshot(&clocks, sequence, BYTES(SNAPSHOT))); /* sets the clock back */
    assert_true(tp_clocks_convert(&clocks, sequence, 64, 1, &ns) && ns == 1010);
    assert_false(tp_clocks_read_snapshot(&clocks, sequence, BYTES("\x0a\x02\x08")));
    return 0;
}

static void clocks_count_from_their_snapshot(void **state)
{
    struct tp_arena arena;
    (void)state;
    tp_arena_init(&arena, 0);
    assert_int_equal(tp_arena_run(&arena, clocks_of_a_sequence, &arena, NULL), 0);
    tp_arena_release(&arena);
}

/* ---- pairing ---- */

/* A begin or an end for a test. */
struct edge {
    int64_t ts_ns;
    unsigned track;
    int event; /* event of a begin; -1 for an end */
};

static const struct edge *tested;
static size_t tested_count;
static struct tp_event paired[8];
static struct tp_slices result;
static bool tested_is_cut;

static int pair_tested_edges(void *context, struct tp_error *err)
{
    struct tp_interned interned;
    (void)err;
    tp_interned_init(&interned, context);
    tp_slices_init(&result, context);
    memset(paired, 0, sizeof paired);
    struct tp_sequence *sequence = tp_interned_sequence(&interned, 1);
    for (size_t i = 0; i < tested_count; i++) {
        struct tp_slice_edge edge = {
            .ts_ns = tested[i].ts_ns, .track = tested[i].track & 7, .event = (uint32_t)tested[i].event};
        if (tested[i].event >= 0)
            tp_slices_begin(&result, sequence, paired, edge);
        else
            tp_slices_end(sequence, edge);
    }
    tp_slices_finish_sequence(&result, sequence, paired, tested_is_cut);
    tp_slices_finish(&result, paired, 8);
    return 0;
}

/* Pairs edges. Returns the durations as digits in a number: the first event is the first digit. */
static int64_t durations(const struct edge *edges, size_t count, size_t events, bool is_cut)
{
    struct tp_arena arena;
    int64_t number = 0;
    tested = edges;
    tested_count = count;
    tested_is_cut = is_cut;
    tp_arena_init(&arena, 0);
    assert_int_equal(tp_arena_run(&arena, pair_tested_edges, &arena, NULL), 0);
    tp_arena_release(&arena);
    for (size_t i = 0; i < events; i++)
        number = number * 10 + paired[i].dur_ns;
    return number;
}

#define DURATIONS(events, ...)                                                                                         \
    durations((const struct edge[]){__VA_ARGS__}, sizeof((const struct edge[]){__VA_ARGS__}) / sizeof(struct edge),    \
              events, false)

static void blocks_are_paired_by_position(void **state)
{
    (void)state;
    /* a [0, 9] with b [2, 5] inside it, and c [9, 10], which touches a */
    assert_int_equal(DURATIONS(3, {0, 1, 0}, {2, 1, 1}, {9, 1, 2}, {9, 1, -1}, {5, 1, -1}, {10, 1, -1}), 931);
    /* two blocks of one sequence */
    assert_int_equal(DURATIONS(2, {0, 1, 0}, {3, 1, -1}, {1, 1, 1}, {2, 1, -1}), 31);
}

static void nested_slices_are_paired_by_time(void **state)
{
    (void)state;
    assert_int_equal(DURATIONS(2, {0, 1, 0}, {2, 1, 1}, {5, 1, -1}, {9, 1, -1}), 93);
    /* tracks have their own stacks */
    assert_int_equal(DURATIONS(2, {0, 1, 0}, {2, 2, 1}, {5, 1, -1}, {9, 2, -1}), 57);
}

static void empty_slices_do_not_close_the_slice_around_them(void **state)
{
    (void)state;
    assert_int_equal(DURATIONS(2, {0, 1, 0}, {4, 1, 1}, {4, 1, -1}, {9, 1, -1}), 90);
    /* an end that comes before the begin of an empty slice */
    assert_int_equal(DURATIONS(1, {4, 1, -1}, {4, 1, 0}), 0);
    assert_int_equal(result.begins_without_end + result.ends_without_begin, 0);
}

static void unpaired_edges_are_counted(void **state)
{
    (void)state;
    assert_int_equal(DURATIONS(2, {0, 1, 0}, {2, 1, 1}, {5, 1, -1}), 3);
    assert_int_equal(result.begins_without_end, 1);
    assert_int_equal(DURATIONS(1, {0, 1, 0}, {3, 1, -1}, {4, 1, -1}), 3);
    assert_int_equal(result.ends_without_begin, 1);
}

static void a_cut_block_keeps_the_ends_that_are_there(void **state)
{
    const struct edge edges[] = {{0, 1, 0}, {2, 1, 1}, {3, 1, 2}, {9, 1, -1}, {5, 1, -1}};
    (void)state;
    assert_int_equal(durations(edges, 5, 3, true), 930);
    assert_int_equal(result.begins_without_end, 1);
}

/* ---- whole traces ---- */

/* A slice "work1" of track 5, from 1000 to 9000 ns. */
#define BEGIN                                                                                                          \
    "\x0a\x19\x40\xe8\x07\x50\x01\x5a\x12\x48\x01\x58\x05\xb2\x01\x03"                                                 \
    "app\xba\x01\x05"                                                                                                  \
    "work1"
#define END "\x0a\x0b\x40\xa8\x46\x50\x01\x5a\x04\x48\x02\x58\x05"

static void expect_slices(struct tp_str bytes, uint32_t slices, bool is_cut)
{
    struct tp_trace trace;
    struct tp_arena arena;
    struct tp_trace_options options = {.single_thread = true};
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard) != 0)
        fail();
    assert_int_equal(tp_trace_read_bytes(&trace, &arena, bytes.ptr, bytes.len, &options, NULL), 0);
    assert_int_equal(trace.reading.read[TP_KIND_ANNOTATION], slices);
    assert_int_equal(trace.reading.is_truncated, is_cut);
    assert_int_equal(trace.reading.has_end, !is_cut);
    assert_int_equal(trace.events[0].dur_ns, 8000);
    tp_arena_release(&arena);
}

static void damage_between_packets_cuts_and_inside_a_packet_drops(void **state)
{
    (void)state;
    expect_slices(BYTES(BEGIN END), 1, false);
    expect_slices(BYTES(BEGIN END "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f" BEGIN END), 1, true);
    expect_slices(BYTES(BEGIN END "\x12\x00" BEGIN END), 1, true);
    expect_slices(BYTES(BEGIN END "\x0a\x40\x40"), 1, true);
    expect_slices(BYTES(BEGIN END "\x0a\x03\x58\xff\xff" BEGIN END), 2, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_each_type_are_read),
        cmocka_unit_test(short_fields_at_the_end_of_a_message_are_read),
        cmocka_unit_test(damaged_fields_break_the_message),
        cmocka_unit_test(the_last_of_equal_numbers_counts),
        cmocka_unit_test(sizes_of_nested_messages_are_exact),
        cmocka_unit_test(texts_belong_to_a_sequence_until_it_is_cleared),
        cmocka_unit_test(clocks_count_from_their_snapshot),
        cmocka_unit_test(blocks_are_paired_by_position),
        cmocka_unit_test(nested_slices_are_paired_by_time),
        cmocka_unit_test(empty_slices_do_not_close_the_slice_around_them),
        cmocka_unit_test(unpaired_edges_are_counted),
        cmocka_unit_test(a_cut_block_keeps_the_ends_that_are_there),
        cmocka_unit_test(damage_between_packets_cuts_and_inside_a_packet_drops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
