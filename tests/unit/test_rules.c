/* Tests rules about devices on small traces: when they have findings, their maximum gain, and their confidence.
 * Expected numbers are counted by hand. */
#include "small_findings.h"

#define GPU(major)                                                                                                     \
    "\"deviceProperties\":[{\"id\":0,\"name\":\"GPU\",\"totalGlobalMem\":1000,\"computeMajor\":" #major                \
    ",\"computeMinor\":0,\"warpSize\":32,\"numSms\":100}],"

/* ---- rules for a device that waits for the host ---- */

static void starved_time_of_several_devices_counts_once(void **state)
{
    (void)state;
    for (int d = 0; d < 2; d++) {
        launch_thread = 1 + d;
        write_launch(0, 1, 1 + 10 * d), write_launch(90, 1, 2 + 10 * d);
        write_operation("kernel", "a", 0, 10, 1 + 10 * d, d, 7, "");
        write_operation("kernel", "b", 100, 10, 2 + 10 * d, d, 7, "");
    }
    build_trace();
    assert_ceiling("A1", 81); /* from 10 to 100 us, the device waits 80 us for the host and 1 us for the launch */
    assert_int_equal(find_finding_of_rule("A1")->evidence_total, 2);
}

static void early_launch_is_no_wait_for_the_host(void **state)
{
    (void)state;
    write_kernel("a", 0, 10, 1), write_launch(0, 1, 1), write_kernel("b", 1000, 10, 2), write_launch(12, 1, 2);
    build_trace();
    assert_int_equal(advice.recommendations.finding_count, 0);
}

static void value_read_in_each_step_costs_the_gap_after_it(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        int b = i * 1000;
        step(i, b, 1000), write_launch(b, 5, i * 10 + 1), write_kernel("k", b + 5, 300, i * 10 + 1);
        write_host_event("cpu_op", "aten::item", b + 10, 310),
            write_host_event("cpu_op", "aten::_local_scalar_dense", b + 11, 308);
        /* the call returns 318 us after the start of the step, and the next kernel starts after 605 us */
        call("cudaStreamSynchronize", b + 12, 306, i * 10 + 2);
        write_launch(b + 600, 5, i * 10 + 3), write_kernel("k2", b + 605, 395, i * 10 + 3);
    }
    build_trace_with_header("\"with_stack\":1,");
    assert_ceiling("A5", 287);
    assert_int_equal(find_finding_of_rule("A5")->severity, TP_SEVERITY_HIGH);
    assert_int_equal(find_finding_of_rule("A5")->evidence_total, 2);
    assert_null(find_finding_of_rule("A4"));
}

static void awaited_copy_to_the_host_reads_a_value(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        int b = i * 1000;
        step(i, b, 1000), write_launch(b, 5, i * 10 + 1), write_kernel("k", b + 5, 300, i * 10 + 1);
        write_host_event("cpu_op", "aten::copy_", b + 10, 310);
        if (i == 1) /* only the second step copies to the host */
            call("cudaMemcpyAsync", b + 11, 1, 14),
                write_operation("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", b + 305, 5, 14, 0, 7, "");
        /* the call returns 315 us after the start of the step */
        call("cudaStreamSynchronize", b + 13, 302, i * 10 + 2);
        write_launch(b + 395, 5, i * 10 + 3), write_kernel("k2", b + 405, 595, i * 10 + 3);
    }
    build_trace();
    assert_null(find_finding_of_rule("A5")); /* one value read in two steps is too little for rule A5 */
    assert_ceiling("A4", 45); /* gain of the wait without a copy: 90 us (from 315 to 405 us) in one of two steps */
    assert_int_equal(find_finding_of_rule("A4")->evidence_total, 1);
}

static void data_dependent_size_has_its_own_rule(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        int b = i * 1000;
        step(i, b, 1000), write_launch(b, 5, i * 10 + 1), write_kernel("k", b + 5, 300, i * 10 + 1);
        write_host_event("cpu_op", "aten::nonzero", b + 10, 310);
        call("cudaStreamSynchronize", b + 12, 306, i * 10 + 2);
        write_launch(b + 340, 5, i * 10 + 3), write_kernel("k2", b + 345, 655, i * 10 + 3);
    }
    build_trace();
    assert_ceiling("A6", 27);
    assert_int_equal(find_finding_of_rule("A6")->severity, TP_SEVERITY_LOW);
}

