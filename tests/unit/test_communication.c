/* Tests rules about communication: small collectives (E4), late all-gathers of parameters (E6), one process for all
 * devices (E7). Each rule gets a program with the cause and similar programs without it. All expected numbers are
 * counted by hand. */
#include "small_findings.h"

static int next_correlation;

/* Writes a collective of `count` floats. The host calls it at `ts` for 40 us. Its kernel starts on the device at
 * `start` and takes `dur` us. */
static void write_collective(const char *name, int64_t count, double ts, double start, double dur)
{
    char args[300], annotation[64];
    int correlation = ++next_correlation;
    snprintf(args, sizeof args,
             "\"Collective name\":\"%s\",\"In msg nelems\":%lld,\"Out msg nelems\":%lld,\"dtype\":\"Float\",\"Group "
             "size\":2,"
             "\"Process Group Name\":\"0\"",
             name, (long long)count, (long long)count);
    snprintf(annotation, sizeof annotation, "nccl:%s", name);
    write_host_event_with_args("cpu_op", "record_param_comms", ts, 40, args);
    write_host_event("user_annotation", annotation, ts + 5, 30);
    write_launch(ts + 10, 5, correlation);
    write_operation("kernel", "ncclDevKernel_Generic", start, dur, correlation, 0, 9, "");
}

static void write_product(double ts, double start, double dur)
{
    int correlation = ++next_correlation;
    write_host_event("cpu_op", "aten::mm", ts, 8);
    write_launch(ts + 1, 2, correlation);
    write_kernel("sm90_gemm_bf16", start, dur, correlation);
}

/* Writes two steps of 10 ms. Each step has `calls` collectives of `count` floats, 50 us apart and 10 us long on the
 * device, and then 7 ms of device work. between: work before each collective. */
enum between { NOTHING, PRODUCTS, GRADIENTS };

static void write_loop_of_collectives(int calls, int64_t count, enum between between)
{
    for (int s = 0; s < 2; s++) {
        double b = s * 10000;
        step(s, b, 10000);
        for (int i = 0; i < calls; i++) {
            double ts = b + 100 + i * 50;
            if (between == GRADIENTS)
                write_host_event("cpu_op", "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
                                 ts - 1, 42);
            if (between != NOTHING)
                write_product(ts - 9, ts - 5, 2);
            write_collective("all_reduce", count, ts, ts + 20, 10);
        }
        write_product(b + 2500, b + 2510, 7000);
    }
}

static void small_collectives_in_a_loop_gain_by_merging(void **state)
{
    (void)state;
    write_loop_of_collectives(30, 256, NOTHING);
    build_trace();
    /* Merging saves 29 of 30 calls. Each call takes 10 us on the device. Then the device waits 35 us for the next
     * kernel; 5 us more are the latency of a launch. */
    assert_finding("E4", "comm.small", 100.0 * 29 * (10 + 35) / 10000);
    ASSERT_PART(find_finding_of_rule("E4")->details, TP_DETAIL_COLLECTIVES, 30, NAN, 1024, 10000);
    ASSERT_TEXT_OF(find_finding_of_rule("E4")->details, 1, "all_reduce");
    assert_int_equal(find_finding_of_rule("E4")->evidence_total, 60);
    assert_true(find_finding_of_rule("E4")->low_percent > 0.79 * find_finding_of_rule("E4")->share_percent);
    assert_null(find_finding_of_rule("E1"));
}

static void gradients_of_a_wrapper_gain_by_merging(void **state)
{
    (void)state;
    write_loop_of_collectives(30, 256, GRADIENTS);
    build_trace();
    assert_non_null(find_finding_of_rule("E4"));
    assert_int_equal(find_finding_of_rule("E4")->details->id, TP_DETAIL_COLLECTIVES_OF_WRAPPER);
}

