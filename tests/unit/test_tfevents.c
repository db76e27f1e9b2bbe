/* Tests event files: framing, the first record, omitted values, histograms, the cost graph, file names. */
#include "writer/tfevents.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "writer/base/crc32c.h"
#include "writer/tfevents_file.h"

static uint64_t read_little_endian(const char *p, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)(unsigned char)p[i] << 8 * i;
    return value;
}

/* Returns the number of records. Checks that each one is complete and has correct checksums. */
static unsigned count_records(const struct tp_buf *out)
{
    unsigned count = 0;
    for (size_t at = 0; at < out->size; count++) {
        assert_true(out->size - at >= 16);
        size_t length = (size_t)read_little_endian(out->data + at, 8);
        assert_true(length <= out->size - at - 16);
        assert_int_equal(read_little_endian(out->data + at + 8, 4),
                         tp_crc32c_masked(tp_crc32c_plain(out->data + at, 8)));
        assert_int_equal(read_little_endian(out->data + at + 12 + length, 4),
                         tp_crc32c_masked(tp_crc32c_plain(out->data + at + 12, length)));
        at += length + 16;
    }
    return count;
}

static int contains_bytes(const struct tp_buf *out, const void *bytes, size_t size)
{
    return memmem(out->data, out->size, bytes, size) != NULL;
}

static void tfevents_begin_with_the_version(void **state)
{
    static const char record[] = "\x09\0\0\0\0\0\0\xf8\x3f\x1a\x0d"
                                 "brain.Event:2\x52\x0c\x0a\x0atracepress";
    struct tp_tfevents events;
    (void)state;
    tp_tfevents_init(&events, 0);
    tp_tfevents_begin(&events, 1.5);
    assert_int_equal(count_records(&events.out), 1);
    assert_int_equal(read_little_endian(events.out.data, 8), sizeof record - 1);
    assert_memory_equal(events.out.data + 12, record, sizeof record - 1);
    tp_tfevents_release(&events);
}

static void tfevents_scalars_have_both_value_and_class(void **state)
{
    const struct tp_tf_scalar scalars[] = {{"a/b", "what it is", 0, true}, {"none", NULL, NAN, true}};
    struct tp_tfevents events;
    (void)state;
    tp_tfevents_init(&events, 0);
    tp_tfevents_put_scalars(&events, (struct tp_tfevents_at){2, 7}, scalars, 2);
    assert_int_equal(count_records(&events.out), 1);
    assert_true(contains_bytes(&events.out,
                               "\x0a\x03"
                               "a/b\x15\0\0\0\0",
                               /* bytes: the tag, and simple_value 0, which must not be omitted */
                               10));
    assert_true(contains_bytes(&events.out, "\x1a\x0awhat it is\x20\x01", 14)); /* these bytes are the description, and
                                                                                 * data_class 1 */
    assert_true(contains_bytes(&events.out, "\x0a\x07scalars", 9));
    assert_false(contains_bytes(&events.out, "none", 4));
    tp_buf_clear(&events.out);
    tp_tfevents_put_scalars(&events, (struct tp_tfevents_at){2, 8}, scalars + 1, 1);
    assert_int_equal(events.out.size, 0); /* without a value, no record is written */
    tp_tfevents_release(&events);
}

static void tfevents_many_scalars_are_several_records(void **state)
{
    struct tp_tf_scalar scalars[130];
    struct tp_tfevents events;
    (void)state;
    for (unsigned i = 0; i < 130; i++)
        scalars[i] = (struct tp_tf_scalar){"t", NULL, i, false};
    tp_tfevents_init(&events, 0);
    tp_tfevents_put_scalars(&events, (struct tp_tfevents_at){1, 1}, scalars, 130);
    assert_int_equal(count_records(&events.out), 3);
    tp_tfevents_release(&events);
}

static void tfevents_histograms_count_everything(void **state)
{
    const double equal[] = {5, 5, 5}, wide[] = {0, 1e300, -1e300, 3};
    struct tp_tfevents events;
    (void)state;
    tp_tfevents_init(&events, 0);
    tp_tfevents_put_histogram(&events, (struct tp_tfevents_at){1, 1}, "h", "d", equal, 3);
    assert_int_equal(count_records(&events.out), 1);
    assert_true(
        contains_bytes(&events.out, "\x3a\x08\0\0\0\0\0\0\x08\x40", 10)); /* bytes: one bucket with the count 3 */
    tp_tfevents_put_histogram(&events, (struct tp_tfevents_at){1, 2}, "h", "d", wide, 4);
    tp_tfevents_put_histogram(&events, (struct tp_tfevents_at){1, 3}, "h", "d", wide, 0);
    assert_int_equal(count_records(&events.out), 2);
    tp_tfevents_release(&events);
}