/* Writes memory events. From 10 to 2,990 us, 950 of 1,000 bytes are reserved, and 500 of these are allocated. */
static void write_nearly_full_memory(void)
{
    for (int i = 0; i < 2; i++)
        add_event("{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":10,\"tid\":1,\"ts\":%d,\"s\":\"t\",\"args\":{\"Device "
                  "Type\":1,"
                  "\"Device Id\":0,\"Addr\":1,\"Bytes\":%d,\"Total Allocated\":%d,\"Total Reserved\":950}}",
                  i ? 2990 : 10, i ? -500 : 500, i ? 0 : 500);
}

static void engine_may_reserve_all_memory(void **state)
{
    (void)state;
    write_host_event("user_annotation", "execute_context_0(0)_generation_32(32)", 0, 500);
    write_launch(5, 5, 1), write_kernel("k", 15, 900, 1);
    write_nearly_full_memory();
    build_trace_with_header(GPU(8));
    assert_null(find_finding_of_rule("D1"));
    assert_true(is_not_evaluated("D1", "a serving engine reserves most of the memory on purpose"));
}

static void allocator_is_judged_without_the_first_step(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        int b = i * 1000;
        step(i, b, 1000), write_launch(b, 5, i * 10 + 1), write_kernel("k", b + 5, 400, i * 10 + 1);
        call("cudaFree", b + 450, 100, i * 10 + 4), call("cudaMalloc", b + 550, 40, i * 10 + 5);
        write_launch(b + 600, 5, i * 10 + 3), write_kernel("k2", b + 605, 395, i * 10 + 3);
    }
    write_nearly_full_memory();
    build_trace_with_header(GPU(8));
    assert_ceiling("A12",
                   280.0 / 3); /* the calls take 140 us in two of three analysed steps, and none in the first step */
    assert_int_equal(find_finding_of_rule("D2")->evidence_total, 4);
    assert_non_null(find_finding_of_rule("D1")); /* 950 of 1000 bytes are reserved */
    assert_non_null(find_finding_of_rule("D3")); /* 450 reserved bytes are not allocated */
    assert_int_equal(find_finding_of_rule("D1")->evidence[0].ts_ns, 10000);
}

static void loader_costs_the_idle_time_of_the_device(void **state)
{
    (void)state;
    write_kernel("a", 0, 10, 1), write_launch(0, 1, 1), write_kernel("b", 91, 9, 2), write_launch(90, 1, 2);
    write_host_event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 10, 70);
    build_trace();
    assert_null(find_finding_of_rule("B1")); /* rule B2 already reports this time */
    assert_ceiling("B2", 70);
    assert_ceiling("A1", 11); /* the device waits 81 us, of which the loader explains 70 us */
    assert_true(advice.recommendations.total_ceiling_us_per_step == 81);
}

static void pageable_copy_is_compared_with_pinned_copies(void **state)
{
    (void)state;
    call("cudaMemcpyAsync", 0, 1, 1), call("cudaMemcpyAsync", 1, 1, 2), write_launch(2, 1, 3),
        write_kernel("k", 600, 400, 3);
    write_operation("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 0, 500, 1, 0, 7, ",\"bytes\":1000000");
    write_operation("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 500, 100, 2, 0, 7, ",\"bytes\":1000000");
    build_trace();
    assert_ceiling("B3", 400);
    assert_ceiling("B4", 100);
}

static void host_code_names_its_line(void **state)
{
    (void)state;
    write_kernel("a", 0, 10, 1), write_launch(0, 1, 1), write_kernel("b", 401, 99, 2), write_launch(400, 1, 2);
    write_host_event("python_function", "train.py(3): main", 5, 490),
        write_host_event("python_function", "data.py(9): decode", 100, 200);
    build_trace();
    assert_ceiling("A13", 391); /* the device waits from 10 to 401 us, and decode takes 200 us of this time */
    ASSERT_PART(find_finding_of_rule("A13")->details, TP_DETAIL_LINE_OF_STEP, NAN, 40.0);
    ASSERT_PART(find_finding_of_rule("A13")->details->next, TP_DETAIL_LINE_OF_STEP, NAN, 38.2);
    ASSERT_TEXT_OF(find_finding_of_rule("A13")->details->next, 0, "train.py(3): main");
    assert_true(tp_str_equal(find_finding_of_rule("A13")->evidence[0].file_line, TP_STR("data.py(9): decode")));
    assert_null(find_finding_of_rule("A1"));
}

