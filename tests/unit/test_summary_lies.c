/* Tests summary files with a valid structure but false content. Each file must give an error, and must not cost more
 * memory than its length. */
#include "webreport/measure/summary/summary_file.h"

#include <math.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "webreport/measure/summary/summary_format.h"
#include "writer/proto/summary.pb-c.h"

static struct tp_arena arena;

static int enter_folder(void **state)
{
    (void)state;
    tp_arena_init(&arena, 0);
    return 0;
}

static int leave_folder(void **state)
{
    (void)state;
    tp_arena_release(&arena);
    return 0;
}

/* Reads a process whose columns the function `lie` has changed. The checksums of the file are valid. */
static int read_false_process(void (*lie)(Tp__SummaryProcess *p))
{
    uint32_t names[] = {1, 1}, kinds[] = {0, 1}, none[] = {0, 0}, severity = 1, buckets = 2, bucket[] = {9, 8};
    int64_t ints[] = {5, 5};
    uint64_t counts[] = {2, 1}, least[] = {2, 7}, span[] = {2, 0}, excess[] = {2, 0}, bucket_counts[] = {1, 1};
    float deviation = 1;
    protobuf_c_boolean has_steps[] = {1, 0};
    double real = 1;
    ProtobufCBinaryData text = {1, (uint8_t[]){'a'}};
    Tp__SummaryProcess p = TP__SUMMARY_PROCESS__INIT;
    struct tp_summary after = {.program = TP_STR("")};
    struct tp_arena scratch;
    p.n_text = 1, p.text = &text;
    p.n_step_name = 1, p.step_name = names, p.n_step_start_ns = 1, p.step_start_ns = ints;
    p.n_step_total_ns = 1, p.step_total_ns = ints;
    p.n_row_kind = p.n_row_name = p.n_row_owner = p.n_row_shape = p.n_row_dtype = p.n_row_bytes = p.n_row_count = 2;
    p.n_row_min_ns = p.n_row_span_ns = p.n_row_excess_ns = p.n_row_has_steps = 2;
    p.row_kind = kinds, p.row_name = names, p.row_owner = none, p.row_shape = none, p.row_dtype = none;
    p.row_bytes = ints, p.row_count = counts, p.row_min_ns = least, p.row_span_ns = span, p.row_excess_ns = excess;
    p.row_has_steps = has_steps;
    p.n_row_deviation = p.n_row_buckets = 1, p.row_deviation = &deviation, p.row_buckets = &buckets;
    p.n_bucket = p.n_bucket_count = 2, p.bucket = bucket, p.bucket_count = bucket_counts;
    p.n_by_step_ns = p.n_by_step_count = 1, p.by_step_ns = ints, p.by_step_count = counts;
    p.n_finding_rule = p.n_finding_title = p.n_finding_severity = p.n_finding_confidence = 1;
    p.n_finding_ceiling_us = p.n_finding_occurrences = p.n_finding_line = p.n_finding_detail = 1;
    p.finding_rule = p.finding_title = p.finding_line = p.finding_detail = names;
    p.finding_severity = &severity, p.finding_confidence = &severity, p.finding_ceiling_us = &real;
    p.finding_occurrences = ints;
    if (lie)
        lie(&p);
    size_t size = tp__summary_process__get_packed_size(&p);
    uint8_t *bytes = tp_arena_alloc(&arena, size);
    tp__summary_process__pack(&p, bytes);
    tp_arena_init(&scratch, 0);
    if (setjmp(scratch.guard))
        fail();
    int code = tp_summary_process_read(&after, (struct tp_str){(const char *)bytes, size}, &arena, &scratch, NULL);
    tp_arena_release(&scratch);
    return code;
}

#define LIE(name, statement)                                                                                           \
    static void name(Tp__SummaryProcess *p)                                                                            \
    {                                                                                                                  \
        statement;                                                                                                     \
    }
LIE(text_number_beyond_texts, p->row_name[0] = 3)
LIE(columns_differ, p->n_row_bytes = 1)
LIE(bucket_beyond_the_last, p->bucket[1] = 600)
LIE(buckets_not_ascending, p->bucket[1] = 0)
LIE(buckets_do_not_add_up, p->bucket_count[0] = 5)
LIE(bucket_of_another_duration, p->bucket[0] = 10)
LIE(more_buckets_than_there_are, p->row_buckets[0] = 9)
LIE(fewer_buckets_than_there_are, p->row_buckets[0] = 1)
LIE(no_steps_for_rows, p->n_by_step_ns = p->n_by_step_count = 0)
LIE(left_out_step_beyond_the_last, (p->n_left_out_step = 1, p->left_out_step = p->step_name))
LIE(steps_of_nobody, p->row_has_steps[0] = 0)
LIE(negative_time, p->by_step_ns[0] = -4)
LIE(count_too_large, p->row_count[1] = UINT64_MAX)
LIE(span_too_large, p->row_span_ns[0] = INT64_MAX)
LIE(span_of_one_call, p->row_count[0] = 1)
LIE(deviation_is_no_number, p->row_deviation[0] = NAN)
LIE(severity_unknown, p->finding_severity[0] = 9)
LIE(text_is_no_text, p->text[0].data = (uint8_t *)"\xFF")

/* Tests that a file can have at most a million records, because a record can take two bytes in the file but much more
 * in memory. */
static void too_many_records_exceed_the_limit(void **state)
{
    static const char head[] = "\rTPS1\x10\x01\x18\x00\x28\x01";
    enum { HEAD = sizeof head - 1, SIZE = HEAD + (16 << 20) };
    struct tp_summary_set set;
    struct tp_error err = {0};
    (void)state;
    if (setjmp(arena.guard))
        fail();
    char *bytes = tp_arena_alloc(&arena, SIZE);
    memcpy(bytes, head, HEAD);
    for (size_t at = HEAD; at < SIZE; at += 2)
        bytes[at] = 4 << 3 | 2;
    tp_summary_set_init(&set, &arena);
    assert_int_equal(tp_summary_set_read(&set, bytes, SIZE, &err), TP_ELIMIT);
    assert_int_equal(set.count, 0);
    assert_true(arena.used_bytes < (size_t)400 << 20);
}

static void false_content_is_an_error(void **state)
{
    static void (*const changes[])(Tp__SummaryProcess * p) = {text_number_beyond_texts,
                                                              columns_differ,
                                                              bucket_beyond_the_last,
                                                              buckets_not_ascending,
                                                              buckets_do_not_add_up,
                                                              bucket_of_another_duration,
                                                              more_buckets_than_there_are,
                                                              fewer_buckets_than_there_are,
                                                              no_steps_for_rows,
                                                              left_out_step_beyond_the_last,
                                                              steps_of_nobody,
                                                              negative_time,
                                                              count_too_large,
                                                              span_too_large,
                                                              span_of_one_call,
                                                              deviation_is_no_number,
                                                              severity_unknown,
                                                              text_is_no_text};
    (void)state;
    if (setjmp(arena.guard))
        fail();
    assert_int_equal(read_false_process(NULL), 0);
    for (unsigned i = 0; i < sizeof changes / sizeof *changes; i++)
        if (read_false_process(changes[i]) != TP_EFORMAT)
            fail_msg("lie %u was believed", i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(too_many_records_exceed_the_limit, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(false_content_is_an_error, enter_folder, leave_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