static void dependent_collectives_are_not_reported(void **state)
{
    (void)state;
    /* in tensor parallelism, each layer needs the result of the previous all-reduce, so calls cannot be merged */
    write_loop_of_collectives(30, 256, PRODUCTS);
    build_trace();
    assert_null(find_finding_of_rule("E4"));
}

static void few_or_large_collectives_are_not_reported(void **state)
{
    write_loop_of_collectives(20, 256, NOTHING);
    build_trace();
    assert_null(find_finding_of_rule("E4"));
    end_event_text(state), begin_trace_test(state);
    write_loop_of_collectives(30, 1 << 20, NOTHING);
    build_trace();
    assert_null(find_finding_of_rule("E4"));
}

static void hidden_collectives_cost_nothing(void **state)
{
    (void)state;
    for (int s = 0; s < 2; s++) {
        double b = s * 10000;
        step(s, b, 10000), write_product(b, b + 10, 9980);
        for (int i = 0; i < 30; i++)
            write_collective("all_reduce", 256, b + 100 + i * 50, b + 120 + i * 50, 10);
    }
    build_trace();
    assert_null(find_finding_of_rule("E4"));
    assert_null(find_finding_of_rule("E1"));
}

/* Writes two steps of 10 ms with gloo. The main thread submits calls to threads of the backend and waits for each call.
 * The sixth call takes `late` us longer. */
static void write_calls_of_gloo(int calls, double dur, double late)
{
    for (int s = 0; s < 2; s++) {
        double b = s * 10000;
        step(s, b, 10000);
        write_host_event("cpu_op", "aten::mm", b, 2000);
        for (int i = 0; i < calls; i++) {
            double ts = b + 2000 + i * (dur + 50) + (i > 5 ? late : 0);
            write_host_event("cpu_op", "c10d::allreduce_", ts, 20);
            add_event(
                "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"gloo:all_reduce\",\"pid\":10,\"tid\":2,\"ts\":%"
                ".3f,"
                "\"dur\":%.3f,\"args\":{\"Input Dims\":[[16]],\"Input type\":[\"float\"]}}",
                ts + 30, i == 5 ? dur + late : dur);
        }
    }
}

static void small_cpu_collective_gain_includes_gaps(void **state)
{
    (void)state;
    /* each call is submitted 150 us after the previous one, and runs from 30 to 130 us after its submission */
    write_calls_of_gloo(40, 100, 0);
    build_trace();
    assert_finding("E4", "comm.small", 100.0 * 39 * 150 / 10000);
    assert_null(find_finding_of_rule("H8"));
    ASSERT_PART(find_finding_of_rule("E4")->details, TP_DETAIL_COLLECTIVES, 40, NAN, 64, 130000);
}

static void gain_excludes_the_wait_for_a_late_rank(void **state)
{
    (void)state;
    write_calls_of_gloo(40, 100, 1000);
    build_trace();
    /* the extra time of the long call is not part of the saving */
    assert_finding("E4", "comm.small", 100.0 * (39 * 130 + 39 * 20) / 10000);
    assert_null(find_finding_of_rule("H8"));
}

static void few_collectives_on_cpu_are_exposed(void **state)
{
    (void)state;
    write_calls_of_gloo(8, 500, 0);
    build_trace();
    assert_null(find_finding_of_rule("E4"));
    assert_finding("H8", "comm.exposed", 100.0 * 8 * 500 / 10000);
}

/* ---- gathering the parameters of a sharded model ---- */

/* Writes two steps of 10 ms with six layers. Each layer gathers its parameters for 100 us and computes for 1 ms. With
 * `is_late`, the gather runs after the work of the previous layer; otherwise it overlaps with that work. The host calls
 * all layers, then waits for the device. */
