/* Tests the tree of device time on timelines made by hand. Times are in microseconds. */
#include <stdio.h>

#include "tests/unit/made_trace.h"
#include "webreport/measure/tree/time_tree.h"
#include "writer/base/table.h"

struct made {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_work_kinds kinds;
    struct tp_work_units units;
    struct tp_idle_view idle;
    struct tp_time_trees trees;
};

static void make_time_tree(struct made *m, const char *header, const char *events)
{
    make_model(&m->arena, &m->trace, &m->order, &m->model, header, events);
    tp_work_kinds_build(&m->kinds, &m->model, &m->arena);
    tp_work_units_build(&m->units, &m->kinds, NULL, &m->arena);
    tp_idle_build(&m->idle, &m->model, true, &m->arena);
    tp_time_trees_build(&m->trees, &m->kinds, &m->units, &m->idle, &m->arena);
}

#define EVENT(cat, name, pid, tid, ts, dur, args)                                                                      \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":" #pid ",\"tid\":" #tid ",\"ts\":" #ts            \
    ",\"dur\":" #dur ",\"args\":{" args "}}"
#define HOST(cat, name, ts, dur, args) EVENT(cat, name, 1, 1, ts, dur, args) ","
#define STEP(ts, dur) HOST("user_annotation", "ProfilerStep#1", ts, dur, "")
#define LAUNCH(ts, id) HOST("cuda_runtime", "cudaLaunchKernel", ts, 2, "\"correlation\":" #id)
#define ON(stream, cat, name, ts, dur, id)                                                                             \
    EVENT(cat, name, 0, stream, ts, dur, "\"device\":0,\"stream\":" #stream ",\"correlation\":" #id)
#define H100 "\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA H100 80GB HBM3\",\"totalGlobalMem\":85899345920}],"

/* Returns the node of a path of names separated by "/", or NULL if the tree has no such node. */
static const struct tp_time_node *find_node(const struct made *m, const char *path)
{
    const struct tp_time_tree *tree = &m->trees.items[0];
    uint32_t at = 0;
    for (const char *next = path; *next;) {
        size_t size = strcspn(next, "/");
        uint32_t child = at + 1;
        while (child < tree->node_count && (tree->nodes[child].parent != at || tree->nodes[child].text.len != size ||
                                            memcmp(tree->nodes[child].text.ptr, next, size) != 0))
            child++;
        if (child == tree->node_count)
            return NULL;
        at = child;
        next += size + (next[size] == '/');
    }
    return &tree->nodes[at];
}

static int64_t time_of_node_us(const struct made *m, const char *path)
{
    const struct tp_time_node *node = find_node(m, path);
    return node ? node->time_ns / 1000 : -1;
}

static void each_interval_of_a_step_has_one_node(void **state)
{
    struct made m;
    (void)state;
    make_time_tree(
        &m, "",
        STEP(0, 100) HOST("cpu_op", "aten::mm", 10, 10, "") LAUNCH(15, 1) HOST("cpu_op", "aten::add", 40, 10, "")
            LAUNCH(45, 2) HOST("user_annotation", "mine", 60, 20, "") LAUNCH(85, 3)
                ON(7, "kernel", "gemm", 20, 20, 1) "," ON(7, "kernel", "elementwise_kernel", 50, 10, 2) "," ON(
                    7, "gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 90, 10, 3));
    assert_int_equal(m.trees.count, 1);
    assert_int_equal(time_of_node_us(&m, ""), 100);
    assert_int_equal(time_of_node_us(&m, "compute"), 30);
    assert_int_equal(time_of_node_us(&m, "compute/gemm/[no module]/mm/gemm"), 20);
    assert_int_equal(time_of_node_us(&m, "compute/elementwise/[no module]/add/elementwise_kernel"), 10);
    assert_int_equal(time_of_node_us(&m, "exposed copy/Memcpy DtoH Device>Pageable/no operator"), 10);
    /* Before the first launch the device is idle for 10 us, of which mm takes 5 us. The idle time from 40 to 45 us is
     * in add. The range contains 20 us of the idle time from 60 to 85 us. */
    assert_int_equal(time_of_node_us(&m, "host/operator/aten::mm"), 5);
    assert_int_equal(time_of_node_us(&m, "host/operator/aten::add"), 5);
    assert_int_equal(time_of_node_us(&m, "host/annotation/mine"), 20);
    assert_int_equal(time_of_node_us(&m, "host/nothing/no host event"), 15);
    assert_int_equal(time_of_node_us(&m, "launch/cudaLaunchKernel"), 6);
    assert_int_equal(time_of_node_us(&m, "queue/start latency"), 9);
    assert_int_equal(m.trees.items[0].latency_ns, 3000);
    tp_arena_release(&m.arena);
}

static void simultaneous_work_has_one_node(void **state)
{
    struct made m;
    (void)state;
    /* The collective runs from 20 to 60 us, the product from 30 to 40 us, the copy from 35 to 70 us. The copy runs
     * alone from 60 to 70 us. */
    make_time_tree(&m, "",
                   STEP(0, 70) LAUNCH(1, 1) LAUNCH(4, 2) LAUNCH(7, 3)
                       ON(20, "kernel", "ncclDevKernel_AllReduce_Sum", 20, 40,
                          1) "," ON(7, "kernel", "gemm", 30, 10,
                                    2) "," ON(21, "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 35, 35, 3));
    assert_int_equal(time_of_node_us(&m, "exposed communication/AllReduce/ncclDevKernel_AllReduce_Sum"), 30);
    assert_int_equal(time_of_node_us(&m, "compute"), 10);
    assert_int_equal(time_of_node_us(&m, "exposed copy/Memcpy HtoD Pinned>Device/no operator"), 10);
    assert_int_equal(find_node(&m, "exposed copy")->kernel_ns, 35000);
    assert_int_equal(time_of_node_us(&m, ""), 70);
    tp_arena_release(&m.arena);
}

static void modules_are_named_by_class(void **state)
{
    struct made m;
    (void)state;
    make_time_tree(
        &m, "",
        STEP(0, 100) HOST("python_function", "nn.Module: Block_3", 0, 50, "\"Python id\":1,\"Python module id\":3")
            HOST("python_function", "nn.Module: Linear_7", 1, 20, "\"Python id\":2,\"Python module id\":7") LAUNCH(2, 1)
                HOST("python_function", "nn.Module: Linear_8", 30, 10, "\"Python id\":3,\"Python module id\":8")
                    LAUNCH(31, 2) ON(7, "kernel", "gemm", 10, 5, 1) "," ON(7, "kernel", "gemm", 40, 5, 2));
    const struct tp_time_node *gemm = find_node(&m, "compute/gemm");
    assert_int_equal(gemm[1].text.len, strlen("Block/Linear"));
    assert_memory_equal(gemm[1].text.ptr, "Block/Linear", gemm[1].text.len);
    assert_int_equal(gemm[1].calls, 2);
    tp_arena_release(&m.arena);
}

#define PRODUCT(args) HOST("cpu_op", "aten::mm", 0, 50, args) LAUNCH(1, 1) ON(7, "kernel", "gemm", 100, 200, 1)
#define SQUARE "\"Input Dims\":[[4096,4096],[4096,4096]],\"Input type\":[\"c10::BFloat16\",\"c10::BFloat16\"]"

static void floor_is_the_minimum_time_of_the_device(void **state)
{
    struct made m;
    (void)state;
    make_time_tree(&m, H100, PRODUCT(SQUARE));
    const struct tp_time_node *node = find_node(&m, "compute/gemm");
    /* 2 x 4096^3 FLOP at 989.5 TFLOP/s take 138.9 us; 3 x 4096^2 x 2 bytes at 3,350 GB/s take 30 us */
    assert_int_equal(node->flops, INT64_C(2) * 4096 * 4096 * 4096);
    assert_int_equal(node->bytes, 3 * 4096 * 4096 * 2);
    assert_true(node->floor_ns > 138800 && node->floor_ns < 139000);
    assert_int_equal(node->bound, TP_BOUND_COMPUTE);
    assert_int_equal(time_of_node_us(&m, "compute/gemm/[no module]/mm [4096x4096, 4096x4096] bf16/gemm"), 200);
    tp_arena_release(&m.arena);
}

static void unknown_device_has_no_floor(void **state)
{
    struct made m;
    (void)state;
    make_time_tree(&m, "\"deviceProperties\":[{\"id\":0,\"name\":\"Strange 9000\"}],", PRODUCT(SQUARE));
    assert_null(m.trees.items[0].peaks);
    assert_int_equal(find_node(&m, "compute")->floored_ns, 0);
    assert_int_equal(find_node(&m, "compute")->costed_ns, 200000);
    tp_arena_release(&m.arena);
}

static void unexplained_delay_is_in_node_held(void **state)
{
    struct made m;
    (void)state;
    /* The collective is launched immediately but starts 5 ms later. All work of the recording takes 10 ms. */
    make_time_tree(&m, "",
                   STEP(0, 20000) LAUNCH(1, 1) LAUNCH(10, 2)
                       ON(7, "kernel", "k", 5, 5, 1) "," ON(7, "kernel", "gemm", 5000, 10000, 2));
    assert_true(m.trees.items[0].held_ns > 4900000 && m.trees.items[0].held_ns < 5000000);
    tp_arena_release(&m.arena);
}

static void peaks_are_found_by_driver_names(void **state)
{
    static const struct {
        const char *name, *device;
        int64_t gib;
    } known[] = {{"NVIDIA H100 80GB HBM3", "NVIDIA H100 SXM", 80},
                 {"NVIDIA H100 PCIe", "NVIDIA H100 PCIe", 80},
                 {"NVIDIA H200", "NVIDIA H200 SXM", 141},
                 {"NVIDIA A100-SXM4-40GB", "NVIDIA A100 40GB", 40},
                 {"NVIDIA A100-SXM4-80GB", "NVIDIA A100 80GB SXM", 80},
                 {"NVIDIA A100 80GB PCIe", "NVIDIA A100 80GB PCIe", 80},
                 {"Tesla V100-SXM2-32GB", "NVIDIA V100 SXM2", 32},
                 {"Tesla T4", "NVIDIA T4", 15},
                 {"NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 4090", 24},
                 {"AMD Instinct MI300X", "AMD Instinct MI300X", 192},
                 {"AMD Instinct MI250X / MI250", "AMD Instinct MI250X (one of two dies)", 64}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct tp_peaks *peaks = tp_peaks_by_name(tp_str_of(known[i].name), known[i].gib << 30);
        assert_non_null(peaks);
        assert_string_equal(peaks->device, known[i].device);
    }
    assert_null(tp_peaks_by_name(TP_STR("NVIDIA GeForce GTX 1080"), TP_NULL_INT));
    assert_null(tp_peaks_by_name(TP_STR(""), TP_NULL_INT));
}

/* Checks the table of device peaks. Each row must be found by its name, and its types must not contradict each
 * other. */
static void each_row_of_peaks_is_consistent(void **state)
{
    size_t count = 0;
    (void)state;
    for (const struct tp_peaks *row; (row = tp_peaks_row(count)); count++) {
        const double *tflops = row->tflops;
        assert_true(row->memory_gb_s > 100 && row->memory_gb_s < 10000);
        assert_true(row->memory_gib[0] >= 16 && *row->source);
        assert_true(tflops[TP_PEAK_FP16] > tflops[TP_PEAK_FP32]);
        assert_true(tflops[TP_PEAK_BF16] == 0 || tflops[TP_PEAK_BF16] == tflops[TP_PEAK_FP16]);
        assert_true(tflops[TP_PEAK_FP8] == 0 || tflops[TP_PEAK_FP8] > 1.9 * tflops[TP_PEAK_FP16]);
        assert_true(tflops[TP_PEAK_TF32] <= tflops[TP_PEAK_FP16] / 1.9);
    }
    assert_int_equal(count, 27);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_interval_of_a_step_has_one_node),
        cmocka_unit_test(simultaneous_work_has_one_node),
        cmocka_unit_test(modules_are_named_by_class),
        cmocka_unit_test(floor_is_the_minimum_time_of_the_device),
        cmocka_unit_test(unknown_device_has_no_floor),
        cmocka_unit_test(unexplained_delay_is_in_node_held),
        cmocka_unit_test(peaks_are_found_by_driver_names),
        cmocka_unit_test(each_row_of_peaks_is_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