static void tfevents_full_buffer_contains_complete_records(void **state)
{
    struct tp_tfevents events;
    (void)state;
    tp_tfevents_init(&events, 100);
    for (int i = 0; i < 10; i++)
        tp_tfevents_begin(&events, 1);
    assert_int_equal(events.out.failed, TP_ELIMIT);
    assert_int_equal(count_records(&events.out), 1);
    tp_tfevents_release(&events);
}

/* Tests a parent of 10.4 us with children of 0.3, 0.3 and 5 us. Its bar is as long as the rounded sum. */
static void tfevents_costs_are_packed_depth_first(void **state)
{
    const struct tp_tf_node nodes[] = {
        {.name = "a", .op = "a", .parent = TP_NO_ID, .previous_sibling = TP_NO_ID, .host_us_per_step = 10.4},
        {.name = "z", .op = "z", .parent = TP_NO_ID, .previous_sibling = 0, .host_us_per_step = 7},
        {.name = "b", .op = "b", .parent = 0, .previous_sibling = TP_NO_ID, .host_us_per_step = 0.3},
        {.name = "c", .op = "c", .parent = 0, .previous_sibling = 2, .host_us_per_step = 0.3},
        {.name = "d", .op = "d", .parent = 0, .previous_sibling = 3, .host_us_per_step = 5, .bytes_per_step = 300},
    };
    struct tp_tfevents events;
    struct tp_arena arena;
    (void)state;
    tp_tfevents_init(&events, 0);
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    tp_tfevents_put_graph(&events, (struct tp_tfevents_at){1, 1}, nodes, 5, &arena);
    /* records: graph, CPU, memory; there is no record for device time, because nothing ran on a device */
    assert_int_equal(count_records(&events.out), 3);
    assert_true(contains_bytes(&events.out,
                               "\x0a\x01"
                               "a\x10\x01\x20\x0a\x28\x0a",
                               9)); /* a begins at 1 us and takes 10 us */
    assert_true(contains_bytes(&events.out,
                               "\x0a\x03"
                               "a/d\x10\x0c\x20\x05\x28\x05",
                               11)); /* b is rounded to 0 us; c lasts from 11 to 12 us, d from 12 to 17 us */
    assert_true(contains_bytes(&events.out, "all devices\x10\xac\x02\x18\xac\x02", 17));
    assert_true(contains_bytes(&events.out, "\x0a\x01z\x10\x11\x20\x07\x28\x07", 9)); /* z begins after the end of a */
    assert_true(contains_bytes(&events.out, "^a/c", 4));
    tp_arena_release(&arena);
    tp_tfevents_release(&events);
}

static void tfevents_only_older_exports_of_the_worker_are_removed(void **state)
{
    char folder[] = "/tmp/tracepress-tfevents-XXXXXX", name[128];
    struct tp_error err;
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(tp_tfevents_next_number("."), 0);
    assert_int_equal(tp_tfevents_name(name, sizeof name, &(struct tp_tfevents_name){42, "host", 7, 3}, &err), TP_OK);
    assert_string_equal(name, "events.out.tfevents.0000000042.host.7.003.tracepress");
    assert_int_equal(tp_tfevents_name(name, 20, &(struct tp_tfevents_name){42, "host", 7, 3}, &err), TP_ELIMIT);
    static const char *const files[] = {
        "events.out.tfevents.0000000042.host.0.003.tracepress",
        "events.out.tfevents.0000000043.host.0.011.tracepress",
        "events.out.tfevents.0000000041.host.7.001.tracepress",   /* the file of a running program */
        "events.out.tfevents.0000000040.host.1.0.002.tracepress", /* the file of another worker */
        "events.out.tfevents.0000000044.host.7.0",
        "other.tracepress"};
    for (int i = 0; i < 6; i++)
        fclose(fopen(files[i], "w"));
    assert_int_equal(tp_tfevents_next_number("."), 12);
    assert_true(tp_tfevents_has_live("."));
    assert_int_equal(tp_tfevents_remove_older(".", "host", files[1], &err), TP_OK);
    assert_int_not_equal(access(files[0], F_OK), 0);
    for (int i = 1; i < 6; i++)
        assert_int_equal(unlink(files[i]), 0);
    assert_false(tp_tfevents_has_live("."));
    assert_int_equal(chdir("/") || rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tfevents_begin_with_the_version),
        cmocka_unit_test(tfevents_scalars_have_both_value_and_class),
        cmocka_unit_test(tfevents_many_scalars_are_several_records),
        cmocka_unit_test(tfevents_histograms_count_everything),
        cmocka_unit_test(tfevents_full_buffer_contains_complete_records),
        cmocka_unit_test(tfevents_costs_are_packed_depth_first),
        cmocka_unit_test(tfevents_only_older_exports_of_the_worker_are_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
