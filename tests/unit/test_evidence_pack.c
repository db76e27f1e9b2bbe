/* Tests evidence in `.tps` files: writing and reading, merging, and files of older and newer versions. */
#include "webreport/measure/summary/evidence_pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "one_arena.h"
#include "webreport/measure/summary/summary_file.h"
#include "webreport/measure/summary/summary_format.h"
#include "webreport/trace/input_facts.h"
#include "writer/proto/summary.pb-c.h"

static void assert_equal(const struct tp_input_evidence *a, const struct tp_input_evidence *b)
{
    assert_int_equal(a->is_known, b->is_known);
    assert_int_equal(a->crc, b->crc);
    assert_int_equal(a->eof, b->eof);
    assert_int_equal(a->recorder, b->recorder);
    assert_int_equal(a->clock, b->clock);
    assert_int_equal(a->file_bytes, b->file_bytes);
    assert_int_equal(a->event_count, b->event_count);
    assert_int_equal(a->repaired, b->repaired);
    assert_int_equal(a->present, b->present);
    assert_int_equal(a->requested, b->requested);
    assert_int_equal(a->absent, b->absent);
    assert_int_equal(a->unknown, b->unknown);
    assert_true(tp_str_equal(a->producer, b->producer));
    for (int i = 0; i < TP_LOST_COUNT; i++)
        assert_int_equal(a->lost[i], b->lost[i]);
}

static struct tp_summary make_summary(int64_t rank, struct tp_input_evidence evidence)
{
    return (struct tp_summary){
        .key = {TP_STR("job"), rank, 3, TP_STR("w"), TP_NULL_INT}, .event_count = 1, .evidence = evidence};
}

static struct tp_input_evidence pack_and_unpack_evidence(struct tp_input_evidence evidence)
{
    struct tp_summary_set set;
    struct tp_summary before = make_summary(0, evidence), after;
    tp_summary_set_init(&set, &arena);
    assert_int_equal(tp_summary_set_add(&set, &before, NULL), 0);
    assert_int_equal(tp_summary_unpack(&after, &set.records[0], &arena, NULL), 0);
    return after.evidence;
}

static void packed_evidence_is_unpacked_unchanged(void **state)
{
    struct tp_input_evidence e = {.is_known = true}, after;
    GUARD;
    for (int i = 0; i < 60; i++) {
        e.crc = (enum tp_crc)(i % TP_CRC_COUNT);
        e.eof = (enum tp_eof)(i % TP_EOF_COUNT);
        e.recorder = (enum tp_recorder)(i / 2 % TP_RECORDER_COUNT);
        e.clock = (enum tp_clock)(i / 3 % TP_CLOCK_COUNT);
        e.file_bytes = i % 4 ? i * INT64_C(1000000007) : 0;
        e.event_count = i;
        e.repaired = i % 5;
        e.present = (unsigned)i * 2 & TP_NEED_CATEGORIES;
        e.requested = (unsigned)i & TP_NEED_FRAMES;
        e.absent = (unsigned)i & TP_NEED_DEVICE;
        e.unknown = (unsigned)i * 0x3001u & TP_UNKNOWN_ALL;
        e.producer = i % 3 ? TP_STR("Nsight Systems 2026.2.1") : (struct tp_str){NULL, 0};
        for (int k = 0; k < TP_LOST_COUNT; k++)
            e.lost[k] = (i + k) % 3 ? 0 : INT64_MAX - i;
        after = pack_and_unpack_evidence(e);
        assert_equal(&e, &after);
    }
}

static void unknown_evidence_stays_unknown(void **state)
{
    GUARD;
    struct tp_input_evidence after =
        pack_and_unpack_evidence((struct tp_input_evidence){.is_known = false, .crc = TP_CRC_OK});
    assert_false(after.is_known);
    assert_int_equal(after.crc, TP_CRC_UNKNOWN);
    assert_int_equal(tp_evidence_unmet_needs(&after), 0);
}

static void write_summary_set(struct tp_buf *out, const struct tp_summary *summary)
{
    struct tp_summary_set set;
    tp_buf_init(out, 0);
    tp_summary_set_init(&set, &arena);
    assert_int_equal(tp_summary_set_add(&set, summary, NULL), 0);
    assert_int_equal(tp_summary_set_write(&set, out, NULL), 0);
}

