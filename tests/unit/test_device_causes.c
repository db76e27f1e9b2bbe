/* Tests rules of device programs that name a root cause or missing data. Each rule gets a program with the cause and a
 * similar program without it. Expected numbers are counted by hand. */
#include "small_findings.h"

#define H100                                                                                                           \
    "\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA H100 80GB HBM3\",\"totalGlobalMem\":85000000000,"               \
    "\"computeMajor\":9,\"computeMinor\":0,\"warpSize\":32,\"numSms\":132}],\"record_shapes\":1,"
#define A100                                                                                                           \
    "\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA A100-SXM4-80GB\",\"totalGlobalMem\":85000000000,"               \
    "\"computeMajor\":8,\"computeMinor\":0,\"warpSize\":32,\"numSms\":108}],\"record_shapes\":1,"
#define BF16 "\"c10::BFloat16\""
#define FLOAT "\"float\""
#define DOUBLE "\"double\""

static int next_correlation;

/* Writes an operator that launches one kernel. */
static void write_operator_with_kernel(const char *name, double ts, const char *dims, const char *type,
                                       const char *kernel_name, double start, double dur)
{
    int correlation = ++next_correlation;
    write_operator_with_shapes(name, ts, 2, dims, type, correlation);
    write_launch(ts + 0.5, 1, correlation);
    write_kernel(kernel_name, start, dur, correlation);
}

/* ---- the recording ---- */

static void few_operations_of_one_step_are_not_judged(void **state)
{
    (void)state;
    settings[0] = NULL;
    step(1, 0, 1000), write_launch(0, 1, 1), write_kernel("a", 5, 100, 1), write_launch(900, 1, 2),
        write_kernel("b", 905, 50, 2);
    build_trace();
    assert_finding("R2", "capture.too_short", NAN);
    assert_int_equal(advice.recommendations.finding_count, 1);
    assert_int_equal(find_finding_of_rule("R2")->severity, TP_SEVERITY_INFO);
    end_event_text(state), begin_trace_test(state);
    for (int s = 0; s < 2; s++) /* two steps are enough for a pattern */
        step(s, s * 1000, 1000), write_launch(s * 1000, 1, 2 * s + 1), write_kernel("a", s * 1000 + 5, 100, 2 * s + 1),
            write_launch(s * 1000 + 900, 1, 2 * s + 2), write_kernel("b", s * 1000 + 905, 50, 2 * s + 2);
    build_trace();
    assert_null(find_finding_of_rule("R2"));
    assert_non_null(find_finding_of_rule("A1"));
    settings[0] = "R2.max_operations=0";
}

static void one_time_work_is_not_reported(void **state)
{
    for (int is_habit = 0; is_habit < 2; is_habit++) {
        begin_trace_test(state);
        for (int s = 0; s < 3; s++) {
            double at = s * 1000;
            step(s, at, 1000), write_launch(at, 1, 3 * s + 1), write_kernel("a", at + 5, 100, 3 * s + 1);
            if (s == 0 || is_habit)
                call("cudaMalloc", at + 110, 600, 3 * s + 2);
            write_launch(at + 750, 1, 3 * s + 3), write_kernel("b", at + 755, 200, 3 * s + 3);
        }
        build_trace();
        if (is_habit) {
            assert_null(find_finding_of_rule("R3"));
            assert_non_null(find_finding_of_rule("A1"));
        } else {
            assert_finding("R3", "startup.first_use", NAN);
            assert_null(find_finding_of_rule("A1"));
            assert_true(advice.recommendations.findings[0].is_first);
        }
        if (!is_habit)
            end_event_text(state);
    }
}

static void work_from_before_the_recording_is_unknown(void **state)
{
    /* is_late: the kernel was launched 10 us before it started; otherwise 8 ms before */
    for (int is_late = 0; is_late < 2; is_late++) {
        begin_trace_test(state);
        write_launch(is_late ? 7990 : 0, 1, 1), write_kernel("a", 8000, 3000, 1), write_launch(7995, 1, 2),
            write_kernel("b", 11000, 3000, 2);
        build_trace();
        if (is_late)
            assert_null(find_finding_of_rule("R4"));
        else
            assert_string_equal(find_finding_of_rule("R4")->cause, "capture.edge");
        if (!is_late)
            end_event_text(state);
    }
}

