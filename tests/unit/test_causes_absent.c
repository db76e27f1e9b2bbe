/* Tests programs that are similar to those with a root cause, next to ones with the cause: recomputation, gradients,
 * batches, loops and collation. Steps last 1,000 us. Expected savings are counted by hand. */
#include "cause_steps.h"

static void module_called_in_backward_is_recomputation(void **state)
{
    for (int is_inside = 1; is_inside >= 0; is_inside--) {
        begin_trace_test(state);
        for (int s = 0; s < STEPS; s++) {
            double at = begin_step(s) + 200;
            write_host_event("cpu_op", "autograd::engine::evaluate_function: FrugalBackward", at, is_inside ? 300 : 50);
            frame("net.py(18): backward", at + (is_inside ? 10 : 60), 200);
            write_host_event_with_args("python_function", "nn.Module: Stage_0", at + (is_inside ? 20 : 70), 100,
                                       "\"Python id\":1,\"Python module id\":0");
        }
        build_trace();
        if (is_inside) {
            assert_finding("H11", "compute.recompute", 10);
            end_event_text(state);
        }
    }
    assert_null(find_finding_of_rule("H11"));
}

/* Writes a gradient that is first filled with zeros (`filling` us) and then added to (`length` us). */
static void write_gradient(double filling, double length)
{
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        write_host_event("cpu_op", "aten::zero_", at + 200, filling);
        write_host_event("cpu_op", "torch::autograd::AccumulateGrad", at + 500, length + 2);
        write_host_event("cpu_op", "aten::add_", at + 501, length);
    }
    build_trace();
}

static void few_large_gradients_are_reported(void **state)
{
    write_gradient(100, 100);
    assert_finding("H15", "optimizer.zero_grad", 20);
    end_event_text(state), begin_trace_test(state);
    write_gradient(40, 40); /* 8 % for both operators is too little to report */
    assert_null(find_finding_of_rule("H15"));
    end_event_text(state), begin_trace_test(state);
    write_gradient(10, 200); /* the time is mostly for additions, not for zeros */
    assert_null(find_finding_of_rule("H15"));
}

static void service_with_two_rows_has_a_small_batch(void **state)
{
    write_serving_steps(2);
    assert_finding("H19", "batch.too_small", 100.0 * 30 / 32);
    end_event_text(state), begin_trace_test(state);
    write_serving_steps(1); /* with only one row per call, larger batches are not possible */
    assert_null(find_finding_of_rule("H19"));
}

/* Writes twelve rounds of twenty operators. A round takes 40 us and begins with an indexing operator. is_one_call: true
 * if one call contains all rounds, false if each round is a call. */
static void write_loop_rounds(bool is_one_call)
{
    enum { ROUNDS = 12, OPERATORS = 20 };
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s) + 200;
        if (is_one_call)
            frame("match.py(9): overlap", at, 40 * ROUNDS + 1);
        for (int r = 0; r < ROUNDS; r++) {
            if (!is_one_call)
                frame("net.py(9): forward", at + 40 * r, 39);
            for (int i = 0; i < OPERATORS; i++)
                write_host_event("cpu_op", i ? "aten::mul" : "aten::select", at + 40 * r + 1 + 1.9 * i, 1.5);
        }
    }
    build_trace();
}

static void long_rounds_are_a_loop_only_within_one_call(void **state)
{
    write_loop_rounds(true);
    assert_non_null(find_finding_of_rule("H2"));
    end_event_text(state), begin_trace_test(state);
    write_loop_rounds(false);
    assert_null(find_finding_of_rule("H2"));
}

/* Tests collation that takes 350 us per step: 200 us in Python, and 150 us in one call that makes a tensor from
 * numbers. */
static void gain_excludes_tensors_made_from_numbers(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        write_host_event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at + 200,
                         500);
        frame("/x/torch/utils/data/_utils/fetch.py(49): fetch", at + 201, 498);
        frame("data.py(9): join", at + 202, 350);
        frame("<built-in method tensor of type object at 0x7f>", at + 402, 150);
        write_host_event("cpu_op", "aten::contiguous", at + 550, 1);
    }
    build_trace();
    assert_finding("H1", "input.collate", 20);
    /* three quarters of the Python code, at most 20 points less than this code and the tensor together (35 %) */
    assert_gain_range("H1", 15, 35);
}

int main(void)
{
    is_recording_free = true;
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_trace_test, end_event_text)
    const struct CMUnitTest tests[] = {
        CASE(module_called_in_backward_is_recomputation),  CASE(few_large_gradients_are_reported),
        CASE(service_with_two_rows_has_a_small_batch),     CASE(gain_excludes_tensors_made_from_numbers),
        CASE(long_rounds_are_a_loop_only_within_one_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