static void merge_keeps_evidence_of_all_inputs(void **state)
{
    struct tp_summary all[] = {
        make_summary(0, (struct tp_input_evidence){.is_known = true, .crc = TP_CRC_BAD, .present = TP_NEED_HOST}),
        make_summary(1,
                     (struct tp_input_evidence){.is_known = true, .eof = TP_EOF_CUT, .lost = {[TP_LOST_DEVICE] = 7}}),
        make_summary(2, (struct tp_input_evidence){.is_known = false})};
    struct tp_summary_set set;
    struct tp_buf file;
    GUARD;
    tp_summary_set_init(&set, &arena);
    for (int i = 2; i >= 0; i--) {
        write_summary_set(&file, &all[i]);
        assert_int_equal(tp_summary_set_read(&set, file.data, file.size, NULL), 0);
        tp_buf_release(&file);
    }
    assert_int_equal(set.count, 3);
    for (int i = 0; i < 3; i++) {
        struct tp_summary after;
        assert_int_equal(tp_summary_unpack(&after, &set.records[i], &arena, NULL), 0);
        assert_equal(&after.evidence, &all[i].evidence);
    }
}

static void set_lists_present_and_missing_ranks(void **state)
{
    struct tp_summary_set set;
    struct tp_summary_ranks ranks;
    GUARD;
    tp_summary_set_init(&set, &arena);
    tp_summary_set_count_ranks(&ranks, &set);
    assert_int_equal(ranks.present, 0);
    for (int64_t rank = 5; rank >= 1; rank -= 2) {
        struct tp_summary summary = make_summary(rank, (struct tp_input_evidence){.is_known = false});
        summary.key.world_size = 8;
        assert_int_equal(tp_summary_set_add(&set, &summary, NULL), 0);
    }
    tp_summary_set_count_ranks(&ranks, &set);
    assert_int_equal(ranks.present, 3);
    assert_int_equal(ranks.expected, 8);
    assert_string_equal(tp_rank_set_text(&arena, &ranks.missing, 0), "0,2,4,6-7");
    struct tp_summary other = make_summary(TP_NULL_INT, (struct tp_input_evidence){.is_known = false});
    assert_int_equal(tp_summary_set_add(&set, &other, NULL), 0);
    tp_summary_set_count_ranks(&ranks, &set);
    assert_int_equal(ranks.present, 0); /* a file without a rank adds no rank */
}

/* Reads evidence as another version could have written it: a member `name` with a text or a number. Returns whether the
 * reader accepted it. */
static bool read_other_version(struct tp_input_evidence *evidence, const char *name, const char *word, int64_t number)
{
    struct tp_str texts[] = {tp_str_of(name), tp_str_of(word)};
    ProtobufCBinaryData packed[2] = {{0}};
    uint32_t names[] = {1}, words[] = {*word ? 2 : 0};
    Tp__SummaryProcess from = TP__SUMMARY_PROCESS__INIT;
    struct tp_column_reader reader = {
        .from = &from, .arena = &arena, .scratch = &arena, .texts = texts, .text_count = 2};
    from.n_text = 2;
    from.text = packed;
    from.n_evidence_name = from.n_evidence_word = from.n_evidence_number = 1;
    from.evidence_name = names;
    from.evidence_word = words;
    from.evidence_number = &number;
    tp_evidence_unpack(&reader, evidence);
    return !reader.is_bad;
}

static void other_versions_are_read_or_refused(void **state)
{
    struct tp_input_evidence e;
    GUARD;
    assert_true(read_other_version(&e, "crc", "ok", 0));
    assert_int_equal(e.crc, TP_CRC_OK);
    assert_true(read_other_version(&e, "crc", "half", 0));
    assert_true(e.is_known && e.crc == TP_CRC_UNKNOWN);
    assert_true(read_other_version(&e, "weather", "", 5));
    assert_int_equal(tp_evidence_unmet_needs(&e), 0);
    assert_true(read_other_version(&e, "lost.new_kind_of_loss", "", 5));
    assert_int_equal(tp_evidence_unmet_needs(&e), TP_NEED_ALL);
    assert_false(read_other_version(&e, "lost.frames", "", -1)); /* a negative count is refused */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(packed_evidence_is_unpacked_unchanged, begin, end),
        cmocka_unit_test_setup_teardown(unknown_evidence_stays_unknown, begin, end),
        cmocka_unit_test_setup_teardown(merge_keeps_evidence_of_all_inputs, begin, end),
        cmocka_unit_test_setup_teardown(set_lists_present_and_missing_ranks, begin, end),
        cmocka_unit_test_setup_teardown(other_versions_are_read_or_refused, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
