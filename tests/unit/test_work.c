/* Tests kinds of work for kernels and operators with names from real traces. The expected kinds were assigned by hand,
 * by what the kernels compute. */
#include <stdio.h>

#include "tests/unit/made_trace.h"
#include "webreport/measure/work/work_kinds.h"
#include "webreport/measure/work/work_view.h"
#include "webreport/model/build.h"

struct made {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_work_kinds kinds;
    struct tp_work_units units;
    struct tp_work_view view;
};

static void make_work(struct made *m, const char *events)
{
    make_model(&m->arena, &m->trace, &m->order, &m->model, "", events);
    tp_work_kinds_build(&m->kinds, &m->model, &m->arena);
    tp_work_units_build(&m->units, &m->kinds, NULL, &m->arena);
    tp_work_view_build(&m->view, &m->kinds, &m->units, &m->arena);
}

#define HOST(cat, name, ts, dur, args)                                                                                 \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"dur\":" #dur         \
    ",\"args\":{" args "}}"
#define OP(name, ts, dur) HOST("cpu_op", name, ts, dur, "") ","
#define LAUNCH(ts, id) HOST("cuda_runtime", "cudaLaunchKernel", ts, 1, "\"correlation\":" #id) ","
#define DEVICE(cat, name, ts, dur, id)                                                                                 \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" #ts ",\"dur\":" #dur         \
    ",\"args\":{\"device\":0,\"stream\":7,\"correlation\":" #id "}}"
#define KERNEL(name, ts, dur, id) DEVICE("kernel", name, ts, dur, id)

#define GENERIC "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl<x> >(int, x)"

/* Returns the kind of device operation `k`. */
static const char *kind_of_device_operation(const struct made *m, uint32_t k)
{
    assert_true(k < m->model.devices.count);
    return tp_work_text(m->kinds.of_device[k]);
}

/* ---- names alone ---- */

