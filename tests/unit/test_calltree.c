/* Tests the call tree: merging, owners of device time and bytes, the backward thread, pruning, labels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "webreport/document/charts/calltree_data.h"
#include "webreport/measure/charts/calltree_labels.h"
#include "webreport/model/build.h"

struct scene {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_calltree tree;
};

static void build_call_tree(struct scene *s, const char *events, uint32_t max_nodes)
{
    size_t size = strlen(events) + 64;
    char *text = tp_arena_alloc(&s->arena, size);
    int length = snprintf(text, size, "{\"traceEvents\":[%s]}", events);
    struct tp_trace_options options = {.single_thread = true};
    struct tp_error err;
    assert_int_equal(tp_trace_read_bytes(&s->trace, &s->arena, text, (size_t)length, &options, &err), 0);
    tp_order_build(&s->order, &s->trace, &s->arena);
    tp_model_build(&s->model, &s->trace, &s->order, &s->arena);
    struct tp_calltree_options tree_options = {.max_nodes = max_nodes};
    tp_calltree_build(&s->tree, &s->model, &tree_options, &s->arena);
}

static const struct tp_call *find_call(const struct scene *s, const char *name)
{
    for (uint32_t i = 0; i < s->tree.count; i++)
        if (tp_str_equal(s->tree.calls[i].name, tp_str_of(name)))
            return &s->tree.calls[i];
    fail_msg("no call %s", name);
    return NULL;
}

static const struct tp_call *parent_call(const struct scene *s, const struct tp_call *call)
{
    return &s->tree.calls[call->parent];
}

#define HOST(cat, name, ts, dur, tid, args)                                                                            \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":" tid ",\"ts\":" ts ",\"dur\":" dur     \
    ",\"args\":{" args "}}"
#define KERNEL(name, ts, dur, correlation)                                                                             \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" ts ",\"dur\":" dur            \
    ",\"args\":{\"device\":0,\"stream\":7,\"correlation\":" correlation "}}"

static void equal_paths_share_a_node(void **state)
{
    (void)state;
    struct scene s = {0};
    tp_arena_init(&s.arena, 0);
    assert_int_equal(setjmp(s.arena.guard), 0);
    build_call_tree(
        &s,
        HOST("user_annotation", "ProfilerStep#1", "0", "100", "1", "") "," HOST("cpu_op", "aten::mm", "10", "20", "1", "\"External id\":1") "," HOST(
            "cuda_runtime", "cudaLaunchKernel", "15", "5", "1",
            "\"correlation\":11") "," KERNEL("gemm", "40", "30",
                                             "11") "," HOST("user_annotation", "ProfilerStep#2", "200", "100", "1",
                                                            "") "," HOST("cpu_op", "aten::mm", "210", "40", "1",
                                                                         "\"External id\":2") "," HOST("cuda_runtime",
                                                                                                       "cudaLaunchKerne"
                                                                                                       "l",
                                                                                                       "215", "5", "1",
                                                                                                       "\"correlation\""
                                                                                                       ":12") "," KERNEL("gemm",
                                                                                                                         "240",
                                                                                                                         "50",
                                                                                                                         "12"),
        100);
    const struct tp_call *step = find_call(&s, "profiled step"), *mm = find_call(&s, "aten::mm"),
                         *gemm = find_call(&s, "gemm");
    assert_ptr_equal(parent_call(&s, gemm), mm);
    assert_ptr_equal(parent_call(&s, mm), step);
    assert_int_equal(step->call_count, 2);
    assert_int_equal(mm->call_count, 2);
    assert_int_equal(mm->host_ns, 60000);
    assert_int_equal(gemm->device_ns, 80000);
    assert_int_equal(s.tree.calls[0].device_ns, 80000);
    assert_int_equal(s.tree.count, 4);
    assert_int_equal(step->subtree_end, 4);
    tp_arena_release(&s.arena);
}

static void stack_arguments_become_frames_without_torch_internals(void **state)
{
    (void)state;
    struct scene s = {0};
    tp_arena_init(&s.arena, 0);
    assert_int_equal(setjmp(s.arena.guard), 0);
    build_call_tree(&s,
                    HOST("cpu_op", "aten::mm", "10", "20", "1",
                         "\"Call stack\":\"net/linear.py(9): forward;torch/nn/modules/module.py(8): _call_impl;"
                         "main.py(3): train\"") "," HOST("cpu_op", "aten::relu", "40", "20", "1",
                                                         "\"Call stack\":\"main.py(4): train\""),
                    100);
    const struct tp_call *mm = find_call(&s, "aten::mm"), *relu = find_call(&s, "aten::relu");
    assert_true(tp_str_equal(parent_call(&s, mm)->name, TP_STR("forward linear.py:9")));
    assert_true(tp_str_equal(parent_call(&s, relu)->name, TP_STR("train main.py:4")));
    tp_arena_release(&s.arena);
}

static void backward_thread_and_memory_are_attributed(void **state)
{
    (void)state;
    struct scene s = {0};
    tp_arena_init(&s.arena, 0);
    assert_int_equal(setjmp(s.arena.guard), 0);
    build_call_tree(&s,
                    HOST("user_annotation", "ProfilerStep#1", "0", "100", "1", "") "," HOST(
                        "cpu_op", "aten::empty", "5", "10", "1",
                        "") "," HOST("cpu_op", "autograd::engine::evaluate_function: MmBackward0", "20", "60", "2",
                                     "") ","
                                         "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\","
                                         "\"pid\":1,\"tid\":2,\"ts\":30,"
                                         "\"args\":{\"Bytes\":512,\"Device Type\":0,\"Device Id\":-1,\"Addr\":1}},"
                                         "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\","
                                         "\"pid\":1,\"tid\":2,\"ts\":35,"
                                         "\"args\":{\"Bytes\":-512,\"Device Type\":0,\"Device Id\":-1,\"Addr\":1}}",
                    100);
    const struct tp_call *node = find_call(&s, "autograd::engine::evaluate_function: MmBackward0");
    assert_int_equal(node->bytes, 512);
    assert_true(tp_str_equal(parent_call(&s, node)->name, TP_STR("backward")));
    assert_true(tp_str_equal(parent_call(&s, parent_call(&s, node))->name, TP_STR("profiled step")));
    assert_int_equal(parent_call(&s, node)->host_ns, 60000);
    tp_arena_release(&s.arena);
}

static void steps_are_top_nodes_inside_of_any_frames(void **state)
{
    (void)state;
    struct scene s = {0};
    tp_arena_init(&s.arena, 0);
    assert_int_equal(setjmp(s.arena.guard), 0);
    /* Torch records this trace with with_stack=True: the frame of profiler.step() ends one step and starts the next
     * one. */
    build_call_tree(&s,
                    HOST("python_function", "train.py(1): main", "0", "1000", "1",
                         "") "," HOST("user_annotation", "ProfilerStep#1", "10", "100", "1",
                                      "") "," HOST("python_function", "loop.py(2): step", "100", "40", "1",
                                                   "") "," HOST("user_annotation", "ProfilerStep#2", "130", "300", "1",
                                                                "") "," HOST("cpu_op", "aten::mm", "150", "20", "1",
                                                                             "") "," KERNEL("lost", "500", "30", "99"),
                    100);
    const struct tp_call *step = find_call(&s, "profiled step"), *lost = find_call(&s, "lost");
    assert_int_equal(step->parent, 0);
    assert_int_equal(step->call_count, 2);
    assert_int_equal(step->host_ns, 400000);
    assert_ptr_equal(parent_call(&s, find_call(&s, "aten::mm")), step);
    assert_int_equal(find_call(&s, "main train.py:1")->host_ns, 600000);
    assert_true(tp_str_equal(parent_call(&s, lost)->name, TP_STR("launched outside the recorded calls")));
    tp_arena_release(&s.arena);
}

