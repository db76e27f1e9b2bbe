/* Tests the trace writer: exact bytes of each kind of event, hostile texts, limits, failing files. */
#include "writer/trace_json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "writer/base/limits.h"
#include "writer/base/put.h"

static char folder[64];

static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tracepress-out-XXXXXX");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    (void)state;
    unlink("t.json");
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1; /* removing the folder fails if it contains another file */
}

static struct tp_trace_out *open_trace(const struct tp_trace_out_options *options)
{
    struct tp_trace_out *out;
    assert_int_equal(tp_trace_out_open(&out, "t.json", options, NULL), 0);
    return out;
}

/* Closes and reads the file. The caller frees the text. */
static char *read_written_file(struct tp_trace_out *out)
{
    struct tp_error err;
    assert_int_equal(tp_trace_out_close(&out, TP_NULL_INT, &err), 0);
    assert_null(out);
    FILE *file = fopen("t.json", "r");
    assert_non_null(file);
    struct stat info;
    fstat(fileno(file), &info);
    char *text = malloc((size_t)info.st_size + 1);
    assert_int_equal(fread(text, 1, (size_t)info.st_size, file), info.st_size);
    text[info.st_size] = '\0';
    fclose(file);
    assert_true(tp_put_is_json(tp_str_of(text), TP_MAX_DEPTH));
    return text;
}

static void assert_contains(const char *text, const char *want)
{
    if (!strstr(text, want))
        fail_msg("not in the trace: %s\n%.3000s", want, text);
}

/* Checks the output of `write`, which comes after the first three rows and before the profiler's last event. */
static void assert_events(void (*write)(struct tp_trace_out *), const char *want)
{
    struct tp_trace_out *out = open_trace(NULL);
    write(out);
    char *text = read_written_file(out), *from = strstr(text, "\"sort_index\":0}}"),
         *to = strstr(text, ",\n{\"ph\":\"X\",\"cat\":\"Trace\"");
    assert_non_null(from);
    assert_non_null(to);
    *to = '\0';
    assert_string_equal(from + strlen("\"sort_index\":0}}"), want);
    free(text);
}

static void empty_trace_is_a_complete_document(void **state)
{
    (void)state;
    char *text = read_written_file(open_trace(NULL));
    assert_string_equal(
        text,
        "{\"schemaVersion\":1,\n\"deviceProperties\":[],\n\"displayTimeUnit\":\"ms\",\n\"baseTimeNanoseconds\":0,\n"
        "\"traceEvents\":[\n"
        "{\"ph\":\"M\",\"name\":\"process_name\",\"ts\":0.000,\"pid\":0,\"tid\":0,\"args\":{\"name\":\"\"}},\n"
        "{\"ph\":\"M\",\"name\":\"process_labels\",\"ts\":0.000,\"pid\":0,\"tid\":0,\"args\":{\"labels\":\"CPU\"}},\n"
        "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"ts\":0.000,\"pid\":0,\"tid\":0,\"args\":{\"sort_index\":0}},\n"
        "{\"ph\":\"X\",\"cat\":\"Trace\",\"name\":\"PyTorch Profiler (0)\",\"pid\":536870912,\"tid\":0,\"ts\":0.000,"
        "\"dur\":0.000,\"args\":{\"Op count\":0}},\n"
        "{\"ph\":\"i\",\"s\":\"g\",\"name\":\"Iteration Start: PyTorch Profiler\",\"pid\":536870912,\"tid\":0,"
        "\"ts\":0.000},\n"
        "{\"ph\":\"i\",\"s\":\"g\",\"name\":\"Record Window End\",\"pid\":536870912,\"tid\":0,\"ts\":0.000},\n"
        "{\"ph\":\"M\",\"name\":\"process_name\",\"ts\":0.000,\"pid\":536870912,\"tid\":0,\"args\":{\"name\":\"Spans\"}"
        "},"
        "\n"
        "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"ts\":0.000,\"pid\":536870912,\"tid\":0,\"args\":{\"sort_"
        "index\":"
        "536870912}},\n"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"ts\":0.000,\"pid\":536870912,\"tid\":0,\"args\":{\"name\":\"PyTorch "
        "Profiler\"}}\n"
        "],\"traceName\":\"t.json\"}\n");
    free(text);
}

