/* Tests the meaning of event names, with one case for each list in sections 2, 8 and 12 of docs/definitions.md. */
#include "webreport/model/marks.h"
#include "webreport/model/operator_shapes.h"
#include "webreport/trace/regions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Returns the marks of a trace's only event, which has this name and kind. */
static uint64_t marks_of_event_name(const char *name, enum tp_kind kind)
{
    struct tp_event event = {.kind = (uint8_t)kind};
    struct tp_arena arena;
    struct tp_trace trace = {.events = &event, .event_count = 1};
    tp_arena_init(&arena, 0);
    assert_int_equal(setjmp(arena.guard), 0);
    tp_strings_init(&trace.names, &arena, 0);
    event.name = tp_strings_add(&trace.names, tp_str_of(name));
    uint64_t marks = tp_marks_build(&trace, &arena)[event.name];
    tp_arena_release(&arena);
    return marks;
}
static uint64_t host_event_marks(const char *name)
{
    return marks_of_event_name(name, TP_KIND_OPERATOR);
}
static uint64_t kernel_marks(const char *name)
{
    return marks_of_event_name(name, TP_KIND_KERNEL) & (TP_MARK_TC_YES | TP_MARK_TC_UNKNOWN | TP_MARK_COMM_KERNEL);
}

static void kernel_names_show_tensor_cores(void **state)
{
    (void)state;
    assert_int_equal(kernel_marks("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn"), TP_MARK_TC_YES);
    assert_int_equal(kernel_marks("ampere_sgemm_128x64_tn"), 0);
    assert_int_equal(kernel_marks("ampere_fp16_s16816gemm_splitKreduce"), TP_MARK_TC_YES);
    assert_int_equal(kernel_marks("Cijk_Ailk_Bjlk_HHS_MI16x16_mi4"), TP_MARK_TC_YES);
    assert_int_equal(kernel_marks("Cijk_Ailk_Bjlk_SB_MT64x64"), 0);
    assert_int_equal(kernel_marks("void at::native::matmul_like<float>()"), 0);
    assert_int_equal(kernel_marks("my_gemm_kernel"), TP_MARK_TC_UNKNOWN);
    assert_int_equal(kernel_marks("vectorized_add"), 0);
    assert_int_equal(kernel_marks("ncclDevKernel_AllReduce"), TP_MARK_COMM_KERNEL);
}