/* Writes a host range with `count` operators of `dur` us. The device waits 391 us during the range. */
static void write_range_with_operators(int count, double dur)
{
    write_kernel("a", 0, 10, 1), write_launch(0, 1, 1), write_kernel("b", 401, 99, 2), write_launch(400, 1, 2);
    write_host_event("user_annotation", "DistributedDataParallel.forward", 0, 500);
    for (int i = 0; i < count; i++)
        write_host_event("cpu_op", "aten::view", 10 + i * dur, dur);
    build_trace();
}

static void slow_calls_are_not_reported_as_code(void **state)
{
    write_range_with_operators(39, 10); /* the operators take all but 1 us of the wait */
    assert_null(find_finding_of_rule("A13"));
    assert_ceiling("A1", 391);
    ASSERT_PART(find_finding_of_rule("A1")->details, TP_DETAIL_SLOW_LINE, NAN, 78.0);
    ASSERT_TEXT_OF(find_finding_of_rule("A1")->details, 0, "DistributedDataParallel.forward");
    end_event_text(state), begin_trace_test(state);
    write_range_with_operators(1, 300); /* the host computes for most of the wait */
    assert_ceiling("A13", 391);
    assert_null(find_finding_of_rule("A1"));
}

/* ---- rules for compute and communication ---- */

/* Writes two steps of 1 ms. The device waits for the host, computes for `work` us, and communicates for `collective`
 * us. Then the host waits for the device. */
static void write_collective_and_wait(double work, double collective)
{
    for (int s = 0; s < 2; s++) {
        double at = s * 1000, start = at + 1000 - work - collective;
        write_host_event("user_annotation", s ? "ProfilerStep#2" : "ProfilerStep#1", at, 1000);
        write_launch(at, 1, 3 * s + 1), write_kernel("gemm", at + 1, 5, 3 * s + 1);
        write_launch(start - 2, 1, 3 * s + 2), write_kernel("gemm", start, work, 3 * s + 2);
        write_launch(start - 1, 1, 3 * s + 3);
        write_operation("kernel", "ncclDevKernel_AllReduce", start + work, collective, 3 * s + 3, 0, 9, "");
        write_host_event("cuda_runtime", "cudaDeviceSynchronize", start + 1, 999 - (start - at));
    }
    build_trace();
}

static void verdict_orders_findings_with_equal_gains(void **state)
{
    write_collective_and_wait(400, 310); /* rule E1 gains up to 31 %, rule A1 17 to 27 % */
    assert_int_equal(advice.verdict.class, TP_CLASS_COMMUNICATION_BOUND);
    assert_string_equal(advice.recommendations.findings[0].rule->id, "E1");
    assert_string_equal(advice.recommendations.findings[1].rule->id, "A1");
    end_event_text(state), begin_trace_test(state);
    /* 80 us of work hide as much of the communication; other steps could hide the rest. The gain of rule A1 is between
     */
    write_collective_and_wait(80, 480);
    assert_int_equal(advice.verdict.class, TP_CLASS_COMMUNICATION_BOUND);
    assert_string_equal(advice.recommendations.findings[0].rule->id, "E1");
    assert_string_equal(advice.recommendations.findings[1].rule->id, "A1");
    assert_true(find_finding_of_rule("E1")->sure_percent < find_finding_of_rule("A1")->sure_percent);
}

static void communication_is_exposed_where_no_compute_runs(void **state)
{
    (void)state;
    write_launch(0, 1, 1), write_kernel("gemm", 0, 50, 1), write_launch(1, 1, 2);
    write_operation("kernel", "ncclDevKernel_AllReduce", 20, 80, 2, 0, 9, "");
    write_launch(2, 1, 3), write_kernel("gemm", 100, 100, 3);
    build_trace();
    /* communication is exposed from 50 to 100 us, a quarter of 200 us */
    assert_true(find_finding_of_rule("E1")->share_percent == 25);
    assert_int_equal(find_finding_of_rule("E1")->severity, TP_SEVERITY_MEDIUM);
    ASSERT_PART(find_finding_of_rule("E1")->details, TP_DETAIL_OVERLAP, 25.0, 25.0);
    assert_null(find_finding_of_rule("E1")->details->next);
}

static void gain_is_limited_by_available_compute(void **state)
{
    (void)state;
    write_launch(0, 1, 1), write_kernel("gemm", 0, 20, 1), write_launch(1, 1, 2),
        write_kernel("multimem_all_reduce_kernel", 20, 100, 2);
    build_trace();
    assert_ceiling("E1", 20);
}

