/* Tests statistics and .npy headers against values computed by hand. Also follows tracepress_tensor from the call to
 * the trace. */
#include "writer/tensor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/session.h"
#include "collector/tensor_file.h"
#include "collector/tracepress.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- statistics ---- */

static void assert_tensor_statistics(const struct tp_tensor_stats *s, double min, double max, double mean, double std,
                                     double l2)
{
    const double got[] = {s->min, s->max, s->mean, s->std, s->l2}, wanted[] = {min, max, mean, std, l2};
    for (size_t i = 0; i < COUNT(got); i++)
        if (!(fabs(got[i] - wanted[i]) <= 1e-15 * fabs(wanted[i])) && got[i] != wanted[i])
            fail_msg("%zu: %.17g instead of %.17g", i, got[i], wanted[i]);
}

static void each_type_is_read(void **state)
{
    /* The values 2, 4, 4, 4, 5, 5, 7, 9 have the mean 5, the standard deviation 2 and the sum of squares 232. */
    static const float f[] = {2, 4, 4, 4, 5, 5, 7, 9};
    static const double d[] = {2, 4, 4, 4, 5, 5, 7, 9};
    static const uint16_t half[] = {0x4000, 0x4400, 0x4400, 0x4400, 0x4500, 0x4500, 0x4700, 0x4880};
    static const uint16_t brain[] = {0x4000, 0x4080, 0x4080, 0x4080, 0x40A0, 0x40A0, 0x40E0, 0x4110};
    static const int8_t i8[] = {2, 4, 4, 4, 5, 5, 7, 9};
    static const uint8_t u8[] = {2, 4, 4, 4, 5, 5, 7, 9};
    static const int16_t i16[] = {2, 4, 4, 4, 5, 5, 7, 9};
    static const int32_t i32[] = {2, 4, 4, 4, 5, 5, 7, 9};
    static const int64_t i64[] = {2, 4, 4, 4, 5, 5, 7, 9};
    static const void *const data[TP_DTYPE_COUNT] = {
        [TP_DTYPE_FLOAT32] = f,      [TP_DTYPE_FLOAT64] = d, [TP_DTYPE_FLOAT16] = half,
        [TP_DTYPE_BFLOAT16] = brain, [TP_DTYPE_INT8] = i8,   [TP_DTYPE_UINT8] = u8,
        [TP_DTYPE_INT16] = i16,      [TP_DTYPE_INT32] = i32, [TP_DTYPE_INT64] = i64};
    struct tp_tensor_stats stats;
    (void)state;
    for (uint32_t type = 1; type < TP_DTYPE_BOOL; type++) {
        tp_tensor_stats(&stats, type, data[type], 8);
        assert_tensor_statistics(&stats, 2, 9, 5, 2, sqrt(232));
        assert_int_equal(stats.count, 8);
        assert_int_equal(stats.zero_count + stats.nan_count + stats.inf_count, 0);
    }
    static const uint8_t truth[] = {1, 0, 0, 7};
    tp_tensor_stats(&stats, TP_DTYPE_BOOL, truth, 4);
    assert_tensor_statistics(&stats, 0, 1, 0.5, 0.5, sqrt(2));
    assert_int_equal(stats.zero_count, 2);
}

static void half_floats_are_read_at_their_limits(void **state)
{
    /* Values: 2^-24, the smallest number; 65504, the largest; -0, infinity, -infinity and NaN. */
    static const uint16_t half[] = {0x0001, 0x7BFF, 0x8000, 0x7C00, 0xFC00, 0x7E00};
    static const uint16_t brain[] = {0x0001, 0xFF7F, 0x8000, 0x7F80, 0xFF80, 0x7FC0};
    struct tp_tensor_stats stats;
    (void)state;
    tp_tensor_stats(&stats, TP_DTYPE_FLOAT16, half, 6);
    assert_true(stats.max == 65504 && stats.min == 0);
    tp_tensor_stats(&stats, TP_DTYPE_FLOAT16, half, 1);
    assert_true(stats.min == 0x1p-24 && stats.mean == 0x1p-24 && stats.l2 == 0x1p-24);
    tp_tensor_stats(&stats, TP_DTYPE_BFLOAT16, brain, 6);
    assert_true(stats.min == -0x1.FEp127 && stats.max == 0x1p-133);
    assert_int_equal(stats.zero_count, 1);
    assert_int_equal(stats.inf_count, 2);
    assert_int_equal(stats.nan_count, 1);
}

