/* Tests the stacks of a device trace: device time, host time, idle time and bytes by stack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "webreport/measure/charts/value_stacks.h"
#include "webreport/model/build.h"
#include "writer/base/limits.h"

struct scene {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_value_stacks stacks;
};

#define HOST(cat, name, ts, dur, args)                                                                                 \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" ts ",\"dur\":" dur           \
    ",\"args\":{" args "}}"
#define KERNEL(name, ts, dur, correlation)                                                                             \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" ts ",\"dur\":" dur            \
    ",\"args\":{\"device\":0,\"stream\":7,\"correlation\":" correlation "}}"
#define MEMORY(ts, bytes, type)                                                                                        \
    "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"s\":\"t\",\"pid\":1,\"tid\":1,\"ts\":" ts     \
    ",\"args\":{\"Device Type\":" type ",\"Device Id\":0,\"Bytes\":" bytes ",\"Total Allocated\":0,"                   \
    "\"Total Reserved\":0,\"Addr\":1}}"

static void build(struct scene *s, const char *events)
{
    size_t size = strlen(events) + 64;
    char *text = tp_arena_alloc(&s->arena, size);
    int length = snprintf(text, size, "{\"traceEvents\":[%s]}", events);
    struct tp_trace_options options = {.single_thread = true};
    struct tp_error err;
    assert_int_equal(tp_trace_read_bytes(&s->trace, &s->arena, text, (size_t)length, &options, &err), 0);
    tp_order_build(&s->order, &s->trace, &s->arena);
    tp_model_build(&s->model, &s->trace, &s->order, &s->arena);
    tp_value_stacks_build(&s->stacks, &s->model, &s->arena);
}

/* Returns a stack as text: "outermost;innermost". Frames of code are followed by ":LINE". */
static const char *stack_text(const struct scene *s, uint32_t node)
{
    static char text[4096];
    struct tp_vec path = TP_VEC(s->stacks.arena, uint32_t);
    size_t size = 0;
    tp_value_stack_path(&s->stacks, node, &path);
    text[0] = '\0';
    for (size_t i = path.count; i-- > 0 && size < sizeof text - 256;) {
        struct tp_value_frame frame = tp_value_frame_at(&s->stacks, *TP_AT(&path, uint32_t, i));
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%.*s", size ? ";" : "", (int)frame.name.len,
                                 frame.name.ptr);
        if (frame.line)
            size += (size_t)snprintf(text + size, sizeof text - size, ":%u", (unsigned)frame.line);
    }
    return text;
}

/* Returns the sum of a value with this stack. */
static int64_t amount_of(const struct scene *s, enum tp_value value, const char *stack)
{
    int64_t sum = 0;
    for (uint32_t t = 0; t < tp_value_track_count(&s->stacks); t++) {
        const struct tp_value_track *track = tp_value_track_at(&s->stacks, t);
        const struct tp_value_item *items = tp_value_items_of(&s->stacks, track);
        for (uint32_t i = 0; track->value == value && i < track->count; i++)
            sum += strcmp(stack_text(s, items[i].stack), stack) == 0 ? items[i].amount : 0;
    }
    return sum;
}

#define OPEN(s)                                                                                                        \
    struct scene s = {0};                                                                                              \
    tp_arena_init(&s.arena, 0);                                                                                        \
    assert_int_equal(setjmp(s.arena.guard), 0)

#define TRAINING                                                                                                       \
    HOST("user_annotation", "ProfilerStep#1", "0", "100", "")                                                          \
    "," HOST("python_function", "train.py(88): step", "0", "99",                                                       \
             "") "," HOST("cpu_op", "aten::mm", "10", "20",                                                            \
                          "\"External id\":1") "," HOST("cuda_runtime", "cudaLaunchKernel", "15", "5",                 \
                                                        "\"correlation\":11") "," KERNEL("gemm", "40", "30", "11")

static void device_time_has_the_stack_of_its_launch(void **state)
{
    (void)state;
    OPEN(s);
    build(&s, TRAINING);
    assert_int_equal(s.stacks.sums[TP_VALUE_DEVICE], 30000);
    assert_int_equal(amount_of(&s, TP_VALUE_DEVICE, "ProfilerStep*;step:88;aten::mm;cudaLaunchKernel;gemm"), 30000);
    tp_arena_release(&s.arena);
}

static void every_nanosecond_of_a_thread_has_one_stack(void **state)
{
    (void)state;
    OPEN(s);
    build(&s, TRAINING);
    assert_int_equal(s.stacks.sums[TP_VALUE_HOST], 100000);
    assert_int_equal(amount_of(&s, TP_VALUE_HOST, "ProfilerStep*;step:88"), 79000);
    assert_int_equal(amount_of(&s, TP_VALUE_HOST, "ProfilerStep*;step:88;aten::mm"), 15000);
    assert_int_equal(amount_of(&s, TP_VALUE_HOST, "ProfilerStep*;step:88;aten::mm;cudaLaunchKernel"), 5000);
    assert_int_equal(s.stacks.sums[TP_VALUE_OPERATORS], 15000);
    assert_int_equal(amount_of(&s, TP_VALUE_OPERATORS, "ProfilerStep*;step:88;aten::mm"), 15000);
    tp_arena_release(&s.arena);
}