static void header_contains_the_options(void **state)
{
    struct tp_trace_out_device gpu = TP_TRACE_OUT_DEVICE(1, TP_STR("Quick \"7\""));
    struct tp_trace_out_meta meta[] = {
        {TP_STR("note"), TP_STR("a\"b"), false},   {TP_STR("list"), TP_STR("[1,\n {\"a\": null}]"), true},
        {TP_STR("bad"), TP_STR("[1,"), true},      {TP_STR("traceEvents"), TP_STR("no"), false},
        {TP_STR("note"), TP_STR("second"), false},
    };
    struct tp_trace_out_options options = TP_TRACE_OUT_OPTIONS;
    (void)state;
    gpu.sm_count = 132;
    gpu.warp_size = 32;
    options.flags = TP_OUT_RECORD_SHAPES | TP_OUT_WITH_FLOPS;
    options.base_time_ns = tp_trace_out_base_time_ns(1795223736123456789);
    options.begin_ns = 1500;
    options.process_id = 77;
    options.process_name = TP_STR("train");
    options.host_name = TP_STR("h");
    options.trace_id = TP_STR("00AB");
    options.backend = TP_STR("gloo");
    options.rank = 3;
    options.world_size = 8;
    options.local_rank = 1;
    options.devices = &gpu;
    options.device_count = 1;
    options.metadata = meta;
    options.metadata_count = sizeof meta / sizeof *meta;
    char *text = read_written_file(open_trace(&options));
    assert_contains(text,
                    "{\"schemaVersion\":1,\n\"deviceProperties\":[{\"id\":1,\"name\":\"Quick "
                    "\\\"7\\\"\",\"warpSize\":32,\"numSms\":132}],\n\"trace_id\":\"00AB\",\n\"record_shapes\":1,\n"
                    "\"with_flops\":1,\n\"distributedInfo\":{\"backend\":\"gloo\",\"rank\":3,\"world_size\":8,"
                    "\"local_rank\":1},\n\"host_name\":\"h\",\n\"note\":\"a\\\"b\",\n\"list\":[1, {\"a\": "
                    "null}],\n\"bad\":\"[1,\",\n\"displayTimeUnit\":\"ms\",\n\"baseTimeNanoseconds\":"
                    "1790857026000000000,\n\"traceEvents\":[");
    assert_contains(text, "\"process_name\",\"ts\":1.500,\"pid\":77,\"tid\":0,\"args\":{\"name\":\"train\"}}");
    assert_contains(text, "\"process_labels\",\"ts\":1.500,\"pid\":1,\"tid\":0,\"args\":{\"labels\":\"GPU 1\"}}");
    assert_contains(text, "\"process_sort_index\",\"ts\":1.500,\"pid\":1,\"tid\":0,\"args\":{\"sort_index\":5000001}}");
    free(text);
}

static void write_operator(struct tp_trace_out *out)
{
    const int64_t row[] = {8, 16}, weight[] = {-1};
    const struct tp_trace_out_ints dims[] = {{row, 2}, {NULL, 0}, {weight, 1}};
    const struct tp_str types[] = {TP_STR("float"), TP_STR("")};
    const struct tp_trace_out_arg args[] = {
        tp_trace_out_int_arg(TP_OUT_EXTERNAL_ID, 3),
        tp_trace_out_shapes_arg(TP_OUT_INPUT_DIMS, dims, 3),
        tp_trace_out_texts_arg(TP_OUT_INPUT_TYPE, types, 2),
        tp_trace_out_text_arg(TP_OUT_CALL_STACK, TP_STR("a.c(1): f;b;")),
        tp_trace_out_bool_arg(TP_OUT_FINISHED, false),
    };
    struct tp_trace_out_event event = {.name = TP_STR("aten::mm"),
                                       .pid = 10,
                                       .tid = 11,
                                       .ts_ns = 4367116685426426,
                                       .dur_ns = 5,
                                       .args = args,
                                       .arg_count = 5};
    tp_trace_out_complete(out, &event);
    tp_trace_out_step(out, 4, 10, 11, -5, 1000);
}

