/* Tests ranges with device time, forward operators, and calls next to their operator. All numbers are counted by hand
 * from the events of each test. */
#include <stdio.h>

#include "tests/unit/made_trace.h"

#include "webreport/measure/views/range_times.h"
#include "webreport/model/forward.h"
#include "writer/base/limits.h"

static struct tp_arena arena;
static struct tp_trace trace;
static struct tp_order order;
static struct tp_model model;
static struct tp_range_times view;

#define ON(tid, cat, name, ts, dur, args)                                                                              \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":" #tid ",\"ts\":" #ts ",\"dur\":" #dur  \
    ",\"args\":{" args "}},"
#define RANGE(name, ts, dur) ON(10, "user_annotation", name, ts, dur, "")
#define FRAME(name, ts, dur) ON(10, "python_function", name, ts, dur, "")
#define MODULE(name, ts, dur) ON(10, "python_function", "nn.Module: " name, ts, dur, "\"Python module id\":1")
#define OP(tid, name, ts, dur, args) ON(tid, "cpu_op", name, ts, dur, args)
#define FORWARD(number) "\"Sequence number\":" #number ",\"Fwd thread id\":0"
#define BACKWARD(number) "\"Sequence number\":" #number ",\"Fwd thread id\":1"
#define ID(number) "\"External id\":" #number
#define CALL(tid, ts, correlation, args)                                                                               \
    ON(tid, "cuda_runtime", "cudaLaunchKernel", ts, 1, args "\"correlation\":" #correlation)
#define KERNEL(ts, dur, correlation, args)                                                                             \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":" #ts ",\"dur\":" #dur                 \
    ",\"args\":{\"device\":0,\"stream\":7," args "\"correlation\":" #correlation "}},"
#define LINK(phase, id, tid, ts)                                                                                       \
    "{\"ph\":\"" phase "\",\"cat\":\"fwdbwd\",\"name\":\"fwdbwd\",\"id\":" #id ",\"pid\":1,\"tid\":" #tid              \
    ",\"ts\":" #ts "},"
#define LAST ON(99, "cpu_op", "last", 9000, 0, "")

/* Builds the model and the table of a trace. events: each event ends in a comma. */
static void build(const char *events)
{
    static char text[1 << 18];
    size_t size = strlen(events);
    assert_true(size && size < sizeof text);
    memcpy(text, events, size - 1);
    text[size - 1] = '\0';
    make_model(&arena, &trace, &order, &model, "", text);
    tp_range_times_build(&view, &model, &arena);
}

static int end_test(void **state)
{
    (void)state;
    tp_arena_release(&arena);
    return 0;
}

static size_t find_row(const char *name)
{
    for (size_t i = 0; i < view.table.row_count; i++)
        if (tp_str_equal(tp_table_text(&view.table, TP_RANGE_TIME_NAME)[i], tp_str_of(name)))
            return i;
    fail_msg("no row %s", name);
    return 0;
}

/* Checks calls, and the host, forward, backward, busy and self times of a row, in us. */
static void assert_row(const char *name, const int64_t expected[6])
{
    static const unsigned columns[6] = {TP_RANGE_TIME_CALLS,    TP_RANGE_TIME_HOST, TP_RANGE_TIME_FORWARD,
                                        TP_RANGE_TIME_BACKWARD, TP_RANGE_TIME_BUSY, TP_RANGE_TIME_SELF};
    size_t row = find_row(name);
    for (unsigned i = 0; i < 6; i++) {
        int64_t value = tp_table_int(&view.table, columns[i])[row];
        if (value != expected[i] * (i ? 1000 : 1))
            fail_msg("%s %s is %lld, not %lld", name, tp_range_time_columns[columns[i]].name, (long long)value,
                     (long long)expected[i]);
    }
    assert_int_equal(tp_table_int(&view.table, TP_RANGE_TIME_DEVICE)[row], (expected[2] + expected[3]) * 1000);
}
#define ROW(name, ...) assert_row(name, (const int64_t[6]){__VA_ARGS__})

static void backward_work_counts_for_the_range_of_its_forward_operator(void **state)
{
    (void)state;
    build(RANGE("ProfilerStep#0", 0, 2000) RANGE("encoder", 100, 100) RANGE("encoder", 110, 30)
              OP(10, "aten::mm", 112, 20, FORWARD(5)) CALL(10, 115, 1, "") KERNEL(150, 10, 1, "")
                  OP(11, "autograd::engine::evaluate_function: MmBackward0", 300, 40, BACKWARD(5))
                      OP(11, "MmBackward0", 305, 30, BACKWARD(5)) OP(11, "aten::mm", 306, 20, "") CALL(11, 310, 2, "")
                          KERNEL(350, 20, 2, "") RANGE("encoder", 500, 50) RANGE("optimizer", 600, 50)
                              OP(10, "aten::add_", 610, 20, "") CALL(10, 615, 3, "") KERNEL(650, 7, 3, ""));
    assert_int_equal(view.table.row_count, 3);
    ROW("ProfilerStep*", 1, 2000, 17, 20, 37, 0);
    ROW("encoder", 3, 150, 10, 20, 30, 30);
    ROW("optimizer", 1, 50, 7, 0, 7, 7);
    assert_int_equal(view.outside_ns, 0);
    assert_true(view.has_device_time);
}

static void threads_and_links_without_sequence_numbers_are_counted(void **state)
{
    (void)state;
    build(RANGE("stage", 100, 100) OP(10, "aten::mm", 110, 20, "") CALL(10, 115, 1, "") KERNEL(150, 10, 1, "")
              ON(12, "user_annotation", "stage", 120, 100, "") OP(12, "aten::mm", 130, 20, "") CALL(12, 135, 2, "")
                  KERNEL(155, 10, 2, "") ON(11, "user_annotation", "backward", 290, 100, "")
                      OP(11, "MmBackward0", 300, 30, "") CALL(11, 310, 3, "") KERNEL(350, 20, 3, "")
                          LINK("s", 1, 10, 110) LINK("f", 1, 11, 300));
    ROW("stage", 2, 200, 20, 20, 35, 40);
    ROW("backward", 1, 100, 20, 0, 20, 0);
    assert_int_equal(tp_table_int(&view.table, TP_RANGE_TIME_THREADS)[find_row("stage")], 2);
}

static void a_range_around_forward_and_backward_counts_work_once(void **state)
{
    (void)state;
    build(RANGE("train", 0, 500) RANGE("forward", 100, 50) OP(10, "aten::mm", 110, 20, FORWARD(1)) RANGE(
        "back", 200, 50) OP(10, "MmBackward0", 210, 20, BACKWARD(1)) CALL(10, 215, 1, "") KERNEL(300, 8, 1, ""));
    ROW("train", 1, 500, 8, 0, 8, 0);
    ROW("back", 1, 50, 8, 0, 8, 0);
    ROW("forward", 1, 50, 0, 8, 8, 8);
}

static void nested_names_count_the_outermost_range(void **state)
{
    (void)state;
    /* the inner range ends after the outer one, so the row is open until 130 */
    build(RANGE("a", 0, 100) RANGE("a", 50, 80) OP(10, "aten::mm", 115, 5, "") CALL(10, 116, 1, "")
              KERNEL(200, 4, 1, "") RANGE("b", 300, 10) CALL(10, 310, 2, "") KERNEL(400, 2, 2, ""));
    ROW("a", 2, 100, 4, 0, 4, 4);
    ROW("b", 1, 10, 0, 0, 0, 0); /* the call starts when the range ends */
    assert_int_equal(view.outside_ns, 2000);
}

static void assert_host_self(const char *name, int64_t us)
{
    assert_int_equal(tp_table_int(&view.table, TP_RANGE_TIME_HOST_SELF)[find_row(name)], us * 1000);
}

/* Steps are ranges around others, modules are subtracted from modules only, and each thread counts on its own. */
static void host_self_time_excludes_the_ranges_directly_inside(void **state)
{
    (void)state;
    build(RANGE("ProfilerStep#1", 0, 100) RANGE("a", 10, 80) RANGE("b", 20, 30) RANGE("a", 25, 10) MODULE("M_0", 26, 6)
              MODULE("N_0", 27, 2) RANGE("b", 60, 5) ON(11, "user_annotation", "b", 15, 70, ""));
    assert_host_self("ProfilerStep*", 20);
    assert_host_self("a", 80 - 30 - 5 + 10);
    assert_host_self("b", 30 - 10 + 5 + 70);
    assert_host_self("nn.Module: M_0", 4);
    assert_host_self("nn.Module: N_0", 2);
    tp_arena_release(&arena);
    build(RANGE("a", 0, 100) RANGE("b", 50, 80) RANGE("c", 110, 5)); /* b ends after a */
    assert_host_self("a", 50);
    assert_host_self("b", 75);
    assert_host_self("c", 5);
}

static void work_per_step_needs_analysed_steps(void **state)
{
    (void)state;
    build(RANGE("ProfilerStep#1", 0, 100) RANGE("ProfilerStep#2", 100, 100) RANGE("all", 10, 180)
              OP(10, "aten::mm", 20, 10, "") CALL(10, 25, 1, "") KERNEL(40, 30, 1, "") OP(10, "aten::mm", 120, 10, "")
                  CALL(10, 125, 2, "") KERNEL(140, 10, 2, ""));
    size_t row = find_row("all");
    assert_int_equal(model.used_count, 2);
    assert_int_equal(tp_table_int(&view.table, TP_RANGE_TIME_DEVICE)[row], 40000);
    assert_int_equal(tp_table_int(&view.table, TP_RANGE_TIME_DEVICE_PER_STEP)[row], 20000);
    assert_int_equal(tp_table_int(&view.table, TP_RANGE_TIME_HOST_PER_STEP)[row], 90000);
}

static void modules_are_rows_and_steps_alone_are_no_reason_for_the_table(void **state)
{
    (void)state;
    build(RANGE("ProfilerStep#1", 0, 100) OP(10, "aten::mm", 20, 10, "") CALL(10, 25, 1, "") KERNEL(40, 30, 1, ""));
    assert_false(view.has_device_time);
    tp_arena_release(&arena);
    build(MODULE("Linear_0", 10, 50) OP(10, "aten::mm", 20, 10, "") CALL(10, 25, 1, "") KERNEL(40, 30, 1, ""));
    ROW("nn.Module: Linear_0", 1, 50, 30, 0, 30, 0);
    assert_false(view.has_device_time);       /* the section of modules shows modules */
    assert_int_equal(view.outside_ns, 30000); /* a module is no annotation, so it has no self time */
}

static void more_names_than_the_limit_become_one_row(void **state)
{
    static char events[1 << 17];
    size_t size = 0;
    (void)state;
    for (unsigned i = 0; i < TP_MAX_RANGE_ROWS + 4; i++)
        size += (size_t)snprintf(events + size, sizeof events - size,
                                 "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"r%u\",\"pid\":1,\"tid\":10,"
                                 "\"ts\":%u,\"dur\":1},",
                                 i, i * 10);
    build(events);
    assert_int_equal(view.table.row_count, TP_MAX_RANGE_ROWS);
    assert_int_equal(tp_table_int(&view.table, TP_RANGE_TIME_CALLS)[TP_MAX_RANGE_ROWS - 1], 5);
    assert_int_equal(find_row("(rest)"), TP_MAX_RANGE_ROWS - 1);
}

/* ---- forward operators ---- */

/* Checks the line and the module of the operation with this index, in the order of start. */
static void assert_place(uint32_t device, const char *line, const char *module)
{
    uint32_t event = tp_module_event_of_device(&model, device);
    struct tp_str found = tp_work_line(&model, model.launches.event[model.devices.launch[device]]);
    if (!tp_str_equal(found, tp_str_of(line)))
        fail_msg("line of operation %u is %.*s, not %s", device, (int)found.len, found.ptr, line);
    struct tp_str name = event == TP_NO_ID ? TP_STR("") : tp_trace_event_name(&trace, &trace.events[event]);
    assert_true(tp_str_equal(name, tp_str_of(module)));
}

static void a_thread_without_frames_takes_line_and_module_of_the_forward_operator(void **state)
{
    (void)state;
    build(FRAME("train.py(40): <module>", 0, 900) FRAME("model.py(12): forward", 100, 60) MODULE("Linear_3", 105, 50)
              FRAME("torch/nn/modules/linear.py(134): forward", 108, 45) OP(10, "aten::addmm", 110, 20, FORWARD(9))
                  CALL(10, 115, 1, "") KERNEL(150, 10, 1, "") OP(11, "AddmmBackward0", 300, 30, BACKWARD(9))
                      OP(11, "aten::mm", 302, 20, "") CALL(11, 310, 2, "") KERNEL(350, 20, 2, ""));
    assert_place(0, "model.py(12): forward", "nn.Module: Linear_3");
    assert_place(1, "model.py(12): forward", "nn.Module: Linear_3");
}

static void a_backward_function_in_python_keeps_its_own_line(void **state)
{
    (void)state;
    build(FRAME("train.py(22): main", 0, 900) FRAME("model.py(12): forward", 100, 100)
              OP(10, "aten::mul", 110, 10, FORWARD(3)) CALL(10, 112, 1, "") KERNEL(130, 10, 1, "")
                  OP(10, "Swish", 140, 10, FORWARD(4)) CALL(10, 142, 2, "") KERNEL(160, 10, 2, "")
                      OP(10, "SwishBackward", 300, 40, BACKWARD(4)) FRAME("model.py(50): backward", 305, 30)
                          CALL(10, 310, 3, "") KERNEL(350, 10, 3, "") OP(10, "MulBackward0", 400, 40, BACKWARD(3))
                              CALL(10, 410, 4, "") KERNEL(450, 10, 4, "") CALL(10, 600, 5, "") KERNEL(650, 1, 5, ""));
    assert_place(1, "model.py(12): forward", "");
    assert_place(2, "model.py(50): backward", "");
    assert_place(3, "model.py(12): forward", "");
    assert_place(4, "train.py(22): main", "");
}

static void a_sequence_number_names_the_latest_earlier_operator(void **state)
{
    (void)state;
    build(OP(10, "first", 10, 5, FORWARD(7)) OP(10, "second", 20, 5, FORWARD(7)) OP(11, "back", 30, 5, BACKWARD(7))
              OP(10, "third", 40, 5, FORWARD(7)) OP(11, "lone", 50, 5, BACKWARD(8)) OP(11, "linked", 60, 5, BACKWARD(7))
                  LINK("s", 3, 10, 10) LINK("f", 3, 11, 60));
    assert_true(model.forward.count > 0);
    static const uint32_t forward[6] = {TP_NO_ID, TP_NO_ID, 1, TP_NO_ID, TP_NO_ID, 0};
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(tp_event_map_get(&model.forward, i), forward[i]);
    tp_arena_release(&arena);
    build(OP(10, "alone", 10, 5, FORWARD(7)) LAST);
    assert_int_equal(model.forward.count, 0);
}

/* ---- calls next to their operator ---- */

static const char *owner_name(uint32_t device)
{
    uint32_t owner = model.devices.owner[device];
    struct tp_str name = owner == TP_NO_ID ? TP_STR("") : tp_trace_event_name(&trace, tp_operator_event(&model, owner));
    return tp_arena_copy(&arena, name.ptr, name.len);
}

static void calls_belong_to_the_operator_next_to_them(void **state)
{
    (void)state;
    build(OP(10, "aten::linear", 100, 50, ID(1)) OP(10, "aten::addmm", 110.2, 20, ID(2)) CALL(10, 110, 1, ID(2) ",")
              KERNEL(200, 10, 1, "") OP(10, "aten::mm", 309, 20, ID(3)) CALL(10, 300, 2, ID(3) ",")
                  KERNEL(400, 10, 2, "") OP(10, "aten::relu", 500, 10, ID(4)) CALL(10, 513, 3, ID(4) ",")
                      KERNEL(600, 10, 3, "") OP(10, "aten::gelu", 700, 10, ID(5)) CALL(10, 712, 4, "")
                          KERNEL(800, 10, 4, ID(5) ",") OP(10, "aten::add", 900, 10, ID(6))
                              OP(10, "aten::sub", 950, 10, ID(6)) CALL(10, 899, 5, ID(6) ",") KERNEL(1000, 10, 5, ""));
    assert_string_equal(owner_name(0), "aten::addmm");
    assert_string_equal(owner_name(1), ""); /* 9 us are too far */
    assert_string_equal(owner_name(2), "aten::relu");
    assert_string_equal(owner_name(3), "aten::gelu"); /* the call has no id, but its operation has one */
    assert_string_equal(owner_name(4), "aten::add");  /* a later pass has the id, too */
}

static void unclear_calls_keep_their_operator(void **state)
{
    (void)state;
    build(OP(10, "aten::mm", 100, 1, ID(77)) OP(10, "aten::mm", 102, 5, ID(77))
              ON(10, "cuda_runtime", "cudaLaunchKernel", 99, 0.5, ID(77) ",\"correlation\":1") KERNEL(200, 10, 1, "")
                  OP(10, "aten::relu", 298, 3, ID(78)) OP(10, "aten::mm", 303, 5, ID(79))
                      ON(10, "cuda_runtime", "cudaLaunchKernel", 299, 0.5, ID(79) ",\"correlation\":2")
                          KERNEL(400, 10, 2, "") OP(10, "aten::copy_", 500, 10, ID(80))
                              ON(10, "cuda_runtime", "cudaGraphLaunch", 512, 5, ID(80) ",\"correlation\":3")
                                  KERNEL(600, 10, 3, ID(80) ","));
    assert_string_equal(owner_name(0), ""); /* two operators next to the call have the id */
    assert_string_equal(owner_name(1), "aten::relu");
    assert_string_equal(owner_name(2), ""); /* the launch of a graph follows an operator that has ended */
}

#define TEST(name) cmocka_unit_test_teardown(name, end_test)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(backward_work_counts_for_the_range_of_its_forward_operator),
        TEST(threads_and_links_without_sequence_numbers_are_counted),
        TEST(a_range_around_forward_and_backward_counts_work_once),
        TEST(nested_names_count_the_outermost_range),
        TEST(host_self_time_excludes_the_ranges_directly_inside),
        TEST(work_per_step_needs_analysed_steps),
        TEST(modules_are_rows_and_steps_alone_are_no_reason_for_the_table),
        TEST(more_names_than_the_limit_become_one_row),
        TEST(a_thread_without_frames_takes_line_and_module_of_the_forward_operator),
        TEST(a_backward_function_in_python_keeps_its_own_line),
        TEST(a_sequence_number_names_the_latest_earlier_operator),
        TEST(calls_belong_to_the_operator_next_to_them),
        TEST(unclear_calls_keep_their_operator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