/* Launches a kernel on stream 7, or a collective on stream 9. Returns the end of the kernel, us. */
static double launch_kernel(const char *name, double called, double start, double dur)
{
    static int correlation = 100;
    bool is_communication = strstr(name, "nccl") != NULL;
    write_launch(called, 1, ++correlation);
    write_operation("kernel", name, start, dur, correlation, 0, is_communication ? 9 : 7, "");
    return start + dur;
}

static void compute_hides_only_communication_of_its_step(void **state)
{
    (void)state;
    write_host_event("user_annotation", "ProfilerStep#1", 0, 500),
        write_host_event("user_annotation", "ProfilerStep#2", 500, 500);
    launch_kernel("gemm", 1, 10, 20), launch_kernel("ncclDevKernel_AllReduce", 2, 30, 300);
    launch_kernel("gemm", 501, 540, 370), launch_kernel("ncclDevKernel_AllReduce", 502, 910, 80);
    build_trace();
    assert_ceiling("E1", (20 + 80) / 2.0);
    ASSERT_PART(find_finding_of_rule("E1")->details, TP_DETAIL_OVERLAP, 38.0, 10.0);
    assert_int_equal(find_finding_of_rule("E1")->details->next->id, TP_DETAIL_OVERLAP_REST);
}

/* Writes a step of 1 ms with `count` passes, each with 100 us of forward and 50 us of backward work. Communication of
 * `dur` us follows. */
static void write_passes_and_communication(int count, double dur)
{
    double at = 100;
    write_host_event("user_annotation", "ProfilerStep#1", 0, 1000);
    for (int i = 0; i < count; i++) {
        at = launch_kernel("gemm", 1 + 4 * i, at, 100);
        write_host_event("cpu_op", "autograd::engine::evaluate_function: MmBackward0", 2 + 4 * i, 2);
        at = launch_kernel("gemm", 2 + 4 * i, at, 50);
    }
    launch_kernel("ncclDevKernel_AllReduce", 50, at, dur);
    build_trace();
}

static void the_forward_pass_hides_no_gradients(void **state)
{
    write_passes_and_communication(1, 300);
    assert_ceiling("E1", 50);
    end_event_text(state), begin_trace_test(state);
    /* The second forward pass could run during the communication of the first gradients. */
    write_passes_and_communication(2, 280);
    assert_ceiling("E1", 280);
}

/* Writes a step of 1 ms: work, communication from 200 to 400 us, and work that the host launches at `called`. waits:
 * the host waits for the communication. */
static void write_work_after_communication(double called, bool waits)
{
    write_host_event("user_annotation", "ProfilerStep#1", 0, 1000);
    launch_kernel("gemm", 1, 10, 190), launch_kernel("ncclDevKernel_AllReduce", 2, 200, 200);
    if (waits)
        write_host_event("cuda_runtime", "cudaStreamSynchronize", 5, 395);
    launch_kernel("gemm", called, 410, 590);
    build_trace();
}

static void late_host_limits_the_gain_of_overlap(void **state)
{
    write_work_after_communication(3, false);
    assert_ceiling("E1", 200);
    end_event_text(state), begin_trace_test(state);
    write_work_after_communication(379, false); /* the launch returns 30 us before the kernel starts */
    assert_ceiling("E1", 30);
    ASSERT_PART(find_finding_of_rule("E1")->details, TP_DETAIL_OVERLAP, 20.0, 20.0);
    ASSERT_PART(find_finding_of_rule("E1")->details->next, TP_DETAIL_OVERLAP_LATE, 17.0);
    end_event_text(state), begin_trace_test(state);
    /* The host launches late only because it waits for the communication. */
    write_work_after_communication(405, true);
    assert_ceiling("E1", 200);
}

static void tensor_core_advice_depends_on_types_and_sizes(void **state)
{
    (void)state;
    write_host_event_with_args("cpu_op", "aten::mm", 0, 10,
                               "\"Input type\":[\"float\",\"float\"],\"Input Dims\":[[8,8],[8,8]]");
    write_launch(1, 2, 1), write_kernel("ampere_sgemm_128x64", 5, 80, 1);
    write_host_event_with_args("cpu_op", "aten::mm", 20, 10,
                               "\"Input type\":[\"c10::Half\",\"c10::Half\"],\"Input Dims\":[[8,9],[9,8]]");
    write_launch(21, 2, 2), write_kernel("cutlass_tensorop_h16816", 85, 20, 2);
    /* switches off rule C24, which would report the same products by their minimum time */
    settings[1] = "C24.min_pct=1000";
    build_trace_with_header(GPU(8) "\"record_shapes\":1,");
    assert_ceiling("C1", 70); /* tensor cores save 7/8 of 80 us */
    assert_true(find_finding_of_rule("C1")->share_percent == 7000.0 / 105);
    assert_null(find_finding_of_rule("C2"));
    assert_true(isnan(find_finding_of_rule("C3")->ceiling_us_per_step));
    assert_true(find_finding_of_rule("C3")->share_percent == 2000.0 / 105);
}