static void operators_have_their_arguments_and_an_index(void **state)
{
    (void)state;
    assert_events(
        write_operator,
        ",\n{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":10,\"tid\":11,\"ts\":4367116685426.426,"
        "\"dur\":0.005,\"args\":{\"External id\":3,\"Input Dims\":[[8,16],[],[-1]],\"Input "
        "type\":[\"float\",\"\"],\"Call stack\":\"a.c(1): f;b;\",\"finished\":false,\"Ev Idx\":0}},\n"
        "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#4\",\"pid\":10,\"tid\":11,\"ts\":-0.005,"
        "\"dur\":1.000,\"args\":{\"Ev Idx\":1}}");
}

static void write_kernel(struct tp_trace_out *out)
{
    const int64_t grid[] = {4, 1, 1};
    const struct tp_trace_out_arg args[] = {
        tp_trace_out_int_arg(TP_OUT_CORRELATION, 9),
        tp_trace_out_list_arg(TP_OUT_GRID, grid, 3),
        tp_trace_out_real_arg(TP_OUT_BLOCKS_PER_SM, 0.037879),
        tp_trace_out_real_arg(TP_OUT_WARPS_PER_SM, INFINITY),
    };
    struct tp_trace_out_event event = {.category = TP_OUT_KERNEL,
                                       .name = TP_STR("k<int>"),
                                       .tid = 7,
                                       .ts_ns = 1000,
                                       .dur_ns = -3,
                                       .args = args,
                                       .arg_count = 4};
    tp_trace_out_stream(out, 0, 7);
    tp_trace_out_complete(out, &event);
    tp_trace_out_flow(out, &(struct tp_trace_out_flow){TP_OUT_FLOW_LAUNCH, false, 9, 0, 7, 1000});
    tp_trace_out_flow(out, &(struct tp_trace_out_flow){TP_OUT_FLOW_BACKWARD, true, 1, 0, 7, 1000});
}

static void kernels_streams_and_flows_are_written(void **state)
{
    (void)state;
    assert_events(
        write_kernel,
        ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"ts\":0.000,\"pid\":0,\"tid\":7,\"args\":{\"name\":\"stream 7 "
        "\"}},\n{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"ts\":0.000,\"pid\":0,\"tid\":7,\"args\":{\"sort_"
        "index\":7}},\n{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k<int>\",\"pid\":0,\"tid\":7,\"ts\":1.000,\"dur\":"
        "0.000,\"args\":{\"correlation\":9,\"grid\":[4,1,1],\"blocks per SM\":0.037879,\"warps per "
        "SM\":null}},\n{\"ph\":\"f\",\"id\":9,\"pid\":0,\"tid\":7,\"ts\":1.000,\"cat\":\"ac2g\",\"name\":\"ac2g\","
        "\"bp\":\"e\"},\n{\"ph\":\"s\",\"id\":1,\"pid\":0,\"tid\":7,\"ts\":1.000,\"cat\":\"fwdbwd\",\"name\":"
        "\"fwdbwd\"}");
}

static void write_memory(struct tp_trace_out *out)
{
    struct tp_trace_out_memory memory = {
        .pid = 1, .tid = 2, .ts_ns = 7, .address = 255, .bytes = -64, .device_id = -1, .total_allocated_bytes = 128};
    tp_trace_out_memory(out, &memory);
    memory.is_out_of_memory = true;
    memory.address = TP_NULL_INT;
    memory.call_stack = TP_STR("f;");
    tp_trace_out_memory(out, &memory);
}