static void write_sharded_layers(bool is_late, const char *wrapper)
{
    for (int s = 0; s < 2; s++) {
        double b = s * 10000;
        step(s, b, 10000);
        for (int l = 0; l < 6; l++) {
            double at = b + 100 + l * 1100, call = b + 10 + l * 70;
            write_host_event("user_annotation", wrapper, call, 50);
            write_collective("_allgather_base", 16 << 20, call + 2, is_late || !l ? at : at - 500, 100);
            write_product(call + 51, at + 100, is_late ? 1000 : 1090);
        }
        write_host_event("cuda_runtime", "cudaDeviceSynchronize", b + 500, 6300);
    }
}

static void late_parameter_gathers_are_reported(void **state)
{
    (void)state;
    write_sharded_layers(true, "FSDP::all_gather (layers.0)");
    build_trace();
    /* the first gather of each step cannot overlap with any work */
    assert_finding("E6", "comm.exposed", 100.0 * 500 / 10000);
    ASSERT_PART(find_finding_of_rule("E6")->details, TP_DETAIL_BARE_GATHERS, 10, 12, 5.0);
    assert_null(find_finding_of_rule("E1"));
}

static void early_parameter_gathers_are_not_reported(void **state)
{
    (void)state;
    write_sharded_layers(false, "FullyShardedDataParallel._pre_forward");
    build_trace();
    assert_null(find_finding_of_rule("E6"));
}

static void other_all_gathers_are_no_sharded_model(void **state)
{
    (void)state;
    write_sharded_layers(true, "tensor_parallel.forward");
    build_trace();
    assert_null(find_finding_of_rule("E6"));
    assert_non_null(find_finding_of_rule("E1")); /* no other rule explains the communication, which takes 6 % */
}

/* ---- a single process that uses all devices ---- */

/* Writes two steps of 1 ms on two devices. The host distributes the model, then each device computes for 300 us. */
static void write_data_parallel_steps(const char *forward)
{
    for (int s = 0; s < 2; s++) {
        double b = s * 1000;
        step(s, b, 1000);
        write_host_event("user_annotation", forward, b, 990);
        write_host_event("cpu_op", "Scatter", b + 10, 50);
        write_host_event("cpu_op", "Broadcast", b + 100, 400);
        for (int d = 0; d < 2; d++) {
            int correlation = ++next_correlation;
            write_launch(b + 600 + d, 1, correlation);
            write_operation("kernel", "gemm", b + 610, 300, correlation, d, 7, "");
        }
        write_host_event("cpu_op", "Gather", b + 700, 40);
    }
}

static void one_process_for_all_devices_is_reported(void **state)
{
    (void)state;
    write_data_parallel_steps("DataParallel.forward");
    build_trace();
    /* the gather costs nothing, because it overlaps with the kernels */
    assert_finding("E7", "comm.exposed", 100.0 * (50 + 400) / 1000);
    assert_int_equal(find_finding_of_rule("E7")->confidence, TP_CONFIDENCE_HIGH);
    ASSERT_PART(find_finding_of_rule("E7")->details, TP_DETAIL_ONE_PROCESS, 2, 45.0);
}

static void process_per_device_is_not_reported(void **state)
{
    (void)state;
    write_data_parallel_steps("DistributedDataParallel.forward");
    build_trace();
    assert_null(find_finding_of_rule("E7"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_trace_test, end_event_text)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(small_collectives_in_a_loop_gain_by_merging),
        CASE(gradients_of_a_wrapper_gain_by_merging),
        CASE(dependent_collectives_are_not_reported),
        CASE(few_or_large_collectives_are_not_reported),
        CASE(hidden_collectives_cost_nothing),
        CASE(small_cpu_collective_gain_includes_gaps),
        CASE(gain_excludes_the_wait_for_a_late_rank),
        CASE(few_collectives_on_cpu_are_exposed),
        CASE(late_parameter_gathers_are_reported),
        CASE(early_parameter_gathers_are_not_reported),
        CASE(other_all_gathers_are_no_sharded_model),
        CASE(one_process_for_all_devices_is_reported),
        CASE(process_per_device_is_not_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