static void device_collectives_need_a_device(void **state)
{
    static const char *const names[] = {"nccl:all_reduce", "gloo:all_reduce"};
    for (int i = 0; i < 2; i++) {
        begin_trace_test(state);
        step(1, 0, 1000), write_host_event("user_annotation", names[i], 10, 100),
            write_host_event("cpu_op", "aten::mm", 200, 300);
        build_trace();
        assert_int_equal(find_finding_of_rule("R1") != NULL, i == 0);
        assert_int_equal(advice.verdict.class == TP_CLASS_DEVICE_MISSING, i == 0);
        if (i == 0)
            end_event_text(state);
    }
}

static void busy_device_has_no_wait(void **state)
{
    (void)state;
    write_launch(0, 1, 1), write_kernel("a", 5, 800, 1), write_launch(2, 1, 2), write_kernel("b", 905, 95, 2);
    build_trace();
    assert_finding("C14", "compute.bound", NAN);
    assert_int_equal(find_finding_of_rule("C14")->severity, TP_SEVERITY_INFO);
}

/* ---- kernels that one fused kernel could replace ---- */

#define HEADS "[8,512,64],[8,64,512]"
#define SCORES "[8,512,512],[]"

/* Tests a step with forty attention layers with two products each. A product of 8 x 512 x 64 x 512 x 2 = 268 MFLOP
 * takes 0.27 us at the peak of 989 TFLOP/s. */
static void attention_of_several_kernels_gains_by_fusion(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        double at = i * 20;
        write_operator_with_kernel("aten::bmm", at, HEADS, BF16, "gemm", at + 5, 5);
        write_operator_with_kernel("aten::_softmax", at + 3, SCORES, BF16, "softmax", at + 10, 5);
        write_operator_with_kernel("aten::bmm", at + 6, "[8,512,512],[8,512,64]", BF16, "gemm", at + 15, 5);
    }
    build_trace_with_header(H100);
    assert_non_null(find_finding_of_rule("C15"));
    assert_string_equal(find_finding_of_rule("C15")->cause, "attention.eager");
    /* Attention takes 15 of 20 us, 40 times in 800 us. One kernel would take 0.90 us at 60 % of the peak, or 2.17 us at
     * 25 %. */
    assert_gain_range("C15", 100 * 40 * (15 - 2.17) / 800, 100 * 40 * (15 - 0.90) / 800);
    assert_null(find_finding_of_rule("C17"));
}

static void softmax_without_products_is_no_attention(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        double at = i * 20;
        write_operator_with_kernel("aten::mm", at, "[512,512],[512,512]", BF16, "gemm", at + 5, 5);
        write_operator_with_kernel("aten::_softmax", at + 3, "[512,512],[]", BF16, "softmax", at + 10, 5);
        write_operator_with_kernel("aten::mm", at + 6, "[512,512],[512,512]", BF16, "gemm", at + 15, 5);
    }
    build_trace_with_header(H100);
    assert_null(find_finding_of_rule("C15"));
}

/* Tests three operators on 1,000,000 floats that move 12, 12 and 8 MB. One kernel would move 1.5 times as much as the
 * largest of them. */
static void chain_of_small_kernels_gains_memory_traffic(void **state)
{
    static const char *const names[] = {"vectorized_elementwise", "triton_poi_fused_add"};
    for (int i = 0; i < 2; i++) {
        begin_trace_test(state);
        for (int k = 0; k < 10; k++) {
            double at = k * 100;
            write_operator_with_kernel("aten::mm", at, "[512,512],[512,512]", FLOAT, "tensorop_s1688gemm", at + 5, 40);
            write_operator_with_kernel("aten::mul", at + 3, "[1000000],[1000000]", FLOAT, names[i], at + 45, 20);
            write_operator_with_kernel("aten::add", at + 6, "[1000000],[1000000]", FLOAT, names[i], at + 65, 20);
            write_operator_with_kernel("aten::relu", at + 9, "[1000000]", FLOAT, names[i], at + 85, 15);
        }
        build_trace_with_header(H100);
        if (i)
            assert_null(find_finding_of_rule("C16"));
        else
            assert_finding("C16", "fuse.elementwise", 100 * 10 * 55 * (1 - 18.0 / 32) / 995);
        if (!i)
            end_event_text(state);
    }
}

/* ---- products ---- */