static void communication_kernels_of_all_libraries_are_marked(void **state)
{
    static const char *const yes[] = {"void deep_ep::internode_ll::combine<true, 7168, 9>",
                                      "nvshmemi_transfer_quiet_kernel",
                                      "trtllm_allreduce_fusion::allreduce_fusion_kernel",
                                      "mori::EpDispatchIntraNode",
                                      "all_to_all_vdev_2d_kernel",
                                      "hcom_allReduce__1_0"};
    static const char *const no[] = {"softmax_warp_allreduce", "triton_poi_fused_all_gather_into_tensor_0",
                                     "void at::native::reduce_kernel<512, 1>", "blockAllReduceSum", "all_gather_gemm"};
    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (!(kernel_marks(yes[i]) & TP_MARK_COMM_KERNEL))
            fail_msg("%s", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (kernel_marks(no[i]) & TP_MARK_COMM_KERNEL)
            fail_msg("%s", no[i]);
}

static void waits_of_all_runtimes_are_marked(void **state)
{
    static const char *const names[] = {"urQueueFinish", "zeFenceHostSynchronize", "hipStreamSynchronize_spt",
                                        "AscendCL@aclrtSynchronizeStream", "cnrtQueueSync"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!(marks_of_event_name(names[i], TP_KIND_RUNTIME) & TP_MARK_SYNC))
            fail_msg("%s", names[i]);
    assert_false(marks_of_event_name("aclrtLaunchKernel", TP_KIND_RUNTIME) & TP_MARK_SYNC);
}

static void host_names_mark_steps_and_loaders(void **state)
{
    (void)state;
    assert_true(host_event_marks("ProfilerStep#12") & TP_MARK_PROFILER_STEP);
    assert_false(host_event_marks("ProfilerStep#12x") & TP_MARK_PROFILER_STEP);
    assert_true(host_event_marks("ProfilerStep#12x") & TP_MARK_STEP);
    assert_true(host_event_marks("execute_context_1(2)_generation_0(0)") & TP_MARK_EXECUTE_CONTEXT);
    assert_true(host_event_marks("step[DECODE bs=1]") & TP_MARK_STEP_BRACKET);
    assert_true(host_event_marks("Optimizer.step#SGD.step") & TP_MARK_OPTIMIZER_STEP);
    assert_true(host_event_marks("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__") & TP_MARK_LOADER);
    assert_false(host_event_marks("enumerate(DataLoader)#other") & TP_MARK_LOADER);
}

static void names_match_the_documented_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t mark;
        bool is_marked;
    } cases[] = {
        /* "$" in torch's pattern also matches before a final newline */
        {"ProfilerStep#12\n", TP_MARK_PROFILER_STEP, true},
        {"ProfilerStep#12 ", TP_MARK_PROFILER_STEP, false},
        {"execute_new_context_1", TP_MARK_EXECUTE_CONTEXT, true},
        {"cuStreamSynchronize_ptsz", TP_MARK_SYNC, true},
        {"cudaStreamSynchronize_v2", TP_MARK_SYNC, false},
        {"cudaMemcpyAsync", TP_MARK_BLOCKING_COPY, false},
        {"hipMemcpyWithStream", TP_MARK_BLOCKING_COPY, true},
        {"cudaMallocAsync", TP_MARK_ALLOCATOR_CALL, false},
        {"hipHostFree", TP_MARK_ALLOCATOR_CALL, true},
        {"enumerate(DataLoader)#X.__next__", TP_MARK_LOADER, true},
        {"enumerate(DataLoader)#X.__next__ ", TP_MARK_LOADER, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal((marks_of_event_name(cases[i].name, i < 3 || i > 8 ? TP_KIND_OPERATOR : TP_KIND_RUNTIME) &
                          cases[i].mark) != 0,
                         cases[i].is_marked);
}

static void regions_of_a_name_are_steps_optimizers_and_loaders(void **state)
{
    static const struct {
        const char *name;
        unsigned bits;
    } cases[] = {
        {"ProfilerStep#12", TP_REGION_PROFILER_STEP | TP_REGION_NUMBERED_STEP},
        {"ProfilerStep#x", TP_REGION_PROFILER_STEP},
        {"execute_2_context_1", TP_REGION_EXECUTE_CONTEXT},
        {"step[3]", TP_REGION_STEP_BRACKET},
        {"Optimizer.step#Adam.step", TP_REGION_OPTIMIZER | TP_REGION_OPTIMIZER_STEP},
        {"Optimizer.zero_grad#Adam.zero_grad", TP_REGION_OPTIMIZER | TP_REGION_ZERO_GRAD},
        {"Optimizer.zero", TP_REGION_OPTIMIZER},
        {"enumerate(DataLoader)#X.__next__", TP_REGION_DATA_LOADER},
        {"enumerate(DataLoader)#X", 0},
        {"enumerate(DataPipe)#X", TP_REGION_DATA_PIPE},
        {"DataParallel.forward", TP_REGION_DATA_PARALLEL},
        {"[pl][profile]x", TP_REGION_LIGHTNING},
        {"forward", 0},
        {"", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(tp_regions_by_name(tp_str_of(cases[i].name)), cases[i].bits);
    assert_false(TP_REGION_DATA_PIPE & TP_REGION_OF_TORCH); /* this annotation is not a region in torch's tables */
}

static void collectives_have_a_backend(void **state)
{
    (void)state;
    assert_string_equal(tp_name_comm_backend(TP_STR("nccl:all_reduce")), "nccl");
    assert_string_equal(tp_name_comm_backend(TP_STR("GLOO:x")), "gloo");
    assert_string_equal(tp_name_comm_backend(TP_STR("c10d::allreduce_")), "c10d");
    assert_string_equal(tp_name_comm_backend(TP_STR("record_param_comms")), "c10d");
    assert_null(tp_name_comm_backend(TP_STR("nccl::x")));
    assert_null(tp_name_comm_backend(TP_STR(":x")));
    assert_null(tp_name_comm_backend(TP_STR("")));
}

static void operators_are_eligible_by_exact_name(void **state)
{
    (void)state;
    assert_true(host_event_marks("aten::mm") & TP_MARK_ELIGIBLE);
    assert_true(host_event_marks("MmBackward0") & TP_MARK_ELIGIBLE);
    assert_false(host_event_marks("aten::mmm") & TP_MARK_ELIGIBLE);
    assert_false(host_event_marks("mm") & TP_MARK_ELIGIBLE);
    assert_true(host_event_marks("aten::empty_strided") & TP_MARK_ALLOCATION_HELPER);
}

static void element_size_is_known_for_each_spelling(void **state)
{
    (void)state;
    assert_int_equal(tp_element_size(TP_STR("c10::BFloat16")), 2);
    assert_int_equal(tp_element_size(TP_STR("BFloat16")), 2);
    assert_int_equal(tp_element_size(TP_STR("Float8_e4m3fn")), 1);
    assert_int_equal(tp_element_size(TP_STR("long int")), 8);
    assert_int_equal(tp_element_size(TP_STR("")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_names_show_tensor_cores),
        cmocka_unit_test(communication_kernels_of_all_libraries_are_marked),
        cmocka_unit_test(waits_of_all_runtimes_are_marked),
        cmocka_unit_test(host_names_mark_steps_and_loaders),
        cmocka_unit_test(names_match_the_documented_patterns),
        cmocka_unit_test(regions_of_a_name_are_steps_optimizers_and_loaders),
        cmocka_unit_test(collectives_have_a_backend),
        cmocka_unit_test(operators_are_eligible_by_exact_name),
        cmocka_unit_test(element_size_is_known_for_each_spelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
