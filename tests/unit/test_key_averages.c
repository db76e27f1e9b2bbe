/* Tests torch's rules for its tables on small traces. Expected numbers are counted by hand from the events of each
 * test. */
#include "webreport/measure/torch_tables/key_averages.h"

#include "tests/unit/made_trace.h"

#include "webreport/model/flops.h"

struct made {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_key_averages averages;
};

static void build_key_averages(struct made *m, const char *events, const struct tp_key_options *options)
{
    static const struct tp_key_options by_name;
    make_trace(&m->arena, &m->trace, "", events);
    tp_key_averages_build(&m->averages, &m->trace, options ? options : &by_name, &m->arena);
}

#define EVENT(cat, name, tid, ts, dur, args)                                                                           \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":" #tid ",\"ts\":" #ts ",\"dur\":" #dur  \
    ",\"args\":{" args "}}"
#define OP(name, ts, dur, args) EVENT("cpu_op", name, 1, ts, dur, args)
#define MEMORY(ts, bytes)                                                                                              \
    "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1,\"tid\":9,\"ts\":" #ts                \
    ",\"args\":{\"Device Type\":0,\"Bytes\":" #bytes "}}"

static const struct tp_key_row *find_row(const struct made *m, const char *key)
{
    for (uint32_t i = 0; i < m->averages.count; i++)
        if (tp_str_equal(m->averages.rows[i].key, tp_str_of(key)))
            return &m->averages.rows[i];
    fail_msg("no row %s", key);
    return NULL;
}

static void self_time_excludes_children(void **state)
{
    struct made m;
    (void)state;
    build_key_averages(&m, OP("f", 0, 100, "") "," OP("g", 10, 30, "") "," OP("h", 15, 5, "") "," OP("g", 50, 20, ""),
                       NULL);
    assert_int_equal(m.averages.count, 3);
    assert_int_equal(find_row(&m, "f")->self_cpu.ns, 50000);
    assert_int_equal(find_row(&m, "g")->self_cpu.ns, 45000);
    assert_int_equal(find_row(&m, "g")->cpu.ns, 50000);
    assert_int_equal(find_row(&m, "g")->count, 2);
    assert_true(find_row(&m, "g")->has_parent);
    assert_false(find_row(&m, "f")->has_parent);
    tp_arena_release(&m.arena);
}

static void only_child_with_equal_name_is_merged(void **state)
{
    struct made m;
    (void)state;
    build_key_averages(&m, OP("f", 0, 100, "") "," OP("f", 10, 80, "") "," OP("g", 20, 10, "") "," OP("g", 40, 10, ""),
                       NULL);
    assert_int_equal(find_row(&m, "f")->count, 1);
    assert_int_equal(find_row(&m, "f")->self_cpu.ns, 80000);
    assert_int_equal(find_row(&m, "g")->count, 2);
    tp_arena_release(&m.arena);
    build_key_averages(&m, OP("f", 0, 100, "") "," OP("f", 10, 20, "") "," OP("f", 40, 20, ""), NULL);
    /* torch merges a call only with its only child, so the row has all three calls of f */
    assert_int_equal(find_row(&m, "f")->count, 3);
    tp_arena_release(&m.arena);
}

static void event_that_outlasts_another_is_no_child(void **state)
{
    struct made m;
    (void)state;
    build_key_averages(&m, OP("f", 0, 50, "") "," OP("g", 10, 60, "") "," OP("h", 20, 5, ""), NULL);
    assert_int_equal(find_row(&m, "f")->self_cpu.ns, 50000);
    assert_int_equal(find_row(&m, "g")->self_cpu.ns, 55000);
    tp_arena_release(&m.arena);
}

static void open_region_ends_with_enclosing_event(void **state)
{
    struct made m;
    (void)state;
    build_key_averages(&m,
                       EVENT("Trace", "PyTorch Profiler (0)", 5, 0, 1000, "") "," OP("f", 10, 100, "") "," EVENT(
                           "user_annotation", "open", 1, 20, 900, "\"finished\":false") "," EVENT("user_annotation",
                                                                                                  "alone", 2, 30, 900,
                                                                                                  "\"finished\":false"),
                       NULL);
    assert_int_equal(find_row(&m, "open")->cpu.ns, 90000);
    assert_int_equal(find_row(&m, "alone")->cpu.ns, 970000);
    assert_int_equal(find_row(&m, "open")->self_cpu.ns, 0);
    assert_true(find_row(&m, "open")->is_async);
    /* an asynchronous call takes no time from the enclosing operator */
    assert_int_equal(find_row(&m, "f")->self_cpu.ns, 100000);
    tp_arena_release(&m.arena);
}