static void forward_and_backward_could_use_tensor_cores(void **state)
{
    (void)state;
    write_host_event("cpu_op", "aten::cudnn_convolution", 0, 10), write_launch(1, 2, 1),
        write_kernel("volta_scudnn_128x64", 10, 40, 1);
    write_host_event("cpu_op", "CudnnConvolutionBackward", 20, 10), write_launch(21, 2, 2),
        write_kernel("volta_scudnn_dgrad", 50, 40, 2);
    write_host_event("cpu_op", "aten::add", 30, 10), write_launch(31, 2, 3),
        write_kernel("vectorized_elementwise_kernel", 90, 20, 3);
    settings[1] = "C24.min_pct=1000";
    build_trace_with_header(GPU(7));
    assert_ceiling("C2", 70); /* tensor cores save 7/8 of (40 + 40) us, but nothing of the addition */
    assert_true(is_not_evaluated("C1", "record_shapes was off"));
}

/* Writes kernels of an optimizer step, 20 us apart and 10 us long. The call that launches a kernel takes 1 us and
 * begins 2 us before the kernel. */
static void write_optimizer_kernels(const char *operator_name, int count)
{
    write_launch(0, 1, count + 1), write_kernel("first", 0, 1, count + 1); /* the analysed time begins at 0 us */
    write_host_event("user_annotation", "Optimizer.step#Adam.step", 1, 20 * count + 9);
    for (int i = 0; i < count; i++) {
        write_host_event("cpu_op", operator_name, 20 * i + 6, 5);
        write_launch(20 * i + 8, 1, i + 1), write_kernel("k", 20 * i + 10, 10, i + 1);
    }
    build_trace();
}

static void optimizer_with_launch_per_tensor_is_reported(void **state)
{
    (void)state;
    write_optimizer_kernels("aten::add_", 110);
    assert_ceiling("C6", 110); /* 1 us per launch; the device waits 8 or 9 us before each kernel */
    assert_int_equal(find_finding_of_rule("C6")->evidence_total, 110);
}

static void fused_optimizer_is_not_reported(void **state)
{
    (void)state;
    write_optimizer_kernels("aten::_foreach_add_", 110);
    assert_null(find_finding_of_rule("C6"));
}

static void empty_trace_gives_a_notice(void **state)
{
    (void)state;
    add_event("{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":1,\"s\":\"t\",\"args\":{\"Bytes\":1}}");
    build_trace();
    assert_string_equal(advice.recommendations.program, "empty");
    assert_int_equal(advice.recommendations.finding_count, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_trace_test, end_event_text)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        CASE(starved_time_of_several_devices_counts_once),
        CASE(early_launch_is_no_wait_for_the_host),
        CASE(value_read_in_each_step_costs_the_gap_after_it),
        CASE(awaited_copy_to_the_host_reads_a_value),
        CASE(data_dependent_size_has_its_own_rule),
        CASE(engine_may_reserve_all_memory),
        CASE(allocator_is_judged_without_the_first_step),
        CASE(loader_costs_the_idle_time_of_the_device),
        CASE(pageable_copy_is_compared_with_pinned_copies),
        CASE(host_code_names_its_line),
        CASE(slow_calls_are_not_reported_as_code),
        CASE(verdict_orders_findings_with_equal_gains),
        CASE(communication_is_exposed_where_no_compute_runs),
        CASE(gain_is_limited_by_available_compute),
        CASE(compute_hides_only_communication_of_its_step),
        CASE(the_forward_pass_hides_no_gradients),
        CASE(late_host_limits_the_gain_of_overlap),
        CASE(tensor_core_advice_depends_on_types_and_sizes),
        CASE(forward_and_backward_could_use_tensor_cores),
        CASE(optimizer_with_launch_per_tensor_is_reported),
        CASE(fused_optimizer_is_not_reported),
        CASE(empty_trace_gives_a_notice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