static void memory_records_are_written(void **state)
{
    (void)state;
    assert_events(
        write_memory,
        ",\n{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1,\"tid\":2,\"ts\":"
        "0.007,\"args\":{\"Total Reserved\":0,\"Total Allocated\":128,\"Bytes\":-64,\"Device Id\":-1,\"Device "
        "Type\":0,\"Addr\":255,\"Ev Idx\":0}},\n{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":"
        "\"[OutOfMemory]\",\"pid\":1,\"tid\":2,\"ts\":0.007,\"args\":{\"Total Reserved\":0,\"Total "
        "Allocated\":128,\"Bytes\":-64,\"Device Id\":-1,\"Device Type\":0,\"Call stack\":\"f;\",\"Ev Idx\":1}}");
}

static void write_others(struct tp_trace_out *out)
{
    const struct tp_trace_out_value values[] = {{TP_STR("a"), 1.5}, {TP_STR("b"), NAN}, {TP_STR(""), 3}};
    const struct tp_trace_out_arg args[] = {
        {.key = TP_OUT_NAMED, .type = TP_OUT_INT, .name = TP_STR("k"), .value.integer = 1},
        {.key = TP_OUT_NAMED, .type = TP_OUT_INT, .name = TP_STR("k"), .value.integer = 2},
        {.key = TP_OUT_NAMED, .type = TP_OUT_JSON, .name = TP_STR("dtype"), .value.text = TP_STR("{}")},
    };
    struct tp_trace_out_event event = {.category = TP_OUT_OTHER,
                                       .other_category = TP_STR("mark"),
                                       .name = TP_STR("here"),
                                       .args = args,
                                       .arg_count = 3};
    tp_trace_out_counter(out, TP_STR("loss"), 1, 2000, values, 3);
    tp_trace_out_counter(out, TP_STR("gone"), 1, 2000, values + 1, 1);
    tp_trace_out_instant(out, &event);
    event.arg_count = 0;
    tp_trace_out_complete(out, &event);
    tp_trace_out_thread(out, 1, 2, TP_STR("w\"1"));
    assert_int_equal(tp_trace_out_stats(out).dropped_count, 1);
}

static void counters_instants_and_categories_are_written(void **state)
{
    (void)state;
    assert_events(
        write_others,
        ",\n{\"ph\":\"C\",\"name\":\"loss\",\"pid\":1,\"tid\":0,\"ts\":2.000,\"args\":{\"a\":1.5,\"\":3.0}},\n"
        "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"mark\",\"name\":\"here\",\"pid\":0,\"tid\":0,\"ts\":0.000,\"args\":{\"k\":"
        "1,"
        "\"user dtype\":{}}},\n"
        "{\"ph\":\"X\",\"cat\":\"mark\",\"name\":\"here\",\"pid\":0,\"tid\":0,\"ts\":0.000,\"dur\":0.000},\n"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"ts\":0.000,\"pid\":1,\"tid\":2,\"args\":{\"name\":\"thread 2 "
        "(w\\\"1)\"}},\n{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"ts\":0.000,\"pid\":1,\"tid\":2,\"args\":{"
        "\"sort_index\":2}}");
}