static void memory_belongs_to_all_enclosing_events(void **state)
{
    struct made m;
    (void)state;
    build_key_averages(
        &m,
        OP("f", 0, 100, "") "," OP("g", 10, 30, "") "," EVENT("cpu_op", "other", 2, 5, 20, "") "," MEMORY(
            10, 64) "," MEMORY(40, 8) "," MEMORY(60, -72) "," MEMORY(200, 5),
        NULL);
    assert_int_equal(find_row(&m, "g")->cpu_bytes, 72); /* includes the memory records at the start and at the end of
                                                         * the call */
    assert_int_equal(find_row(&m, "f")->cpu_bytes, 0);
    assert_int_equal(find_row(&m, "f")->self_cpu_bytes, -72);
    /* a memory record belongs to the running operators of all threads */
    assert_int_equal(find_row(&m, "other")->cpu_bytes, 64);
    assert_int_equal(find_row(&m, "[memory]")->cpu_bytes, 5);
    assert_int_equal(find_row(&m, "[memory]")->count, 1);
    tp_arena_release(&m.arena);
}

#define KERNEL(name, ts, dur, ids) EVENT("kernel", name, 7, ts, dur, ids)

static void kernels_belong_to_the_operator_of_their_id(void **state)
{
    struct made m;
    (void)state;
    build_key_averages(
        &m,
        OP("f", 0, 100, "\"External id\":1") "," OP("g", 10, 30, "\"External id\":2") "," KERNEL(
            "k", 200, 50, "\"External id\":2,\"correlation\":77") "," KERNEL("k", 300, 25,
                                                                             "\"External id\":1,\"correlation\":78"),
        NULL);
    assert_string_equal(m.averages.torch.device, "CUDA");
    assert_int_equal(find_row(&m, "g")->self_device.ns, 50000);
    assert_int_equal(find_row(&m, "f")->self_device.ns, 25000);
    assert_int_equal(find_row(&m, "f")->device.ns, 75000);
    assert_int_equal(find_row(&m, "k")->self_device.ns, 75000);
    assert_true(find_row(&m, "k")->is_device);
    assert_int_equal(find_row(&m, "k")->cpu.ns, 0);
    tp_arena_release(&m.arena);
}

static void ids_that_are_correlations_are_not_trusted(void **state)
{
    struct made m;
    (void)state;
    build_key_averages(
        &m,
        OP("f", 0, 100, "\"External id\":1") "," OP("g", 10, 30, "\"External id\":2") "," EVENT(
            "cuda_runtime", "cudaLaunchKernel", 1, 15, 2,
            "\"External id\":1,\"correlation\":1") "," KERNEL("k", 200, 50, "\"External id\":1,\"correlation\":1"),
        NULL);
    /* g launched the kernel; its external id 1 equals that of f only by coincidence */
    assert_int_equal(find_row(&m, "g")->self_device.ns, 50000);
    assert_int_equal(find_row(&m, "f")->self_device.ns, 0);
    tp_arena_release(&m.arena);
}

/* Tests that without torch's links, the kernel belongs to the same operator as in the report. If that operator was
 * merged with its parent, the kernel belongs to the parent. */
static void kernels_of_a_merged_child_belong_to_the_parent(void **state)
{
    struct made m;
    (void)state;
    build_key_averages(
        &m,
        OP("f", 0, 100, "") "," OP("f", 10, 80, "") "," EVENT(
            "cuda_runtime", "cudaLaunchKernel", 1, 15, 2,
            "\"External id\":5,\"correlation\":5") "," KERNEL("k", 200, 50, "\"External id\":5,\"correlation\":5"),
        NULL);
    assert_int_equal(find_row(&m, "f")->count, 1);
    assert_int_equal(find_row(&m, "f")->self_device.ns, 50000);
    tp_arena_release(&m.arena);
}

