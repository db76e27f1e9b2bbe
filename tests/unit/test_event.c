/* Tests timing events of the CPU, and of CUDA with the driver that the program has loaded (tests/fake/libcuda.c). */
#include "collector/tracepress.h"

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/session.h"
#include "writer/spool/spool_trace.h"

static int64_t monotonic_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void cpu_events_use_the_cpu_clock(void **state)
{
    struct tracepress_event *a = tracepress_event_create(0, TRACEPRESS_CPU);
    struct tracepress_event *b = tracepress_event_create(0, TRACEPRESS_CPU);
    (void)state;
    assert_int_equal(tracepress_event_query(a), -1);
    assert_int_equal(tracepress_event_synchronize(a), -1);
    assert_true(isnan(tracepress_event_elapsed(a, b)));
    int64_t before = monotonic_now_ns();
    assert_int_equal(tracepress_event_record(a, NULL), 0);
    int64_t inner = monotonic_now_ns();
    usleep(2000);
    inner = monotonic_now_ns() - inner;
    assert_int_equal(tracepress_event_record(b, NULL), 0);
    int64_t outer = monotonic_now_ns() - before, ns = tracepress_event_elapsed_ns(a, b);
    /* the test measured a shorter and a longer time with the same clock, and the time of the events is between them */
    assert_in_range(ns, inner, outer);
    assert_true(tracepress_event_elapsed(a, b) == (double)ns / 1e6);
    assert_int_equal(tracepress_event_elapsed_ns(b, a), -ns);
    assert_int_equal(tracepress_event_query(b), 1);
    assert_int_equal(tracepress_event_synchronize(b), 0);
    tracepress_event_destroy(a);
    tracepress_event_destroy(b);
}

static void null_event_is_never_ready(void **state)
{
    (void)state;
    assert_int_equal(tracepress_event_record(NULL, NULL), -1);
    assert_int_equal(tracepress_event_query(NULL), -1);
    assert_int_equal(tracepress_event_synchronize(NULL), -1);
    assert_true(isnan(tracepress_event_elapsed(NULL, NULL)));
    assert_true(tracepress_event_elapsed_ns(NULL, NULL) == INT64_MIN);
    tracepress_event_destroy(NULL);
}

static void cuda_events_without_driver_fail_and_load_none(void **state)
{
    struct tracepress_event *event = tracepress_event_create(0, TRACEPRESS_CUDA);
    (void)state;
    assert_int_equal(tracepress_event_record(event, NULL), -1);
    assert_int_equal(tracepress_event_query(event), -1);
    assert_null(dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD));
    tracepress_event_destroy(event);
}

/* ---- CUDA events with the driver of tests/fake ---- */

static void *driver;
static void (*fake_context)(int has);
static int (*fake_events)(void);

static void *find_symbol(const char *name)
{
    void *found = dlsym(driver, name);
    assert_non_null(found);
    return found;
}

static int load_driver(void **state)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 32);
    (void)state;
    assert_true(n > 0);
    path[n] = '\0';
    strcpy(strrchr(path, '/'), "/../libcuda.so");
    driver = dlopen(path, RTLD_NOW);
    if (!driver)
        fail_msg("%s", dlerror());
    *(void **)&fake_context = find_symbol("fake_cuda_context");
    *(void **)&fake_events = find_symbol("fake_cuda_event_count");
    return 0;
}

static void cuda_events_use_the_driver(void **state)
{
    struct tracepress_event *a = tracepress_event_create(0, TRACEPRESS_CUDA);
    struct tracepress_event *b = tracepress_event_create(0, TRACEPRESS_CUDA);
    struct tracepress_event *cpu = tracepress_event_create(0, TRACEPRESS_CPU);
    (void)state;
    assert_int_equal(tracepress_event_record(a, NULL), -1); /* fails, because there is no CUDA context */
    assert_int_equal(tracepress_event_query(a), -1);
    fake_context(1);
    assert_int_equal(tracepress_event_record(a, NULL), 0);
    assert_int_equal(tracepress_event_record(b, NULL), 0);
    assert_int_equal(tracepress_event_record(b, NULL), 0); /* a second record replaces the first one */
    assert_int_equal(tracepress_event_query(b), 0);
    assert_true(isnan(tracepress_event_elapsed(a, b))); /* the result is unknown until the device has reached the
                                                         * event */
    assert_int_equal(tracepress_event_synchronize(a), 0);
    assert_int_equal(tracepress_event_synchronize(b), 0);
    assert_int_equal(tracepress_event_query(b), 1);
    /* the driver adds 1.5 ms per record, and b is two records after a */
    assert_true(tracepress_event_elapsed(a, b) == 3.0);
    assert_int_equal(tracepress_event_elapsed_ns(b, a), -3000000);
    assert_int_equal(tracepress_event_record(cpu, NULL), 0);
    assert_true(isnan(tracepress_event_elapsed(cpu, b))); /* the clocks of CPU and CUDA cannot be compared */
    assert_int_equal(fake_events(), 2);
    tracepress_event_destroy(a);
    tracepress_event_destroy(b);
    tracepress_event_destroy(cpu);
    assert_int_equal(fake_events(), 0);
}

/* ---- timing events in a recording ---- */

static char text[1 << 14];

static void read_trace(const struct tracepress_trace *trace, void *context)
{
    const char *path = context;
    assert_int_equal(tracepress_export_chrome_trace(trace, path), 0);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    unlink(path);
}

static void recording_contains_event_marks(void **state)
{
    char folder[] = "/tmp/tracepress-event-XXXXXX", path[64];
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.json", folder);
    options.directory = folder;
    options.handler = read_trace;
    options.context = path;
    assert_int_equal(tracepress_start(&options), 0);
    struct tracepress_event *cpu = tracepress_event_create(tracepress_intern("loaded"), TRACEPRESS_CPU);
    struct tracepress_event *cuda = tracepress_event_create(tracepress_intern("copied"), TRACEPRESS_CUDA);
    assert_int_equal(tracepress_event_record(cpu, (void *)64), 0);
    assert_int_equal(tracepress_event_record(cuda, (void *)64), 0);
    tracepress_stop();
    assert_non_null(strstr(text, "\"cat\":\"timing_event\",\"name\":\"loaded\""));
    const char *first = strstr(text, "\"name\":\"loaded\""), *second = strstr(text, "\"name\":\"copied\"");
    assert_true(first && second && first < second);
    assert_non_null(strstr(first, "\"device_type\":\"cpu\"}"));
    assert_non_null(strstr(second, "\"device_type\":\"cuda\",\"cuda_stream\":64}"));
    tracepress_event_destroy(cpu);
    tracepress_event_destroy(cuda);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    setenv("TRACEPRESS_QUIET", "1", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu_events_use_the_cpu_clock),
        cmocka_unit_test(null_event_is_never_ready),
        cmocka_unit_test(cuda_events_without_driver_fail_and_load_none),
        cmocka_unit_test_setup(cuda_events_use_the_driver, load_driver),
        cmocka_unit_test_setup(recording_contains_event_marks, load_driver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