static void small_calls_are_merged_and_keep_sums(void **state)
{
    (void)state;
    struct scene s = {0};
    tp_arena_init(&s.arena, 0);
    assert_int_equal(setjmp(s.arena.guard), 0);
    char *events = tp_arena_alloc(&s.arena, 1 << 20), *to = events;
    for (int i = 0; i < 3000; i++)
        to += sprintf(to, "%s" HOST("cpu_op", "op%d", "%d", "%d", "1", ""), i ? "," : "", i, i * 100,
                      i % 10 == 0 ? 90 : 10);
    build_call_tree(&s, events, 50);
    assert_in_range(s.tree.count, 2, 60);
    int64_t below = 0;
    for (uint32_t i = 1; i < s.tree.count; i++)
        below += s.tree.calls[i].parent == 0 ? s.tree.calls[i].host_ns : 0;
    assert_int_equal(below, s.tree.calls[0].host_ns);
    assert_int_equal(s.tree.calls[s.tree.count - 1].kind, TP_CALL_OTHER);
    assert_true(tp_calltree_data(&s.arena, &s.tree).kind == TP_DATA_OBJECT);
    tp_arena_release(&s.arena);
}

static void deep_nesting_does_not_crash(void **state)
{
    (void)state;
    struct scene s = {0};
    tp_arena_init(&s.arena, 0);
    assert_int_equal(setjmp(s.arena.guard), 0);
    char *events = tp_arena_alloc(&s.arena, 1 << 20), *to = events;
    for (int i = 0; i < 5000; i++)
        to += sprintf(to, "%s" HOST("cpu_op", "f%d", "%d", "%d", "1", ""), i ? "," : "", i, i, 20000 - 2 * i);
    build_call_tree(&s, events, 2000);
    assert_true(s.tree.is_cut);
    assert_int_equal(s.tree.calls[0].host_ns, 20000000);
    assert_true(tp_calltree_data(&s.arena, &s.tree).kind == TP_DATA_OBJECT);
    tp_arena_release(&s.arena);
}