static void shapes_are_keys_as_python_prints_them(void **state)
{
    static const struct tp_key_options by_shape = {.by_shape = true};
    struct made m;
    (void)state;
    build_key_averages(
        &m,
        OP("aten::cat", 0, 1, "\"Input Dims\":[[[2,3],[4,3]],[]],\"Input type\":[\"TensorList\",\"Scalar\"]") "," OP(
            "aten::mm", 5, 1, "\"Input Dims\":[[2,3],[3,4]]") "," OP("aten::mm", 9, 1,
                                                                     "\"Input Dims\":[[2, 3], [3, 4]]"),
        &by_shape);
    assert_int_equal(m.averages.count, 2);
    assert_true(tp_str_equal(find_row(&m, "aten::cat")->shapes, TP_STR("[[], []]")));
    assert_true(tp_str_equal(find_row(&m, "aten::mm")->shapes, TP_STR("[[2, 3], [3, 4]]")));
    assert_int_equal(find_row(&m, "aten::mm")->flops, 96); /* two products of 2 * 2 * 3 * 4 FLOP each */
    tp_arena_release(&m.arena);
}

static void backward_operator_has_its_forward_stack(void **state)
{
    static const struct tp_key_options by_stack = {.stack_depth = 2};
    struct made m;
    (void)state;
    build_key_averages(&m,
                       OP("aten::mm", 0, 5,
                          "\"Sequence number\":3,\"Fwd thread id\":0,\"Call stack\":\"a.py(1): f;b.py(2): g;c.py(3): "
                          "h;\"") "," EVENT("cpu_op", "autograd::engine::evaluate_function: MmBackward0", 2, 10, 9,
                                            "") "," EVENT("cpu_op", "MmBackward0", 2, 11, 5,
                                                          "\"Sequence number\":3,\"Fwd thread id\":1,\"Call "
                                                          "stack\":\"x.py(9): y;\"") ","
                                                                                     "{\"ph\":\"s\","
                                                                                     "\"id\":4,"
                                                                                     "\"pid\":1,"
                                                                                     "\"tid\":1,"
                                                                                     "\"ts\":0,"
                                                                                     "\"cat\":"
                                                                                     "\"fwdbwd\","
                                                                                     "\"name\":"
                                                                                     "\"fwdbwd\"},"
                                                                                     "{\"ph\":\"f\","
                                                                                     "\"id\":4,"
                                                                                     "\"pid\":1,"
                                                                                     "\"tid\":2,"
                                                                                     "\"ts\":11,"
                                                                                     "\"cat\":"
                                                                                     "\"fwdbwd\","
                                                                                     "\"name\":"
                                                                                     "\"fwdbwd\"}",
                       &by_stack);
    const struct tp_key_row *row = find_row(&m, "MmBackward0");
    assert_int_equal(row->stack.count, 2);
    assert_true(tp_str_equal(tp_key_frame_text(&m.averages.stacks, row->stack.first), TP_STR("a.py(1): f")));
    assert_true(tp_str_equal(tp_key_frame_text(&m.averages.stacks, row->stack.first + 1), TP_STR("b.py(2): g")));
    tp_arena_release(&m.arena);
}

static void modules_include_their_operators(void **state)
{
    static const struct tp_key_options by_module = {.group = TP_KEY_MODULE};
    struct made m;
    (void)state;
    build_key_averages(
        &m,
        EVENT("python_function", "nn.Module: Net_0", 1, 0, 100, "\"Python module id\":0") "," EVENT(
            "python_function", "nn.Module: Linear_0", 1, 10, 40,
            "\"Python module id\":1") "," OP("aten::mm", 20, 20, "") "," OP("aten::relu", 60, 10,
                                                                            "") "," OP("outside", 200, 7, ""),
        &by_module);
    assert_int_equal(find_row(&m, "nn.Module: Net_0")->self_cpu.ns, 60000);
    assert_int_equal(find_row(&m, "nn.Module: Net_0")->cpu.ns, 100000);
    assert_int_equal(find_row(&m, "nn.Module: Net_0")->count, 1);
    assert_int_equal(find_row(&m, "nn.Module: Linear_0")->self_cpu.ns, 40000);
    assert_int_equal(find_row(&m, "(outside of modules)")->cpu.ns, 7000);
    tp_arena_release(&m.arena);
}