static void product_slower_than_similar_ones_is_named(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) { /* Each product has 17.2 GFLOP. Two kernels take 172 TFLOP/s and 344 TFLOP/s. */
        double at = i * 200;
        write_operator_with_kernel("aten::mm", at, "[2048,2048],[2048,2048]", BF16, "gemm_a", at + 5, 50);
        write_operator_with_kernel("aten::mm", at + 3, "[1024,4096],[4096,2048]", BF16, "gemm_b", at + 55, 50);
        write_operator_with_kernel("aten::mm", at + 6, "[4096,1024],[1024,2048]", BF16, "gemm_c", at + 105, 100);
    }
    build_trace_with_header(H100);
    assert_finding("C17", "compute.slow_gemm", 100 * 150.0 / 605);
    assert_gain_range("C17", 100 * 150.0 / 605, 100 * 150.0 / 605);
    ASSERT_PART(find_finding_of_rule("C17")->details, TP_DETAIL_SLOW_PRODUCT, NAN, NAN, 3, 1, 171.8, 343.6, 343.6);
    ASSERT_TEXT_OF(find_finding_of_rule("C17")->details, 1, "4096x1024 by 1024x2048");
}

static void decoding_is_bound_by_reading_weights(void **state)
{
    static const char *const marks[] = {"step[DECODE bs=4 toks=4]", "step[EXTEND bs=4 toks=4]"};
    for (int i = 0; i < 2; i++) {
        begin_trace_test(state);
        write_host_event("user_annotation", marks[i], 0, 200);
        for (int k = 0; k < 4; k++)
            write_operator_with_kernel("aten::mm", k * 4, "[4,4096],[4096,4096]", BF16, "gemv", 20 + k * 20, 20);
        build_trace_with_header(H100);
        assert_int_equal(find_finding_of_rule("C18") != NULL, i == 0);
        if (!i)
            end_event_text(state);
    }
}

static void lower_precision_helps_only_compute_bound_products(void **state)
{
    static const struct {
        const char *device, *type, *dims;
    } programs[] = {{H100, BF16, "[8192,8192],[8192,8192]"},
                    {A100, BF16, "[8192,8192],[8192,8192]"}, /* A100 devices have no FP8 */
                    {H100, FLOAT, "[8192,8192],[8192,8192]"},
                    {H100, BF16, "[4,4096],[4096,4096]"}}; /* this product is limited by memory, not by arithmetic */
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        begin_trace_test(state);
        for (int k = 0; k < 4; k++)
            write_operator_with_kernel("aten::mm", k * 4, programs[i].dims, programs[i].type, "gemm", 20 + k * 2000,
                                       2000);
        build_trace_with_header(programs[i].device);
        if (i == 0) {
            assert_finding("C25", "compute.low_precision", 45);
            assert_gain_range("C25", 0.33 * 45, 45);
            assert_int_equal(find_finding_of_rule("C25")->severity, TP_SEVERITY_LOW);
            end_event_text(state);
        } else {
            assert_null(find_finding_of_rule("C25"));
            if (i + 1 < sizeof programs / sizeof *programs)
                end_event_text(state);
        }
    }
}

static void kernel_names_give_type_and_sizes(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        write_launch(k * 3, 1, 3 * k + 1), write_kernel("ampere_sgemm_128x64_tn", 20 + k * 100, 40, 3 * k + 1);
        write_launch(k * 3 + 1, 1, 3 * k + 2),
            write_kernel("cutlass_80_tensorop_f16_s16816gemm_align1", 60 + k * 100, 30, 3 * k + 2);
        write_launch(k * 3 + 2, 1, 3 * k + 3),
            write_kernel("cutlass_80_tensorop_f16_s16816gemm_align8", 90 + k * 100, 30, 3 * k + 3);
    }
    build_trace();
    assert_finding("C24", "compute.fp32", 100 * 0.75 * 160 / 420);
    assert_gain_range("C24", 100 * 0.3 * 160 / 420, 100 * 0.75 * 160 / 420);
    assert_finding("C22", "compute.misaligned", 100 * 120.0 / 420);
    assert_non_null(
        strstr(find_finding_of_rule("C22")->advice, "16 bytes: 8 elements of FP16 or BF16, or 4 elements of FP32"));
}

static void double_precision_is_distinguished_from_single(void **state)
{
    static const char *const types[] = {DOUBLE, BF16};
    for (int i = 0; i < 2; i++) {
        begin_trace_test(state);
        for (int k = 0; k < 4; k++)
            write_operator_with_kernel("aten::mm", k * 4, "[512,512],[512,512]", types[i], "gemm", 20 + k * 20, 20);
        build_trace_with_header(H100);
        assert_int_equal(find_finding_of_rule("C21") != NULL, i == 0);
        if (!i)
            end_event_text(state);
    }
}