static void statistics_use_finite_elements(void **state)
{
    static const float some[] = {NAN, INFINITY, -INFINITY, 0, -0.0f, 3, -4};
    static const float none[] = {NAN, INFINITY};
    struct tp_tensor_stats stats;
    (void)state;
    tp_tensor_stats(&stats, TP_DTYPE_FLOAT32, some, 7);
    assert_tensor_statistics(&stats, -4, 3, -0.25, sqrt(6.25 - 0.0625), 5);
    assert_int_equal(stats.count, 7);
    assert_int_equal(stats.zero_count, 2);
    assert_int_equal(stats.nan_count, 1);
    assert_int_equal(stats.inf_count, 2);
    tp_tensor_stats(&stats, TP_DTYPE_FLOAT32, none, 2);
    assert_true(isnan(stats.min) && isnan(stats.max) && isnan(stats.mean) && isnan(stats.std) && isnan(stats.l2));
    tp_tensor_stats(&stats, TP_DTYPE_INT32, NULL, 0);
    assert_true(stats.count == 0 && isnan(stats.mean));
}

static void sums_neither_overflow_nor_lose_precision(void **state)
{
    static const double huge[] = {1e308, 1e308, -1e308, -1e308}, tiny[] = {3e-320, 4e-320};
    static const double lost[] = {1e16, 1, 1, 1, 1, -1e16};
    double many[5000];
    struct tp_tensor_stats stats;
    (void)state;
    tp_tensor_stats(&stats, TP_DTYPE_FLOAT64, huge, 4);
    assert_true(stats.mean == 0 && stats.std == 1e308 && isinf(stats.l2)); /* 2e308 exceeds the largest double */
    tp_tensor_stats(&stats, TP_DTYPE_FLOAT64, tiny, 2);
    assert_true(fabs(stats.l2 - 5e-320) < 1e-322 && stats.mean > 3.4e-320 && stats.mean < 3.6e-320);
    tp_tensor_stats(&stats, TP_DTYPE_FLOAT64, lost, 6);
    assert_true(stats.mean == 4.0 / 6);
    for (size_t i = 0; i < COUNT(many); i++) /* The deviation must be exact although the values are far from 0. */
        many[i] = 1e9 + (i % 2 ? 1 : -1);
    tp_tensor_stats(&stats, TP_DTYPE_FLOAT64, (char *)many, COUNT(many));
    assert_true(stats.mean == 1e9 && stats.std == 1);
}

static void data_need_not_be_aligned(void **state)
{
    char bytes[1 + 3 * sizeof(double)];
    static const double d[] = {1, 2, 3};
    struct tp_tensor_stats stats;
    (void)state;
    memcpy(bytes + 1, d, sizeof d);
    tp_tensor_stats(&stats, TP_DTYPE_FLOAT64, bytes + 1, 3);
    assert_true(stats.mean == 2);
}

static void impossible_shapes_are_refused(void **state)
{
    uint64_t count = 0;
    (void)state;
    assert_true(tp_tensor_count_elements(&count, TP_DTYPE_FLOAT32, 0, NULL) && count == 1);
    assert_true(tp_tensor_count_elements(&count, TP_DTYPE_FLOAT32, 3, (int64_t[]){2, 3, 4}) && count == 24);
    assert_true(tp_tensor_count_elements(&count, TP_DTYPE_FLOAT32, 3, (int64_t[]){INT64_MAX, 0, INT64_MAX}) &&
                count == 0);
    assert_false(tp_tensor_count_elements(&count, TP_DTYPE_FLOAT32, 2, (int64_t[]){2, -1}));
    assert_false(tp_tensor_count_elements(&count, TP_DTYPE_FLOAT32, 2, (int64_t[]){0, -1}));
    assert_false(tp_tensor_count_elements(&count, TP_DTYPE_FLOAT32, 2, (int64_t[]){INT64_MAX, 2}));
    assert_false(tp_tensor_count_elements(&count, TP_DTYPE_INT16, 1, (int64_t[]){INT64_MAX / 2 + 1}));
    assert_true(tp_tensor_count_elements(&count, TP_DTYPE_INT8, 1, (int64_t[]){INT64_MAX}));
}

/* ---- .npy files ---- */

