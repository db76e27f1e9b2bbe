/* Tests files of measured peaks: valid files, messages about invalid files, and measured numbers that replace published
 * ones. */
#include "webreport/measure/work/peaks_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "writer/base/table.h"

static struct tp_peaks_file file;

static int parse_peaks(const char *json, struct tp_error *err)
{
    *err = (struct tp_error){0};
    return tp_peaks_parse(&file, "peaks.json", tp_str_of(json), err);
}

struct question {
    struct tp_arena arena;
    const char *name;
    int64_t bytes;
    const struct tp_peaks *peaks;
};

static int find_peaks(void *context, struct tp_error *err)
{
    struct question *q = context;
    (void)err;
    q->peaks = tp_peaks_with_user_values(&file, tp_str_of(q->name), q->bytes, &q->arena);
    return 0;
}

static void measured_numbers_replace_published_ones(void **state)
{
    struct tp_error err;
    struct question q = {.name = "NVIDIA H100 80GB HBM3", .bytes = INT64_C(80) << 30};
    (void)state;
    tp_arena_init(&q.arena, 0);
    assert_int_equal(parse_peaks("{ \"devices\" : [ {\"match\": \"H100\", \"dense_tflops\": {\"bf16\": 720.5}, "
                                 "\"memory_gbs\": 3000, \"source\": \"triad \\u00b5\"} ] }",
                                 &err),
                     0);
    assert_int_equal(tp_arena_run(&q.arena, find_peaks, &q, NULL), 0);
    assert_string_equal(q.peaks->device, "NVIDIA H100 SXM");
    assert_string_equal(q.peaks->source, "triad \xc2\xb5");
    assert_true(q.peaks->is_measured);
    assert_float_equal(q.peaks->tflops[TP_PEAK_BF16], 720.5, 0);
    assert_float_equal(q.peaks->tflops[TP_PEAK_FP16], 989.5, 0);
    assert_float_equal(q.peaks->memory_gb_s, 3000, 0);
    q.name = "NVIDIA A100-SXM4-80GB";
    assert_int_equal(tp_arena_run(&q.arena, find_peaks, &q, NULL), 0);
    assert_false(q.peaks->is_measured);
    tp_arena_release(&q.arena);
}

static void first_matching_device_is_used(void **state)
{
    struct tp_error err;
    struct question q = {.name = "Some Accelerator X9", .bytes = INT64_C(40) << 30};
    (void)state;
    tp_arena_init(&q.arena, 0);
    assert_int_equal(parse_peaks("{\"devices\":[{\"match\":\"X9\",\"memory_gib\":[80],\"memory_gbs\":1},"
                                 "{\"match\":\"X9$\",\"memory_gib\":[16,40],\"device\":\"X9 small\",\"memory_gbs\":2},"
                                 "{\"match\":\"Some\",\"memory_gbs\":3}]}",
                                 &err),
                     0);
    assert_int_equal(tp_arena_run(&q.arena, find_peaks, &q, NULL), 0);
    assert_string_equal(q.peaks->device, "X9 small");
    assert_string_equal(q.peaks->source, "measured");
    assert_float_equal(q.peaks->memory_gb_s, 2, 0);
    q.bytes = TP_NULL_INT;
    assert_int_equal(tp_arena_run(&q.arena, find_peaks, &q, NULL), 0);
    assert_float_equal(q.peaks->memory_gb_s, 3, 0);
    q.name = "";
    assert_int_equal(tp_arena_run(&q.arena, find_peaks, &q, NULL), 0);
    assert_null(q.peaks);
    tp_arena_release(&q.arena);
}

static void bad_files_are_reported(void **state)
{
    static const char *const bad[][2] = {
        {"", "is no JSON"},
        {"{\"devices\":[", "is no JSON"},
        {"[]", "needs \"devices\""},
        {"{\"devices\":{}}", "needs \"devices\""},
        {"{\"devices\":[3]}", "devices[0]: a device is an object, not 3"},
        {"{\"devices\":[{}]}", "match must be"},
        {"{\"devices\":[{\"match\":\"\"}]}", "a text is missing"},
        {"{\"devices\":[{\"match\":\"(\"}]}", "match must be"},
        {"{\"devices\":[{\"match\":\"AB\"},{\"match\":7}]}", "devices[1]: a text is missing where there is 7"},
        {"{\"devices\":[{\"match\":\"AB\",\"memory_gbs\":-3}]}", "a rate is a number above 0, not -3"},
        {"{\"devices\":[{\"match\":\"AB\",\"memory_gbs\":1e400}]}", "a rate is a number above 0"},
        {"{\"devices\":[{\"match\":\"AB\",\"memory_gbs\":\"9\"}]}", "a rate is a number above 0"},
        {"{\"devices\":[{\"match\":\"AB\",\"dense_tflops\":9}]}", "dense_tflops is an object"},
        {"{\"devices\":[{\"match\":\"AB\",\"dense_tflops\":{\"bf15\":9}}]}", "types are fp64"},
        {"{\"devices\":[{\"match\":\"AB\",\"memory_gib\":[1,2,3]}]}", "at most two sizes"},
        {"{\"devices\":[{\"match\":\"AB\",\"links_gbs\":[1]}]}", "links_gbs is an object"},
        {"{\"devices\":[{\"match\":\"AB\",\"tflops\":1}]}", "no member is called tflops"},
    };
    struct tp_error err;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(parse_peaks(bad[i][0], &err), TP_EUSAGE);
        if (!strstr(err.text, bad[i][1]) || strncmp(err.text, "peaks.json: ", 12) != 0)
            fail_msg("%s: %s", bad[i][0], err.text);
    }
}

static void too_large_file_is_refused(void **state)
{
    char json[40000] = "{\"devices\":[";
    struct tp_error err;
    (void)state;
    for (unsigned i = 0; i <= TP_MAX_PEAK_ROWS; i++)
        sprintf(json + strlen(json), "%s{\"match\":\"AB\"}", i ? "," : "");
    strcat(json, "]}");
    assert_int_equal(parse_peaks(json, &err), TP_ELIMIT);
    strcpy(json, "{\"devices\":[{\"match\":\"AB\",\"source\":\"");
    memset(json + strlen(json), 'x', TP_MAX_PEAK_TEXT_BYTES);
    strcat(json, "\"}]}");
    assert_int_equal(parse_peaks(json, &err), TP_ELIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_numbers_replace_published_ones), cmocka_unit_test(first_matching_device_is_used),
        cmocka_unit_test(bad_files_are_reported), cmocka_unit_test(too_large_file_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