static void hostile_texts_stay_valid_json(void **state)
{
    static const struct {
        struct tp_str text;
        const char *want;
    } cases[] = {
        {TP_STR("a\"b\\c/\n\t\x01"), "\"a\\\"b\\\\c/\\n\\t\\u0001\""},
        {TP_STR("nul\0end"), "\"nul\\u0000end\""},
        {TP_STR("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"), "\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\""},
        {TP_STR("lone \x80 cut \xE2\x82"), "\"lone \xEF\xBF\xBD cut \xEF\xBF\xBD\""},
        {TP_STR("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {TP_STR("long enough to be read by words \x7f ~ \" and on"),
         "\"long enough to be read by words \x7f ~ \\\" and on\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tp_trace_out *out = open_trace(NULL);
        tp_trace_out_complete(out, &(struct tp_trace_out_event){.name = cases[i].text});
        char *text = read_written_file(out);
        assert_contains(text, cases[i].want);
        free(text);
    }
}

static void long_texts_are_truncated_and_long_records_dropped(void **state)
{
    enum { TEXTS = 20, SIZE = TP_MAX_OUT_TEXT_BYTES + 10 };
    char *big = malloc(SIZE);
    struct tp_str texts[TEXTS];
    (void)state;
    memset(big, 'x', SIZE);
    memcpy(big + TP_MAX_NAME_BYTES - 1, "\xC3\xA9", 2);
    for (int i = 0; i < TEXTS; i++)
        texts[i] = (struct tp_str){big, SIZE};
    struct tp_trace_out *out = open_trace(NULL);
    struct tp_trace_out_arg args[] = {tp_trace_out_texts_arg(TP_OUT_CONCRETE_INPUTS, texts, TEXTS)};
    tp_trace_out_complete(out, &(struct tp_trace_out_event){.name = {big, SIZE}});
    tp_trace_out_complete(out, &(struct tp_trace_out_event){.name = TP_STR("too long"), .args = args, .arg_count = 1});
    tp_trace_out_complete(out, &(struct tp_trace_out_event){.name = TP_STR("after")});
    struct tp_trace_out_stats stats = tp_trace_out_stats(out);
    assert_int_equal(stats.dropped_count, 1);
    assert_true(stats.cut_count >= 2);
    char *text = read_written_file(out);
    assert_contains(
        text, "x\",\"pid\":0,\"tid\":0,\"ts\":0.000,\"dur\":0.000,\"args\":{\"Ev Idx\":0}},\n{\"ph\":\"X\",\"cat\":"
              "\"cpu_op\",\"name\":\"after\",\"pid\":0,\"tid\":0,\"ts\":0.000,\"dur\":0.000,\"args\":{\"Ev Idx\":1}}");
    assert_null(strstr(text, "too long"));
    free(text);
    free(big);
}

static void discard_leaves_no_file(void **state)
{
    struct tp_trace_out *out = open_trace(NULL);
    (void)state;
    unlink("t.json"); /* removes the file of earlier tests */
    for (int i = 0; i < 20000; i++)
        tp_trace_out_step(out, i, 1, 1, i, 1);
    tp_trace_out_discard(&out);
    assert_null(out);
    tp_trace_out_discard(&out);
    assert_int_equal(access("t.json", F_OK), -1);
}

static void unwritable_path_fails_at_open(void **state)
{
    struct tp_trace_out *out;
    struct tp_error err;
    (void)state;
    assert_int_equal(tp_trace_out_open(&out, "no/such/folder/t.json", NULL, &err), TP_EIO);
    assert_null(out);
    assert_non_null(strstr(err.text, "no/such/folder"));
}

static void a_full_disk_is_reported_once_by_close(void **state)
{
    (void)state;
    for (int single = 0; single < 2; single++) {
        struct tp_trace_out_options options = TP_TRACE_OUT_OPTIONS;
        struct tp_trace_out *out;
        struct tp_error err = {0};
        options.single_thread = single;
        assert_int_equal(tp_trace_out_open(&out, "/dev/full", &options, &err), 0);
        for (int i = 0; i < 30000; i++)
            tp_trace_out_step(out, i, 1, 1, i, 1);
        assert_int_equal(tp_trace_out_close(&out, TP_NULL_INT, &err), TP_EIO);
        assert_non_null(strstr(err.text, "/dev/full: cannot write: No space left"));
    }
}

static void file_size_limit_gives_an_error_without_signal(void **state)
{
    struct rlimit before, small = {10000, RLIM_INFINITY};
    (void)state;
    unlink("t.json");
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    for (int single = 0; single < 2; single++) {
        /* with few events, closing the file fails; with many events, writing fails */
        for (int count = 100; count < 100000; count *= 100) {
            struct tp_trace_out_options options = TP_TRACE_OUT_OPTIONS;
            struct tp_trace_out *out;
            struct tp_error err = {0};
            options.single_thread = single;
            assert_int_equal(tp_trace_out_open(&out, "t.json", &options, &err), 0);
            setrlimit(RLIMIT_FSIZE, &small);
            for (int i = 0; i < count; i++)
                tp_trace_out_step(out, i, 1, 1, i, 1);
            int code = tp_trace_out_close(&out, TP_NULL_INT, &err);
            setrlimit(RLIMIT_FSIZE, &before);
            assert_int_equal(code, TP_EIO);
            assert_non_null(strstr(err.text, "File too large"));
            assert_int_equal(access("t.json", F_OK), -1);
        }
    }
}

static void numbers_are_written_exactly(void **state)
{
    char text[TP_PUT_REAL + 1];
    static const int64_t ints[] = {0,         7,  10,        99999999,  100000000,        1234567890123,
                                   INT64_MAX, -1, INT64_MIN, 999999999, 10000000000000000};
    static const double reals[] = {0.1, 1e300, -2.5e-7, 3, 123456789.125, 1.0 / 3};
    (void)state;
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
        char want[40];
        snprintf(want, sizeof want, "%lld", (long long)ints[i]);
        *tp_put_int(text, ints[i]) = '\0';
        assert_string_equal(text, want);
    }
    /* Tests the smallest, the largest and further numbers with 1 to 20 digits. */
    for (uint64_t power = 1, i = 0; i < 20; i++, power *= 10) {
        const uint64_t near[] = {power - 1, power, power + 1, power * 7 / 3, UINT64_MAX - power};
        for (size_t k = 0; k < sizeof near / sizeof *near; k++) {
            char want[40];
            snprintf(want, sizeof want, "%llu", (unsigned long long)near[k]);
            *tp_put_uint(text, near[k]) = '\0';
            assert_string_equal(text, want);
        }
    }
    for (uint32_t value = 0; value < 100000000; value += 997) {
        *tp_put_uint(text, value) = '\0';
        assert_int_equal(strtoul(text, NULL, 10), value);
    }
    *tp_put_us(text, INT64_MIN) = '\0';
    assert_string_equal(text, "-9223372036854775.808");
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        *tp_put_real(text, reals[i]) = '\0';
        assert_true(strtod(text, NULL) == reals[i]);
    }
}