static void layout_changes_for_convolutions_are_distinguished(void **state)
{
    static const char *const names[] = {"void nchwToNhwcKernel<float>", "transpose_of_mine", "SubTensorOpWithScalar1d",
                                        "SubTensorOpWithCastTensor1d", "im2col_kernel"};
    for (int i = 0; i < 5; i++) {
        begin_trace_test(state);
        for (int k = 0; k < 4; k++) {
            write_operator_with_kernel("aten::cudnn_convolution", k * 8, "[8,64,56,56],[64,64,3,3]", FLOAT, names[i],
                                       20 + k * 50, 10);
            write_operator_with_kernel("aten::cudnn_convolution", k * 8 + 4, "[8,64,56,56],[64,64,3,3]", FLOAT,
                                       "xmma_fprop", 30 + k * 50, 40);
        }
        build_trace_with_header(H100);
        if (i)
            assert_null(find_finding_of_rule("C20"));
        else
            assert_finding("C20", "compute.layout_conv", 100 * 40.0 / 220);
        if (i < 4)
            end_event_text(state);
    }
}

/* ---- code ---- */

static void code_is_named_where_the_device_waits_for_it(void **state)
{
    for (int is_late = 0; is_late < 2; is_late++) { /* is_late: the device has work during the write; otherwise it
                                                     * waits */
        begin_trace_test(state);
        for (int s = 0; s < 3; s++) {
            double at = s * 1000;
            step(s, at, 1000), write_launch(at, 1, 2 * s + 1),
                write_kernel("a", at + 5, is_late ? 700 : 200, 2 * s + 1);
            frame("<built-in function fsync>", at + 210, 400);
            write_launch(at + 750, 1, 2 * s + 2), write_kernel("b", at + 755, 240, 2 * s + 2);
        }
        build_trace();
        if (is_late)
            assert_null(find_finding_of_rule("H10"));
        else
            assert_finding("H10", "io.in_step", 40);
        if (!is_late)
            end_event_text(state);
    }
}

static void checkpoint_recomputation_counts_device_time(void **state)
{
    (void)state;
    for (int s = 0; s < 3; s++) {
        double at = s * 1000;
        step(s, at, 1000);
        frame("torch/utils/checkpoint.py(1111): unpack_hook", at + 400, 100);
        write_launch(at, 1, 2 * s + 1), write_kernel("a", at + 5, 600, 2 * s + 1);
        write_launch(at + 450, 1, 2 * s + 2), write_kernel("a", at + 605, 300, 2 * s + 2);
    }
    build_trace();
    assert_finding("C19", "compute.recompute", 30);
}

/* ---- causes that only one finding reports ---- */

static void code_inside_the_loader_explains_the_wait_for_input(void **state)
{
    (void)state;
    for (int s = 0; s < 3; s++) {
        double at = s * 1000;
        step(s, at, 1000), write_launch(at, 1, 2 * s + 1), write_kernel("a", at + 5, 100, 2 * s + 1);
        write_host_event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at + 110,
                         600);
        frame("data.py(9): decode", at + 120, 580);
        write_launch(at + 750, 1, 2 * s + 2), write_kernel("b", at + 755, 240, 2 * s + 2);
    }
    build_trace();
    assert_finding("B2", "input.single_process", 60);
    assert_null(find_finding_of_rule("B1"));
    assert_null(find_finding_of_rule("A13"));
    ASSERT_PART(find_finding_of_rule("B2")->details, TP_DETAIL_LINE_OF_STEP, NAN, 58.0);
    ASSERT_TEXT_OF(find_finding_of_rule("B2")->details, 0, "data.py(9): decode");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_trace_test, end_event_text)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(few_operations_of_one_step_are_not_judged),
        CASE(one_time_work_is_not_reported),
        CASE(work_from_before_the_recording_is_unknown),
        CASE(device_collectives_need_a_device),
        CASE(busy_device_has_no_wait),
        CASE(attention_of_several_kernels_gains_by_fusion),
        CASE(softmax_without_products_is_no_attention),
        CASE(chain_of_small_kernels_gains_memory_traffic),
        CASE(product_slower_than_similar_ones_is_named),
        CASE(decoding_is_bound_by_reading_weights),
        CASE(lower_precision_helps_only_compute_bound_products),
        CASE(kernel_names_give_type_and_sizes),
        CASE(double_precision_is_distinguished_from_single),
        CASE(layout_changes_for_convolutions_are_distinguished),
        CASE(code_is_named_where_the_device_waits_for_it),
        CASE(checkpoint_recomputation_counts_device_time),
        CASE(code_inside_the_loader_explains_the_wait_for_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