static void headers_equal_those_of_numpy(void **state)
{
    char head[TP_NPY_MAX_HEAD];
    const int64_t dims[] = {2, 3}, most[TP_NPY_MAX_RANK] = {[0 ... 15] = INT64_MAX};
    (void)state;
    assert_int_equal(tp_npy_write_head(head, TP_DTYPE_FLOAT32, 2, dims), 128);
    assert_memory_equal(head, "\x93NUMPY\x01\0\x76\0{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 69);
    assert_int_equal(head[127], '\n');
    tp_npy_write_head(head, TP_DTYPE_BOOL, 1, dims);
    assert_memory_equal(head + 10, "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }  ", 59);
    tp_npy_write_head(head, TP_DTYPE_BFLOAT16, 0, NULL);
    assert_memory_equal(head + 10, "{'descr': '<u2', 'fortran_order': False, 'shape': (), }  ", 57);
    size_t size = tp_npy_write_head(head, TP_DTYPE_INT64, TP_NPY_MAX_RANK, most);
    assert_true(size % 64 == 0 && size <= TP_NPY_MAX_HEAD && head[size - 1] == '\n');
}

static void names_become_safe_file_names(void **state)
{
    static struct tp_session_place place = {.worker = "w", .step = 12};
    char path[TP_TENSOR_PATH], other[TP_TENSOR_PATH];
    static const char *const names[][2] = {{"layer1.0.weight", "w.tensors/12/layer1.0.weight.npy"},
                                           {"a/b", "w.tensors/12/a%2Fb.npy"},
                                           {"../x", "w.tensors/12/%2E.%2Fx.npy"},
                                           {"100%", "w.tensors/12/100%25.npy"},
                                           {"", "w.tensors/12/~cbf29ce484222325.npy"},
                                           {"\xc3\xa9 ~", "w.tensors/12/%C3%A9%20%7E.npy"}};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        strcpy(place.name, names[i][0]);
        tp_tensor_path(path, &place);
        assert_string_equal(path, names[i][1]);
    }
    memset(place.name, '/', 2000); /* both paths are truncated to the same text, so only their hashes differ */
    tp_tensor_path(path, &place);
    place.name[1999] = 'x';
    tp_tensor_path(other, &place);
    assert_string_not_equal(path, other);
    assert_in_range(strlen(path), 190, 225);
    memset(place.worker, 'w', sizeof place.worker - 1); /* makes the longest possible name */
    place.step = UINT64_MAX;
    tp_tensor_path(path, &place);
    assert_string_equal(path + strlen(path) - 4, ".npy");
}

/* ---- tracepress_tensor in the trace ---- */

static char folder[64], text[1 << 16];

static void read_trace(const struct tracepress_trace *trace, void *unused)
{
    char path[128];
    (void)unused;
    snprintf(path, sizeof path, "%s/t.json", folder);
    assert_int_equal(tracepress_export_chrome_trace(trace, path), 0);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
}

static void start_recording(const char *worker)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.directory = folder;
    options.worker = worker;
    options.handler = read_trace;
    assert_int_equal(tracepress_start(&options), 0);
}

/* Returns the arguments of the instant with this name. */
static const char *find_arguments(const char *name)
{
    static char line[2048];
    char wanted[256];
    snprintf(wanted, sizeof wanted, "\"cat\":\"tensor\",\"name\":\"%s\"", name);
    const char *at = strstr(text, wanted), *args = at ? strstr(at, "\"args\":") : NULL;
    if (!args) {
        fail_msg("no tensor %s in %s", name, text);
        return "";
    }
    snprintf(line, sizeof line, "%.*s", (int)strcspn(args, "\n"), args);
    return line;
}

static void statistics_are_in_the_trace(void **state)
{
    const float values[] = {3, 0, -4, NAN, INFINITY, 0};
    const int64_t dims[] = {2, 3}, negative[] = {-1}, most[17] = {0};
    (void)state;
    start_recording("stats");
    tracepress_step();
    tracepress_tensor(tracepress_intern("grad"), TRACEPRESS_FLOAT, 2, dims, values, TRACEPRESS_STATISTICS);
    tracepress_tensor(tracepress_intern("none"), TRACEPRESS_INT64, 1, (int64_t[]){0}, NULL, TRACEPRESS_STATISTICS);
    tracepress_tensor(1, TRACEPRESS_FLOAT, 1, negative, values, TRACEPRESS_STATISTICS); /* from here on, all six tensors
                                                                                         * are invalid */
    tracepress_tensor(1, TRACEPRESS_SCALAR, 0, NULL, values, TRACEPRESS_STATISTICS);
    tracepress_tensor(1, TRACEPRESS_UNKNOWN, 0, NULL, values, TRACEPRESS_STATISTICS);
    tracepress_tensor(1, TRACEPRESS_FLOAT, 17, most, values, TRACEPRESS_STATISTICS);
    tracepress_tensor(1, TRACEPRESS_FLOAT, 1, NULL, values, TRACEPRESS_STATISTICS);
    tracepress_tensor(1, TRACEPRESS_FLOAT, 0, NULL, NULL, TRACEPRESS_STATISTICS);
    tracepress_stop();
    assert_string_equal(find_arguments("grad"),
                        "\"args\":{\"dtype\":\"float32\",\"shape\":[2,3],\"step\":1,\"count\":6,"
                        "\"min\":-4.0,\"max\":3.0,\"mean\":-0.25,\"std\":2.48746859276655,"
                        "\"l2\":5.0,\"zeros\":2,\"nans\":1,\"infs\":1}},");
    assert_non_null(strstr(find_arguments("none"), "\"shape\":[0],\"step\":1,\"count\":0,\"min\":null,\"max\":null,"));
    assert_non_null(strstr(text, "\"tracepress_dropped\":6"));
}

