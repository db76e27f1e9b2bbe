/* Writes a trace event by event, reads it, and builds model and advice from it. Times are in microseconds, as in trace
 * files. Each test program includes this file once, so everything is static. `begin_trace_test` and `end` are cmocka's
 * setup and teardown of a case. */
#ifndef TP_TESTS_UNIT_SMALL_TRACE_H
#define TP_TESTS_UNIT_SMALL_TRACE_H

#include <math.h>

#include "webreport/measure/result/advice.h"

#include "event_text.h" /* included last, because other headers use the names of its functions for parameters */

static struct tp_order order;
static struct tp_model model;
static struct tp_advice advice;
static int launch_thread; /* thread of the host calls that `write_launch` and `call` write */

static int begin_trace_test(void **state)
{
    launch_thread = 1;
    return begin_event_text(state);
}

/* Adds a host event of a category. args: members of the event's arguments, or "". */
static void write_host_event_with_args(const char *category, const char *name, double ts, double dur, const char *args)
{
    add_event(
        "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":10,\"tid\":1,\"ts\":%.3f,\"dur\":%.3f,\"args\":{%s}}",
        category, name, ts, dur, args);
}

__attribute__((unused)) static void write_host_event(const char *category, const char *name, double ts, double dur)
{
    write_host_event_with_args(category, name, ts, dur, "");
}

__attribute__((unused)) static void step(int number, double ts, double dur)
{
    char name[32];
    snprintf(name, sizeof name, "ProfilerStep#%d", number);
    write_host_event_with_args("user_annotation", name, ts, dur, "");
}

static void call(const char *name, double ts, double dur, int correlation)
{
    add_event("{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"%s\",\"pid\":10,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,"
              "\"args\":{\"correlation\":%d}}",
              name, launch_thread, ts, dur, correlation);
}

__attribute__((unused)) static void write_launch(double ts, double dur, int correlation)
{
    call("cudaLaunchKernel", ts, dur, correlation);
}

/* Adds a device operation. correlation: number that the launch has too; 0: no launch. args: further members, each
 * after a comma. */
static void write_operation(const char *category, const char *name, double ts, double dur, int correlation, int device,
                            int stream, const char *args)
{
    char link[32] = "";
    if (correlation)
        snprintf(link, sizeof link, ",\"correlation\":%d", correlation);
    add_event("{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,"
              "\"args\":{\"device\":%d,\"stream\":%d%s%s}}",
              category, name, device, stream, ts, dur, device, stream, link, args);
}

__attribute__((unused)) static void write_kernel(const char *name, double ts, double dur, int correlation)
{
    write_operation("kernel", name, ts, dur, correlation, 0, 7, "");
}

/* Settings of rules. The first one lets rules examine traces with few operations. A test can set the second one. */
static const char *settings[2] = {"R2.max_operations=0"};

/* true if recording costs no time, for tests that check only the time of the cause */
static bool is_recording_free;
static const char *const free_recording[] = {"H6.operator_ns=0", "H6.shapes_ns=0", "H6.frame_ns=0",
                                             "H6.memory_ns=0"}; /* makes recording cost 0 ns per event */

static void build_trace_with_header(const char *header)
{
    make_model(&arena, &trace, &order, &model, header, text.data ? text.data : "");
    struct tp_rule_overrides overrides = {0};
    for (unsigned i = 0; i < sizeof settings / sizeof *settings && settings[i]; i++)
        assert_int_equal(tp_rules_override(&overrides, settings[i], NULL), 0);
    for (unsigned i = 0; is_recording_free && i < sizeof free_recording / sizeof *free_recording; i++)
        assert_int_equal(tp_rules_override(&overrides, free_recording[i], NULL), 0);
    tp_advice_build(&advice, &model, &overrides, &arena);
    settings[1] = NULL;
}

/* Checks one part of a finding's detail: its id, and its numbers rounded to one decimal. NAN: the argument is a text,
 * which ASSERT_TEXT_OF checks. */
__attribute__((unused)) static void assert_detail_part(const struct tp_detail *part, enum tp_detail_id id,
                                                       const double *expected, size_t count)
{
    assert_non_null(part);
    assert_int_equal(part->id, id);
    for (size_t i = 0; i < count; i++) {
        const struct tp_detail_argument *argument = &part->arguments[i];
        bool is_real = argument->type == TP_ARGUMENT_PERCENT || argument->type == TP_ARGUMENT_REAL;
        if (argument->type == TP_ARGUMENT_TEXT)
            assert_true(isnan(expected[i]));
        else if (fabs((is_real ? argument->real : (double)argument->number) - expected[i]) > (is_real ? 0.05 : 0))
            fail_msg("argument %zu is %g or %lld, not %g", i, argument->real, (long long)argument->number, expected[i]);
    }
}
#define ASSERT_PART(part, id, ...)                                                                                     \
    assert_detail_part((part), (id), (const double[]){__VA_ARGS__},                                                    \
                       sizeof(const double[]){__VA_ARGS__} / sizeof(double))
#define ASSERT_TEXT_OF(part, number, expected)                                                                         \
    assert_true(tp_str_equal((part)->arguments[number].text, tp_str_of(expected)))

__attribute__((unused)) static void build_trace(void)
{
    build_trace_with_header("");
}

#endif