static void empty_trace_gives_no_tree(void **state)
{
    (void)state;
    struct scene s = {0};
    tp_arena_init(&s.arena, 0);
    assert_int_equal(setjmp(s.arena.guard), 0);
    build_call_tree(&s, HOST("cpu_op", "op", "1", "0", "1", ""), 100);
    assert_int_equal(s.tree.count, 0);
    assert_true(tp_calltree_data(&s.arena, &s.tree).kind == TP_DATA_NONE);
    tp_arena_release(&s.arena);
}

static void assert_label_of_frame(struct tp_arena *arena, const char *frame, const char *label)
{
    struct tp_str got = tp_label_shorten_frame(arena, tp_str_of(frame));
    assert_true(tp_str_equal(got, tp_str_of(label)));
}

static void labels_are_short(void **state)
{
    (void)state;
    struct tp_arena arena;
    tp_arena_init(&arena, 0);
    assert_int_equal(setjmp(arena.guard), 0);
    assert_label_of_frame(&arena, "a/b/model.py(12): forward", "forward model.py:12");
    assert_label_of_frame(&arena, "C:\\x\\model.py(1): f", "f model.py:1");
    assert_label_of_frame(&arena, "model.py(x): f", "model.py(x): f");
    assert_label_of_frame(&arena, "(3): f", "(3): f");
    assert_label_of_frame(&arena, "run (2): x/model.py(12): forward", "forward model.py:12");
    assert_label_of_frame(&arena, "12): f", "12): f");
    assert_label_of_frame(&arena, "", "");
    assert_true(tp_label_is_runtime_frame(TP_STR("/opt/lib/site-packages/torch/nn/modules/module.py(1): _call_impl")));
    assert_true(tp_label_is_runtime_frame(TP_STR("/usr/lib/python3.11/threading.py(1): run")));
    assert_true(tp_label_is_runtime_frame(TP_STR("main.py(1): <module>")));
    assert_false(tp_label_is_runtime_frame(TP_STR("model/torch.py(1): forward")));
    assert_true(tp_str_equal(tp_label_shorten_module(TP_STR("nn.Module: Linear_12")), TP_STR("Linear")));
    assert_true(tp_str_equal(tp_label_shorten_module(TP_STR("nn.Module: Conv2d")), TP_STR("Conv2d")));
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_paths_share_a_node),
        cmocka_unit_test(stack_arguments_become_frames_without_torch_internals),
        cmocka_unit_test(backward_thread_and_memory_are_attributed),
        cmocka_unit_test(steps_are_top_nodes_inside_of_any_frames),
        cmocka_unit_test(small_calls_are_merged_and_keep_sums),
        cmocka_unit_test(deep_nesting_does_not_crash),
        cmocka_unit_test(empty_trace_gives_no_tree),
        cmocka_unit_test(labels_are_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