static void assert_tensor_file(const char *worker, const char *rest, const char *expected, size_t size)
{
    char path[256], bytes[512];
    snprintf(path, sizeof path, "%s/%s.tensors/%s", folder, worker, rest);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s is missing", path);
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), 128 + size);
    assert_memory_equal(bytes + 128, expected, size);
    fclose(file);
}

static void values_are_written_as_files(void **state)
{
    const uint16_t brain[] = {0x3F80, 0x4000};
    const int32_t old[] = {1, 2}, new[] = {3, 4};
    const int64_t dims[] = {2};
    (void)state;
    start_recording("values");
    tracepress_tensor(tracepress_intern("a/w"), TRACEPRESS_INT32, 1, dims, old, TRACEPRESS_VALUES);
    tracepress_tensor(tracepress_intern("a/w"), TRACEPRESS_INT32, 1, dims, new, TRACEPRESS_VALUES);
    tracepress_step();
    tracepress_tensor(tracepress_intern("b"), TRACEPRESS_BFLOAT16, 1, dims, brain, TRACEPRESS_VALUES);
    tracepress_stop();
    assert_tensor_file("values", "0/a%2Fw.npy", (const char *)new, sizeof new);
    assert_tensor_file("values", "1/b.npy", (const char *)brain, sizeof brain);
    assert_non_null(strstr(find_arguments("a/w"), "\"file\":\"values.tensors/0/a%2Fw.npy\"}"));
    assert_non_null(strstr(find_arguments("b"), "\"file\":\"values.tensors/1/b.npy\",\"values\":\"bits as uint16\"}"));
}

static void size_limit_keeps_the_statistics(void **state)
{
    static char big[3 << 20];
    const int64_t dims[] = {sizeof big};
    char path[128];
    struct stat status;
    (void)state;
    setenv("TRACEPRESS_TENSOR_MB", "2", 1);
    setenv("TRACEPRESS_QUIET", "1", 1);
    start_recording("limit");
    tracepress_tensor(tracepress_intern("big"), TRACEPRESS_INT8, 1, dims, big, TRACEPRESS_VALUES);
    tracepress_stop();
    unsetenv("TRACEPRESS_TENSOR_MB");
    assert_non_null(strstr(find_arguments("big"), "\"zeros\":3145728,\"nans\":0,\"infs\":0,\"values\":\"not kept\"}"));
    snprintf(path, sizeof path, "%s/limit.tensors", folder);
    assert_int_equal(stat(path, &status), -1);
}

static void unwritable_folder_keeps_the_statistics(void **state)
{
    const int64_t dims[] = {1};
    char path[128];
    (void)state;
    snprintf(path, sizeof path, "%s/taken.tensors", folder); /* creates a file where the tensors' folder should be */
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    start_recording("taken");
    tracepress_tensor(tracepress_intern("a"), TRACEPRESS_INT8, 1, dims, "x", TRACEPRESS_VALUES);
    tracepress_tensor(tracepress_intern("b"), TRACEPRESS_INT8, 1, dims, "x", TRACEPRESS_VALUES);
    tracepress_stop();
    assert_non_null(strstr(find_arguments("a"), "\"values\":\"not kept\"}"));
    assert_non_null(strstr(find_arguments("b"), "\"values\":\"not kept\"}"));
}

static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tracepress-tensor-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int leave_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_type_is_read),
        cmocka_unit_test(half_floats_are_read_at_their_limits),
        cmocka_unit_test(statistics_use_finite_elements),
        cmocka_unit_test(sums_neither_overflow_nor_lose_precision),
        cmocka_unit_test(data_need_not_be_aligned),
        cmocka_unit_test(impossible_shapes_are_refused),
        cmocka_unit_test(headers_equal_those_of_numpy),
        cmocka_unit_test(names_become_safe_file_names),
        cmocka_unit_test(statistics_are_in_the_trace),
        cmocka_unit_test(values_are_written_as_files),
        cmocka_unit_test(size_limit_keeps_the_statistics),
        cmocka_unit_test(unwritable_folder_keeps_the_statistics),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
