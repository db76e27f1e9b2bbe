/* A trace written event by event, read, and everything made from it. Times are microseconds as a file has them. For one
 * test program each: all of it is static. `begin` and `end` are cmocka's setup and teardown of a case. */
#ifndef TP_TESTS_UNIT_SMALL_TRACE_H
#define TP_TESTS_UNIT_SMALL_TRACE_H

#include "webreport/measure/result/advice.h"

#include "event_text.h" /* last: its names are those of parameters in headers */

static struct tp_order order;
static struct tp_model model;
static struct tp_advice advice;
static int launch_thread; /* of the calls that `launch` and `call` write */

static int begin(void **state)
{
    launch_thread = 1;
    return begin_events(state);
}

/* A host event of a category; args: members of its arguments, "" for none. */
static void host_with(const char *category, const char *name, double ts, double dur, const char *args)
{
    event("{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":10,\"tid\":1,\"ts\":%.3f,\"dur\":%.3f,\"args\":{%s}}",
          category, name, ts, dur, args);
}

__attribute__((unused)) static void host(const char *category, const char *name, double ts, double dur)
{
    host_with(category, name, ts, dur, "");
}

__attribute__((unused)) static void step(int number, double ts, double dur)
{
    char name[32];
    snprintf(name, sizeof name, "ProfilerStep#%d", number);
    host_with("user_annotation", name, ts, dur, "");
}

static void call(const char *name, double ts, double dur, int correlation)
{
    event("{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"%s\",\"pid\":10,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,"
          "\"args\":{\"correlation\":%d}}",
          name, launch_thread, ts, dur, correlation);
}

__attribute__((unused)) static void launch(double ts, double dur, int correlation)
{
    call("cudaLaunchKernel", ts, dur, correlation);
}

/* A device operation; correlation 0: none. args: more members, each behind a comma. */
static void operation(const char *category, const char *name, double ts, double dur, int correlation, int device,
                      int stream, const char *args)
{
    char link[32] = "";
    if (correlation)
        snprintf(link, sizeof link, ",\"correlation\":%d", correlation);
    event("{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,"
          "\"args\":{\"device\":%d,\"stream\":%d%s%s}}",
          category, name, device, stream, ts, dur, device, stream, link, args);
}

__attribute__((unused)) static void kernel(const char *name, double ts, double dur, int correlation)
{
    operation("kernel", name, ts, dur, correlation, 0, 7, "");
}

/* Reads the events, with `header` (members in front of them, each with a comma behind; "" for none), and builds model
 * and advice. */
/* A few operations stand for many: rules judge them all the same. A test may add one, for its next trace. */
static const char *settings[2] = {"R2.max_operations=0"};

/* Of tests that count what a cause takes alone: recording costs nothing. */
static bool is_recording_free;
static const char *const free_recording[] = {"H6.operator_ns=0", "H6.shapes_ns=0", "H6.frame_ns=0",
                                             "H6.memory_ns=0"}; /* of events */

static void build_with(const char *header)
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

__attribute__((unused)) static void build(void)
{
    build_with("");
}

#endif
