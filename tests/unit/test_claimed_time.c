/* Tests which time the findings of CPU programs include and leave out: work that a fix removes although it looks
 * different, and work that a fix keeps. Steps last 1,000 us. Expected shares are counted by hand. */
#include "small_findings.h"

enum { STEPS = 4 };

#define FLOAT "\"float\""
#define MODULE "\"Python id\":1,\"Python module id\":0"
#define LOADER "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"

/* Writes a loop of 20 rounds of 20 us in one function. A round takes and adds a part of a tensor. Each round whose
 * number is a multiple of `every` skips the slice. product: name of an operator in these rounds instead of the slice,
 * or NULL. */
static void write_uneven_rounds(int every, const char *product)
{
    for (int s = 0; s < STEPS; s++) {
        double at = 1000.0 * s;
        step(s, at, 1000);
        write_host_event("cpu_op", "aten::exp", at + 1, 90);
        frame("pool.py(7): pool", at + 100, 402);
        for (int r = 0; r < 20; r++) {
            double round = at + 101 + 20 * r;
            write_host_event("cpu_op", "aten::select", round, 5);
            if (r % every)
                write_host_event("cpu_op", "aten::slice", round + 6, 5);
            else if (product)
                write_operator_with_shapes(product, round + 6, 5, "[4,4],[4,4]", FLOAT, 100 * s + r);
            write_host_event("cpu_op", "aten::mean", round + 12, 6);
        }
    }
    build_trace();
}

static void loop_continues_after_a_different_round(void **state)
{
    write_uneven_rounds(7, NULL);
    /* from the second of the rounds 1 to 20 to the end of the last; round 0 has no equal round behind it */
    assert_finding("H2", "host.index_loop", (18 * 20 - 2) / 10.0);
    end_event_text(state), begin_trace_test(state);
    write_uneven_rounds(7, "aten::mm"); /* the product may be a call of a model */
    assert_null(find_finding_of_rule("H2"));
}

/* Writes twelve calls of a module with one sample each, in two groups with other work between them, and `batches` calls
 * with 64 samples. */
static void write_calls_in_two_groups(int batches)
{
    for (int s = 0; s < STEPS; s++) {
        double at = 1000.0 * s;
        step(s, at, 1000);
        for (int i = 0; i < 12; i++) {
            double call = at + 10 + 40 * i + (i < 6 ? 0 : 200);
            write_host_event_with_args("python_function", "nn.Module: Policy_0", call, 35, MODULE);
            write_operator_with_shapes("aten::linear", call + 1, 20, "[1,64],[8,64]", FLOAT, 100 * s + i);
        }
        for (int i = 0; i < batches; i++) {
            double call = at + 750 + 15 * i;
            write_host_event_with_args("python_function", "nn.Module: Policy_0", call, 12, MODULE);
            write_operator_with_shapes("aten::linear", call + 1, 10, "[64,64],[8,64]", FLOAT, 100 * s + 20 + i);
        }
    }
    build_trace();
}

static void calls_with_a_batch_do_not_hide_calls_with_one_sample(void **state)
{
    write_calls_in_two_groups(1);
    /* five calls of each group, and the times of 5 us between them */
    assert_finding("H18", "batch.per_sample_loop", 2 * (5 * 40 - 5) / 10.0);
    end_event_text(state), begin_trace_test(state);
    write_calls_in_two_groups(12);
    assert_null(find_finding_of_rule("H18"));
}

static void larger_batch_keeps_the_work_on_samples(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        step(s, 1000.0 * s, 1000);
        /* 2 * 4 * 3000 * 1000 operations take 400 us at 60 per ns, and the relu moves at least 8 * 6000 bytes in 8 us
         */
        write_host_event_with_args("cpu_op", "aten::addmm", 1000.0 * s + 100, 500,
                                   "\"Input Dims\":[[1000],[4,3000],[3000,1000],[],[]],"
                                   "\"Input type\":[\"float\",\"float\",\"float\",\"Scalar\",\"Scalar\"]");
        write_operator_with_shapes("aten::relu", 1000.0 * s + 700, 100, "[6,1000]", FLOAT, 50 + s);
    }
    build_trace();
    assert_finding("H19", "batch.too_small", 100 * (1 - 0.408) * 28 / 32);
}

static void large_copy_evicts_no_more_than_the_cache(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        step(s, 1000.0 * s, 1000);
        /* the copy moves 128 MiB, and the cache contains a quarter of that */
        write_operator_with_shapes("aten::cat", 1000.0 * s, 160, "[[8192,1024],[8192,1024]]", FLOAT, s);
    }
    build_trace();
    assert_finding("H7", "copy.layout", 16 * (1 + 0.25 / 4));
}

static void transform_keeps_its_operators_and_the_rest_of_loading(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = 1000.0 * s;
        step(s, at, 1000);
        write_host_event("user_annotation", LOADER, at + 200, 500);
        frame("/x/torch/utils/data/_utils/fetch.py(49): fetch", at + 201, 498);
        frame("data.py(9): __getitem__", at + 202, 400);
        write_host_event("cpu_op", "aten::sort", at + 300, 100);
    }
    build_trace();
    assert_finding("H1", "input.transform", 30);
    ASSERT_PART(find_finding_of_rule("H1")->details->next, TP_DETAIL_TRANSFORMS, 50, 30);
}

/* Writes allocations of 1 MiB that no step frees, in an operator inside a frame. dims: shapes of its inputs, or NULL */
static void write_growth(const char *frame_name, const char *dims)
{
    for (int s = 0; s < 5; s++) {
        double at = 1000.0 * s;
        step(s, at, 1000);
        frame(frame_name, at + 100, 200);
        if (dims)
            write_operator_with_shapes("aten::mul", at + 110, 100, dims, FLOAT, s);
        else
            write_host_event("cpu_op", "aten::mul", at + 110, 100);
        add_event("{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":10,\"tid\":1,\"ts\":%.3f,"
                  "\"s\":\"t\",\"args\":{\"Device Type\":0,\"Device Id\":-1,\"Addr\":%d,\"Bytes\":1048576}}",
                  at + 120, 4096 * (1 + 512 * s));
    }
    build_trace();
}

static void memory_that_the_recorder_keeps_is_no_growth(void **state)
{
    write_growth("/x/torch/_functorch/vmap.py(462): _flat_vmap", "[64,64]");
    assert_null(find_finding_of_rule("D4"));
    end_event_text(state), begin_trace_test(state);
    write_growth("/x/torch/_functorch/vmap.py(462): _flat_vmap", NULL);
    assert_non_null(find_finding_of_rule("D4"));
    end_event_text(state), begin_trace_test(state);
    write_growth("train.py(7): keep", "[64,64]");
    assert_non_null(find_finding_of_rule("D4"));
}

int main(void)
{
    is_recording_free = true;
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_trace_test, end_event_text)
    const struct CMUnitTest tests[] = {
        CASE(loop_continues_after_a_different_round),
        CASE(calls_with_a_batch_do_not_hide_calls_with_one_sample),
        CASE(larger_batch_keeps_the_work_on_samples),
        CASE(large_copy_evicts_no_more_than_the_cache),
        CASE(transform_keeps_its_operators_and_the_rest_of_loading),
        CASE(memory_that_the_recorder_keeps_is_no_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