static void sort_keeps_order_of_ties(void **state)
{
    struct made m;
    (void)state;
    build_key_averages(&m, OP("a", 0, 5, "") "," OP("b", 10, 9, "") "," OP("c", 20, 5, "") "," OP("d", 30, 9, ""),
                       NULL);
    const uint32_t *order = tp_key_averages_sort(&m.averages, "self_cpu_time_total", &m.arena);
    const uint32_t expected[] = {1, 3, 0, 2};
    assert_memory_equal(order, expected, sizeof expected);
    assert_non_null(tp_key_averages_sort(&m.averages, "self_cuda_memory_usage", &m.arena));
    assert_null(tp_key_averages_sort(&m.averages, "self_rocm_time", &m.arena));
    assert_true(tp_key_averages_can_sort("xpu_time") && tp_key_averages_can_sort("none"));
    assert_false(tp_key_averages_can_sort("cuda") || tp_key_averages_can_sort(""));
    tp_arena_release(&m.arena);
}

/* Compares two numbers of bytes that would be equal as doubles. */
static void sort_compares_all_digits_of_bytes(void **state)
{
    struct tp_arena arena = {0};
    struct tp_key_row rows[] = {{.cpu_bytes = (1ll << 60) + 1}, {.cpu_bytes = (1ll << 60) + 2}, {.cpu_bytes = -5}};
    struct tp_key_averages averages = {.rows = rows, .count = 3};
    const uint32_t expected[] = {1, 0, 2};
    (void)state;
    assert_memory_equal(tp_key_averages_sort(&averages, "cpu_memory_usage", &arena), expected, sizeof expected);
    tp_arena_release(&arena);
}

static void flops_follow_the_formulas(void **state)
{
    static const struct {
        const char *name, *dims, *concrete;
        int64_t flops;
    } cases[] = {
        {"aten::mm", "[[2,3],[3,4]]", "", 48},
        {"aten::addmm", "[[4],[2,3],[3,4],[],[]]", "", 48},
        {"aten::bmm", "[[5,2,3],[5,3,4]]", "", 240},
        {"aten::add", "[[7,11],[7,11],[]]", "", 77},
        {"aten::mul", "[[],[]]", "", 1},
        {"aten::mul", "[[[2],[3]],[]]", "", 0},
        {"aten::mm", "[[2,0],[0,4]]", "", 0},
        {"aten::mm", "[]", "", 0},
        {"aten::mm", "7", "", 0},
        {"aten::sub", "[[2,3],[2,3]]", "", 0},
        /* 2 * 1 * 10 * 5 * 3 * 3 * 4 * 8 / 2: the padding keeps 10 rows, and the stride of 2 halves the columns. */
        {"aten::conv2d", "[[1,4,10,10],[8,2,3,3],[8],[],[],[],[]]",
         "[\"\",\"\",\"\",\"[1, 2]\",\"[1, 1]\",\"[1, 1]\",\"2\"]", 14400},
        {"aten::conv2d", "[[1,4,10,10],[8,2,3,3],[8],[],[],[],[]]", "", 0},
        {"aten::conv2d", "[[1,4,10,10],[8,2,3,3],[8],[],[],[],[]]",
         "[\"\",\"\",\"\",\"[0, 2]\",\"[1, 1]\",\"[1, 1]\",\"2\"]", 0},
        {"aten::mul", "[[9223372036854775807,9]]", "", INT64_MAX},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t flops =
            tp_flops_of_operator(tp_str_of(cases[i].name), tp_str_of(cases[i].dims), tp_str_of(cases[i].concrete));
        if (flops != cases[i].flops)
            fail_msg("%s %s: %lld", cases[i].name, cases[i].dims, (long long)flops);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(self_time_excludes_children),
        cmocka_unit_test(only_child_with_equal_name_is_merged),
        cmocka_unit_test(event_that_outlasts_another_is_no_child),
        cmocka_unit_test(open_region_ends_with_enclosing_event),
        cmocka_unit_test(memory_belongs_to_all_enclosing_events),
        cmocka_unit_test(kernels_belong_to_the_operator_of_their_id),
        cmocka_unit_test(ids_that_are_correlations_are_not_trusted),
        cmocka_unit_test(kernels_of_a_merged_child_belong_to_the_parent),
        cmocka_unit_test(shapes_are_keys_as_python_prints_them),
        cmocka_unit_test(backward_operator_has_its_forward_stack),
        cmocka_unit_test(modules_include_their_operators),
        cmocka_unit_test(sort_keeps_order_of_ties),
        cmocka_unit_test(sort_compares_all_digits_of_bytes),
        cmocka_unit_test(flops_follow_the_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