static void idle_time_has_the_line_of_the_host_and_a_reason(void **state)
{
    (void)state;
    OPEN(s);
    build(&s, TRAINING "," KERNEL("late", "90", "10", "12") "," HOST("cuda_runtime", "cudaLaunchKernel", "80", "5",
                                                                     "\"correlation\":12"));
    int64_t sum = 0;
    for (uint32_t i = 0; i < s.model.gpus[0].idle_count; i++)
        sum += s.model.gpus[0].idle[i].b - s.model.gpus[0].idle[i].a;
    assert_true(sum > 0);
    assert_int_equal(s.stacks.sums[TP_VALUE_IDLE], sum);
    assert_int_equal(amount_of(&s, TP_VALUE_IDLE, "ProfilerStep*;step:88;[idle: host]"),
                     20000); /* before the first operator and after the first kernel */
    assert_int_equal(amount_of(&s, TP_VALUE_IDLE, "ProfilerStep*;step:88;cudaLaunchKernel;[idle: launch]"), 5000);
    tp_arena_release(&s.arena);
}

static void bytes_of_devices_and_of_the_host_are_separate(void **state)
{
    (void)state;
    OPEN(s);
    build(&s, TRAINING "," MEMORY("12", "512", "1") "," MEMORY("13", "-512", "1") "," MEMORY(
                  "50", "64", "0") "," MEMORY("200", "8", "0"));
    assert_int_equal(s.stacks.sums[TP_VALUE_DEVICE_BYTES], 512);
    assert_int_equal(s.stacks.sums[TP_VALUE_HOST_BYTES], 72);
    assert_int_equal(amount_of(&s, TP_VALUE_DEVICE_BYTES, "ProfilerStep*;step:88;aten::mm"), 512);
    assert_int_equal(amount_of(&s, TP_VALUE_HOST_BYTES, "ProfilerStep*;step:88"), 64);
    assert_int_equal(amount_of(&s, TP_VALUE_HOST_BYTES, "[no host event]"), 8);
    tp_arena_release(&s.arena);
}

static void an_early_call_has_the_stack_of_its_operator(void **state)
{
    (void)state;
    OPEN(s);
    build(&s, HOST("cuda_runtime", "cudaLaunchKernel", "8", "1", "\"External id\":5,\"correlation\":11") "," HOST(
                  "cpu_op", "aten::mm", "10", "20", "\"External id\":5") "," KERNEL("gemm", "40", "30", "11"));
    assert_int_equal(amount_of(&s, TP_VALUE_DEVICE, "aten::mm;cudaLaunchKernel;gemm"), 30000);
    tp_arena_release(&s.arena);
}

static void work_without_a_launch_is_kept(void **state)
{
    (void)state;
    OPEN(s);
    build(&s, KERNEL("alone", "40", "30", "11"));
    assert_int_equal(amount_of(&s, TP_VALUE_DEVICE, "alone"), 30000);
    tp_arena_release(&s.arena);
}

static void a_recorded_call_stack_replaces_missing_frames(void **state)
{
    (void)state;
    OPEN(s);
    build(&s, HOST("cpu_op", "aten::mm", "10", "20", "\"Call stack\":\"model.py(7): forward;train.py(3): main\""));
    assert_int_equal(amount_of(&s, TP_VALUE_OPERATORS, "main:3;forward:7;aten::mm"), 20000);
    tp_arena_release(&s.arena);
}

static void deep_nesting_is_cut_and_keeps_the_sums(void **state)
{
    (void)state;
    enum { DEEP = 3000 };
    OPEN(s);
    char *text = tp_arena_alloc(&s.arena, (size_t)DEEP * 128), *at = text;
    for (int i = 0; i < DEEP; i++)
        at += sprintf(at,
                      "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d}",
                      i ? "," : "", i, i, 2 * DEEP - 2 * i);
    build(&s, text);
    assert_int_equal(s.stacks.sums[TP_VALUE_HOST], (int64_t)2 * DEEP * 1000);
    for (uint32_t n = 0; n < tp_keys_count(&s.stacks.nodes); n++)
        assert_true(*TP_AT(&s.stacks.depths, uint32_t, n) <= TP_MAX_FOLDED_DEPTH);
    tp_arena_release(&s.arena);
}

static void sums_by_stack_add_up(void **state)
{
    (void)state;
    OPEN(s);
    build(&s, TRAINING);
    struct tp_value_sums sums;
    const struct tp_value_track *track = NULL;
    for (uint32_t t = 0; t < tp_value_track_count(&s.stacks); t++)
        if (tp_value_track_at(&s.stacks, t)->value == TP_VALUE_HOST)
            track = tp_value_track_at(&s.stacks, t);
    assert_non_null(track);
    tp_value_sums_of_track(&sums, &s.stacks, track);
    assert_int_equal(track->count, 6); /* step function, operator, call, operator, step function, step */
    assert_int_equal(sums.count, 4);
    int64_t sum = 0;
    for (uint32_t i = 0; i < sums.count; i++)
        sum += sums.items[i].amount;
    assert_int_equal(sum, 100000);
    tp_arena_release(&s.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_time_has_the_stack_of_its_launch),
        cmocka_unit_test(every_nanosecond_of_a_thread_has_one_stack),
        cmocka_unit_test(idle_time_has_the_line_of_the_host_and_a_reason),
        cmocka_unit_test(bytes_of_devices_and_of_the_host_are_separate),
        cmocka_unit_test(an_early_call_has_the_stack_of_its_operator),
        cmocka_unit_test(work_without_a_launch_is_kept),
        cmocka_unit_test(a_recorded_call_stack_replaces_missing_frames),
        cmocka_unit_test(deep_nesting_is_cut_and_keeps_the_sums),
        cmocka_unit_test(sums_by_stack_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
