/* Tests the calls of the operating system by thread and function, and the idle time of the devices during them. */
#include "made_trace.h"

#include <math.h>

#include "webreport/measure/views/os_call_view.h"

#define EVENT(cat, name, tid, ts, dur, args)                                                                           \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":9,\"tid\":" #tid ",\"ts\":" #ts ",\"dur\":" #dur  \
    ",\"args\":{" args "}}"
/* a step from 100 to 200 us, whose kernel runs from 140 to 170 us; thread 9 launches it */
#define STEP                                                                                                           \
    EVENT("user_annotation", "ProfilerStep#1", 9, 100, 100, "")                                                        \
    "," EVENT("cuda_runtime", "cudaLaunchKernel", 9, 110, 5, "\"correlation\":1") "," EVENT(                           \
        "kernel", "k", 7, 140, 30, "\"device\":0,\"stream\":7,\"correlation\":1") "," EVENT("cpu_op", "o", 8, 100, 1,  \
                                                                                            "")

struct made {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_os_call_view view;
};

/* Returns the number of a thread of the trace. */
static uint32_t thread_by_tid(const struct made *m, int64_t tid)
{
    uint32_t i = 0;
    while (m->trace.threads[i].tid.number != tid)
        i++;
    return i;
}

static void make_view(struct made *m, struct tp_os_call *calls, uint32_t count)
{
    make_model(&m->arena, &m->trace, &m->order, &m->model, "", STEP);
    for (uint32_t i = 0; i < count; i++)
        calls[i].thread = thread_by_tid(m, calls[i].thread);
    m->trace.input.os_calls = calls;
    m->trace.input.os_call_count = count;
    tp_os_call_view_build(&m->view, &m->model, &m->arena);
}

static int64_t cell(const struct made *m, unsigned column, size_t row)
{
    return tp_table_int(&m->view.calls, column)[row];
}

static void idle_time_is_that_of_the_launching_thread(void **state)
{
    struct made m;
    /* two calls of thread 9 overlap from 130 to 150 us; the device is idle before 140 and from 170 us on */
    struct tp_os_call calls[] = {
        {120000, 30000, 0, 9}, {130000, 50000, 0, 9}, {0, 500000, 0, 8}, {500000, 10000, 1, 9}};
    (void)state;
    make_view(&m, calls, 4);
    assert_int_equal(m.view.calls.row_count, 3);
    assert_int_equal(cell(&m, TP_OS_CALL_COUNT, 0), 2);
    assert_int_equal(cell(&m, TP_OS_CALL_TOTAL, 0), 60000);
    assert_int_equal(cell(&m, TP_OS_CALL_MAX, 0), 50000);
    assert_int_equal(cell(&m, TP_OS_CALL_IN_WINDOW, 0), 60000);
    assert_int_equal(cell(&m, TP_OS_CALL_IDLE, 0), 30000);
    assert_int_equal(cell(&m, TP_OS_CALL_IN_WINDOW, 1), 0); /* after the step */
    assert_int_equal(cell(&m, TP_OS_CALL_IDLE, 1), 0);
    assert_int_equal(cell(&m, TP_OS_CALL_IN_WINDOW, 2), 100000);
    assert_int_equal(cell(&m, TP_OS_CALL_IDLE, 2), TP_NULL_INT);
    assert_int_equal(m.view.idle_ns, 70000);
    assert_int_equal(m.view.during_ns, 30000);
    tp_arena_release(&m.arena);
}

static void a_trace_without_calls_has_no_view(void **state)
{
    struct made m;
    (void)state;
    make_view(&m, NULL, 0);
    assert_false(m.view.is_present);
    assert_true(isnan(m.view.during_percent));
    tp_arena_release(&m.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_time_is_that_of_the_launching_thread),
        cmocka_unit_test(a_trace_without_calls_has_no_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