static void valid_json_is_distinguished_from_invalid(void **state)
{
    static const char *const good[] = {"1",     " [ ] ", "{\"a\":[1,-2.5e+3,\"\\u00e9\",{}],\"b\":null}",
                                       "\"x\"", "0",     "true"};
    static const char *const bad[] = {"",         "01",       "[1,]",  "{\"a\"}", "nul", "[1]]", "{\"a\":1,}",
                                      "\"\x01\"", "\"\xff\"", "1 2",   "[[[",     "-",   "1.",   "\"\\x\"",
                                      "'a'",      "NaN",      "{1:2}", "]",       "\""};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(tp_put_is_json(tp_str_of(good[i]), 10));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(tp_put_is_json(tp_str_of(bad[i]), 10));
    assert_false(tp_put_is_json(TP_STR("[[[]]]"), 2));
    assert_true(tp_put_is_json(TP_STR("[[]]"), 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_trace_is_a_complete_document),
        cmocka_unit_test(header_contains_the_options),
        cmocka_unit_test(operators_have_their_arguments_and_an_index),
        cmocka_unit_test(kernels_streams_and_flows_are_written),
        cmocka_unit_test(memory_records_are_written),
        cmocka_unit_test(counters_instants_and_categories_are_written),
        cmocka_unit_test(hostile_texts_stay_valid_json),
        cmocka_unit_test(long_texts_are_truncated_and_long_records_dropped),
        cmocka_unit_test(discard_leaves_no_file),
        cmocka_unit_test(unwritable_path_fails_at_open),
        cmocka_unit_test(a_full_disk_is_reported_once_by_close),
        cmocka_unit_test(file_size_limit_gives_an_error_without_signal),
        cmocka_unit_test(numbers_are_written_exactly),
        cmocka_unit_test(valid_json_is_distinguished_from_invalid),
    };
    return cmocka_run_group_tests_name("trace_json", tests, enter_folder, leave_folder);
}