static void kernel_without_operator_is_classified_by_name(void **state)
{
    static const char *const known[][2] = {
        {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "communication"},
        {"void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false, true, (cudnnKernelDataType_t)0>(x)",
         "layout"},
        {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute", "gemm"},
        {"Cijk_Ailk_Bljk_BBS_BH_MT128x128x32_MI32x32x4x2_SN_1LDSB0", "gemm"},
        {"nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT", "gemm"},
        {"void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false>, true>(Flash_fwd_params)",
         "attention"},
        {"fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<x>::Params)", "attention"},
        {"sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32", "convolution"},
        {"miopenSp3AsmConv_v30_3_1_gfx9_fp32_f2x3_stride1", "convolution"},
        {"void at::native::batch_norm_collect_statistics_kernel<float>(x)", "norm"},
        {"void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float>(float*, float const*, int)", "softmax"},
        {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, x> >(x)", "reduction"},
        {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, x>(int, x)",
         "elementwise"},
        {"void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 1, 64, 64>(x)", "layout"},
        {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<FusedAdamMathFunctor<float, 4> >(x)",
         "optimizer"},
        {"void at::native::indexSelectLargeIndex<float, long, unsigned int, 2, 2, -2, true>(x)", "embedding"},
        {"triton_poi_fused_add_relu_3", "elementwise"},
        {"triton_poi_fused__to_copy_12", "layout"},
        {"triton_red_fused_native_layer_norm_0", "norm"},
        {"triton_per_fused__softmax_4", "softmax"},
        {"triton_per_fused_sum_1", "reduction"},
        {"triton_tem_fused_addmm_9", "gemm"},
        {"triton_tem_fused_flex_attention_2", "attention"},
        {"event_wait", "wait"},
        {"my_own_kernel", "other"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct made m;
        char events[1024];
        snprintf(events, sizeof events,
                 "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":2,\"args\":{"
                 "\"device\":0,\"stream\":7}}",
                 known[i][0]);
        make_work(&m, events);
        if (strcmp(kind_of_device_operation(&m, 0), known[i][1]) != 0)
            fail_msg("%s is %s, not %s", known[i][0], kind_of_device_operation(&m, 0), known[i][1]);
        tp_arena_release(&m.arena);
    }
}

static void unknown_names_are_other(void **state)
{
    static char text[1 << 20];
    (void)state;
    assert_true(tp_work_rules_are_valid());
    memset(text, '(', sizeof text);
    for (unsigned layer = 0; layer < TP_WORK_LAYERS; layer++) {
        assert_int_equal(tp_work_of_name(layer, (struct tp_str){text, sizeof text}), TP_WORK_NONE);
        assert_int_equal(tp_work_of_name(layer, (struct tp_str){"", 0}), TP_WORK_NONE);
        assert_int_equal(tp_work_of_name(layer, (struct tp_str){"\xff\xfe\x80", 3}), TP_WORK_NONE);
    }
    /* the text after a NUL is searched, too */
    assert_int_equal(tp_work_of_name(TP_WORK_OF_KERNEL, (struct tp_str){"a\0gemm", 6}), TP_WORK_GEMM);
}

/* ---- kinds that come from the launching operator ---- */

static void operator_classifies_a_generic_kernel(void **state)
{
    (void)state;
    struct made m;
    make_work(&m,
              OP("aten::add", 0, 10) LAUNCH(1, 1) KERNEL(GENERIC, 20, 5, 1) "," /* the kind comes from the operator */
              OP("aten::copy_", 100, 10) LAUNCH(101, 2) KERNEL(GENERIC, 120, 5, 2) "," OP("aten::layer_norm", 200, 50)
                  OP("aten::native_layer_norm", 210, 30) LAUNCH(211, 3) KERNEL(GENERIC, 270, 5, 3));
    assert_string_equal(kind_of_device_operation(&m, 0), "elementwise");
    assert_string_equal(kind_of_device_operation(&m, 1), "layout");
    assert_string_equal(kind_of_device_operation(&m, 2), "norm");
    tp_arena_release(&m.arena);
}

static void all_kernels_of_attention_are_attention(void **state)
{
    (void)state;
    struct made m;
    make_work(&m, OP("aten::scaled_dot_product_attention", 0, 100) OP("aten::_scaled_dot_product_attention_math", 1, 90)
                      OP("aten::matmul", 2, 20) OP("aten::bmm", 3, 15) LAUNCH(4, 1) OP("aten::_softmax", 40, 20)
              /* the launch at 41 is inside of the attention, the launch at 201 is not */
              LAUNCH(41, 2) OP("aten::bmm", 200, 10) LAUNCH(201, 3)
                  KERNEL("ampere_sgemm_128x64_nn", 300, 5,
                         1) "," KERNEL(GENERIC, 310, 5, 2) "," KERNEL("ampere_sgemm_128x64_nn", 320, 5, 3));
    assert_string_equal(kind_of_device_operation(&m, 0), "attention");
    assert_string_equal(kind_of_device_operation(&m, 1), "attention");
    assert_string_equal(kind_of_device_operation(&m, 2), "gemm");
    tp_arena_release(&m.arena);
}

static void a_collective_is_communication_wherever_it_is_called(void **state)
{
    (void)state;
    struct made m;
    make_work(&m,
              OP("aten::linear", 0, 100) LAUNCH(4, 1) KERNEL("ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWorkElem)",
                                                             300, 5, 1) "," OP("c10d::allreduce_", 400, 10)
                  LAUNCH(401, 2) LAUNCH(404, 3) KERNEL("kernel_17", 500, 5, 2) "," KERNEL(GENERIC, 510, 5, 3));
    assert_string_equal(kind_of_device_operation(&m, 0), "communication");
    assert_string_equal(kind_of_device_operation(&m, 1), "communication");
    /* the verdict also classifies this kernel as compute, because its name shows that it computes */
    assert_string_equal(kind_of_device_operation(&m, 2), "elementwise");
    tp_arena_release(&m.arena);
}

static void kernels_inside_of_an_optimizer_are_optimizer(void **state)
{
    (void)state;
    struct made m;
    make_work(&m,
              HOST("user_annotation", "Optimizer.step#SGD.step", 0, 100, "") "," OP("aten::add_", 1, 10) LAUNCH(2, 1)
                  OP("aten::add_", 101, 10) LAUNCH(102, 2) /* this operator runs after the optimizer step */
              KERNEL(GENERIC, 200, 5, 1) "," KERNEL(GENERIC, 210, 5, 2));
    assert_string_equal(kind_of_device_operation(&m, 0), "optimizer");
    assert_string_equal(kind_of_device_operation(&m, 1), "elementwise");
    tp_arena_release(&m.arena);
}

static void copies_of_a_convolution_are_no_convolution(void **state)
{
    (void)state;
    struct made m;
    make_work(&m, OP("aten::cudnn_convolution", 0, 100) LAUNCH(1, 1) LAUNCH(2, 2) LAUNCH(3, 3)
                      KERNEL("implicit_convolve_sgemm<float, float, 128, 5, 5, 3>", 200, 5,
                             1) "," KERNEL(GENERIC, 210, 5, 2) "," KERNEL("generic_name", 220, 5, 3));
    assert_string_equal(kind_of_device_operation(&m, 0), "convolution");
    assert_string_equal(kind_of_device_operation(&m, 1), "elementwise");
    /* the kind of this kernel is known only from its operator */
    assert_string_equal(kind_of_device_operation(&m, 2), "convolution");
    tp_arena_release(&m.arena);
}

static void autograd_nodes_do_not_classify(void **state)
{
    (void)state;
    struct made m;
    make_work(&m, OP("autograd::engine::evaluate_function: MmBackward0", 0, 100) OP("MmBackward0", 1, 90)
                      OP("aten::mm", 2, 9) LAUNCH(3, 1) OP("MyNormBackward0", 300, 90) OP("aten::unknown", 301, 9)
                          LAUNCH(302, 2) KERNEL("k", 400, 5, 1) "," KERNEL("k", 410, 5, 2));
    assert_string_equal(kind_of_device_operation(&m, 0), "gemm");
    assert_string_equal(kind_of_device_operation(&m, 1), "other");
    tp_arena_release(&m.arena);
}

/* ---- tables ---- */

static void times_of_kinds_sum_to_all_device_time(void **state)
{
    (void)state;
    struct made m;
    make_work(&m, OP("aten::mm", 0, 10) LAUNCH(1, 1) OP("aten::add", 20, 10) LAUNCH(21, 2) LAUNCH(25, 3) LAUNCH(26, 4)
                      KERNEL("gemm_a", 40, 30, 1) "," KERNEL("x", 80, 5, 2) "," KERNEL("gemm_b", 90, 7, 9) "," DEVICE(
                          "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 100, 11, 3) "," KERNEL("x", 120, 5, 4));
    const struct tp_table *rows = &m.view.devices.rows;
    assert_int_equal(rows->row_count, 3);
    assert_string_equal(tp_table_text(rows, TP_WORK_KIND)[0].ptr, "gemm");
    assert_int_equal(tp_table_int(rows, TP_WORK_TOTAL)[0], 37000);
    assert_int_equal(tp_table_int(rows, TP_WORK_CALLS)[0], 2);
    assert_int_equal(tp_table_int(rows, TP_WORK_NAMES)[0], 2);
    assert_true(tp_str_equal(tp_table_text(rows, TP_WORK_LONGEST)[0], TP_STR("gemm_a")));
    assert_int_equal(tp_table_int(rows, TP_WORK_LONGEST_TOTAL)[0], 30000);
    assert_string_equal(tp_table_text(rows, TP_WORK_KIND)[1].ptr, "copy");
    assert_string_equal(tp_table_text(rows, TP_WORK_KIND)[2].ptr, "elementwise");
    assert_int_equal(tp_table_int(rows, TP_WORK_TOTAL)[2], 10000);
    assert_float_equal(tp_table_real(rows, TP_WORK_SHARE)[2], 100 * 10 / 58.0, 1e-9);
    tp_arena_release(&m.arena);
}

static void operators_have_their_self_time(void **state)
{
    (void)state;
    struct made m;
    make_work(&m, OP("aten::linear", 0, 100) OP("aten::t", 1, 10) OP("aten::addmm", 20, 70) OP("aten::empty", 200, 4)
                      OP("autograd::engine::evaluate_function: AddBackward0", 300, 9)
                          HOST("cpu_op", "my::thing", 400, 3, ""));
    const struct tp_table *rows = &m.view.operators.rows;
    assert_int_equal(m.view.devices.rows.row_count, 0);
    assert_int_equal(rows->row_count, 4);
    assert_string_equal(tp_table_text(rows, TP_WORK_KIND)[0].ptr,
                        "gemm"); /* the time of "gemm" includes the view aten::t inside of aten::linear */
    assert_int_equal(tp_table_int(rows, TP_WORK_TOTAL)[0], 100000);
    assert_string_equal(tp_table_text(rows, TP_WORK_KIND)[1].ptr, "engine");
    assert_string_equal(tp_table_text(rows, TP_WORK_KIND)[2].ptr, "allocation");
    assert_string_equal(tp_table_text(rows, TP_WORK_KIND)[3].ptr, "other");
    tp_arena_release(&m.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_without_operator_is_classified_by_name),
        cmocka_unit_test(unknown_names_are_other),
        cmocka_unit_test(operator_classifies_a_generic_kernel),
        cmocka_unit_test(all_kernels_of_attention_are_attention),
        cmocka_unit_test(a_collective_is_communication_wherever_it_is_called),
        cmocka_unit_test(kernels_inside_of_an_optimizer_are_optimizer),
        cmocka_unit_test(copies_of_a_convolution_are_no_convolution),
        cmocka_unit_test(autograd_nodes_do_not_classify),
        cmocka_unit_test(times_of_kinds_sum_to_all_device_time),
        cmocka_unit_test(operators_have_their_self_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
