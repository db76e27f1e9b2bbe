/* Tests root causes inside other code of CPU programs: in hooks, in nested modules, in one function of a step.
 * Steps last 1,000 us. Expected savings are counted by hand. */
#include "cause_steps.h"

#define HEADS "[2,4,512,512]"

/* ---- hooks ---- */

/* Writes a function with an operator of 60 us. Its caller is the function of torch that runs a module's forward pass
 * and its hooks. */
static void write_hook(const char *caller, const char *function, const char *operator)
{
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        frame(caller, at + 200, 200);
        frame(function, at + 210, 100);
        write_host_event("cpu_op", operator, at + 220, 60);
    }
    build_trace();
}

static void hooks_that_reduce_values_are_checks(void **state)
{
    write_hook("/x/torch/nn/modules/module.py(1794): inner", "train.py(13): watch", "aten::mean");
    assert_finding("H13", "debug.checks", 10);
    end_event_text(state), begin_trace_test(state);
    /* This hook changes values, so it is not only a check. */
    write_hook("/x/torch/nn/modules/module.py(1794): inner", "train.py(13): keep", "aten::mul");
    assert_null(find_finding_of_rule("H13"));
    end_event_text(state), begin_trace_test(state);
    /* this function is the module's forward pass, not a hook */
    write_hook("/x/torch/nn/modules/module.py(1794): inner", "train.py(13): forward", "aten::mean");
    assert_null(find_finding_of_rule("H13"));
    end_event_text(state), begin_trace_test(state);
    write_hook("train.py(3): step", "train.py(13): watch", "aten::mean"); /* this function is called from the step
                                                                           * itself, so it is not a hook */
    assert_null(find_finding_of_rule("H13"));
}

static void gain_of_backward_hook_includes_its_node(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        write_host_event("cpu_op", "autograd::engine::evaluate_function: BackwardHookFunctionBackward", at + 200, 200);
        frame("/x/torch/utils/hooks.py(128): hook", at + 205, 150);
        frame("train.py(14): watch", at + 210, 100);
        write_host_event("cpu_op", "aten::isfinite", at + 220, 60);
    }
    build_trace();
    assert_finding("H13", "debug.checks", 20);
}

static void wrapper_around_forward_is_no_hook(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        frame("/x/torch/nn/modules/module.py(1794): inner", at + 200, 200);
        frame("train.py(5): timed", at + 210, 180);
        frame("train.py(9): forward", at + 220, 160);
        write_host_event("cpu_op", "aten::mean", at + 230, 60);
    }
    build_trace();
    assert_null(find_finding_of_rule("H13"));
}

/* ---- operators inside of operators ---- */

static void einsum_is_treated_as_its_product(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s) + 200;
        for (int i = 0; i < 2; i++) {
            write_host_event("cpu_op", "aten::einsum", at + 250 * i, 50);
            write_operator_with_shapes("aten::bmm", at + 250 * i + 5, 40, "[8,512,32],[8,32,512]", FLOAT, 10 * s + i);
        }
        write_operator_with_shapes("aten::div", at + 50, 100, HEADS, FLOAT, 10 * s + 2);
        write_operator_with_shapes("aten::softmax", at + 150, 100, HEADS, FLOAT, 10 * s + 3);
    }
    build_trace();
    double scores = 4 * 8 * 512 * 512.0, operands = 2 * 4 * 8 * 512 * 32, flops = 2 * 8 * 512 * 512 * 32.0;
    assert_finding("H16", "attention.eager", 0.85 * (20 + 10 * scores / (scores + operands + flops / 10)));
}

static void unavoidable_copies_are_not_reported(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s) + 200;
        write_host_event("cpu_op", "aten::convolution_backward", at, 300);
        write_operator_with_shapes("aten::contiguous", at + 10, 200, "[8,32,64,64]", FLOAT, 10 * s);
        write_operator_with_shapes("aten::to", at + 400, 150, "[]", "\"double\"", 10 * s + 1);
    }
    build_trace();
    assert_null(find_finding_of_rule("H7"));
    end_event_text(state), begin_trace_test(state);
    for (int s = 0; s < STEPS; s++)
        write_operator_with_shapes("aten::contiguous", begin_step(s) + 210, 200, "[8,32,64,64]", FLOAT, 10 * s);
    build_trace();
    /* the gain is 200 us of copies plus a quarter, because the next operator then finds its data in the caches */
    assert_finding("H7", "copy.layout", 25);
    end_event_text(state), begin_trace_test(state);
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        write_operator_with_shapes("aten::contiguous", at + 210, 200, "[8,32,64,64]", FLOAT, 10 * s);
        write_operator_with_shapes("aten::cat", at + 420, 200, "[8,32,64,64]", FLOAT,
                                   10 * s + 1); /* this operator runs after the copy and
                                                 * reads the copied data */
    }
    build_trace();
    assert_finding("H7", "copy.layout", 46);
}

static void a_convolution_in_double_precision_costs_four_times(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++)
        write_operator_with_shapes("aten::conv2d", begin_step(s) + 200, 400, "[8,32,24,24],[32,32,3,3]",
                                   "\"double\",\"double\"", s);
    build_trace();
    assert_finding("H14", "compute.float64", 30);
}

/* Tests products of 400 us in steps of 1 ms, next to a decomposition. */
static void programs_that_decompose_matrices_need_double_precision(void **state)
{
    (void)state;
    for (int has_much = 0; has_much < 2; has_much++) {
        for (int s = 0; s < STEPS; s++) {
            double at = begin_step(s) + 200;
            write_operator_with_shapes("aten::mm", at, 400, "[64,64],[64,64]", "\"double\",\"double\"", 10 * s);
            write_operator_with_shapes("aten::linalg_cholesky_ex", at + 410, has_much ? 40 : 20, "[64,64]",
                                       "\"double\"", 10 * s + 1);
        }
        build_trace();
        if (has_much)
            assert_null(find_finding_of_rule("H14"));
        else
            assert_finding("H14", "compute.float64", 25.2); /* three fifths of 420 us */
        end_event_text(state), begin_trace_test(state);
    }
}

static void fused_optimizer_reads_no_values_in_a_loop(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s) + 200;
        write_host_event("cpu_op", "aten::_fused_adamw_", at, 400);
        for (int i = 0; i < 20; i++)
            write_host_event("cpu_op", "aten::item", at + 10 + 15 * i, 10);
    }
    build_trace();
    assert_null(find_finding_of_rule("H2"));
}

/* Tests that products do not get faster without the loop, because one call for all rounds does the same arithmetic. */
static void vectorized_loop_keeps_its_products(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s) + 200;
        for (int i = 0; i < 20; i++) {
            write_host_event("cpu_op", "aten::select", at + 30 * i, 10);
            write_operator_with_shapes("aten::addmm", at + 30 * i + 10, 10, "[64],[16,48],[48,64]", FLOAT, 100 * s + i);
        }
    }
    build_trace();
    assert_finding("H2", "host.index_loop", (19 * 30 - 10 - 19 * 10) / 10.0);
}

/* Tests a loop over rows of 256 numbers, in which only the calls take time. With a matrix in each round, memory traffic
 * remains after the loop is removed. */
static void vectorized_loop_keeps_its_memory_traffic(void **state)
{
    for (int is_large = 0; is_large < 2; is_large++) {
        for (int s = 0; s < STEPS; s++) {
            double at = begin_step(s) + 200;
            for (int i = 0; i < 20; i++) {
                write_host_event("cpu_op", "aten::select", at + 30 * i, 10);
                write_operator_with_shapes("aten::mul", at + 30 * i + 10, 10, is_large ? "[64,64]" : "[256]", FLOAT,
                                           100 * s + i);
            }
        }
        build_trace();
        assert_finding("H2", "host.index_loop", (19 * 30 - 10 - (is_large ? 19 * 10 : 0)) / 10.0);
        if (!is_large)
            end_event_text(state), begin_trace_test(state);
    }
}

/* Tests that a gain includes the time of the backward nodes of selects, because only the loop makes each node fill a
 * tensor of the full size. The backward nodes of products remain. */
static void vectorized_loop_keeps_its_backward_work(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        for (int i = 0; i < 40; i++) {
            const char *node = i % 2 ? "MulBackward0" : "SelectBackward0";
            char args[64];
            write_operator_with_shapes(i % 2 ? "aten::mul" : "aten::select", at + 120 + 5 * i, 5, "[256]", FLOAT,
                                       100 * s + i);
            snprintf(args, sizeof args, "\"Sequence number\":%d,\"Fwd thread id\":1", 100 * s + i);
            write_host_event_with_args("cpu_op", "autograd::engine::evaluate_function: Backward0", at + 940 - 12 * i,
                                       12, args);
            write_host_event("cpu_op", node, at + 940 - 12 * i, 11);
            write_operator_with_shapes(i % 2 ? "aten::mul" : "aten::fill_", at + 941 - 12 * i, 9, "[64,64]", FLOAT, -1);
        }
    }
    build_trace();
    /* After the first round, the loop has 38 operators of 5 us, with a backward node of 12 us each. In 19 of these
     * nodes, 9 us of work remain. */
    assert_finding("H2", "host.index_loop", (38 * 5 + 38 * 12 - 19 * 9) / 10.0);
}

static void small_operators_are_no_part_of_a_chain(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s) + 200;
        for (int i = 0; i < 12; i++)
            write_operator_with_shapes("aten::tanh", at + 50 * i, 50, i % 2 ? "[8,8]" : "[512,512]", FLOAT,
                                       100 * s + i);
    }
    build_trace();
    /* only the six large operators of the twelve move data through memory */
    assert_finding("H17", "fuse.elementwise", 0.85 * 0.75 * 30);
}

/* ---- modules inside of modules ---- */

/* Writes calls of a part of a model, one per sample. is_equal: true if all calls have data of the same size. */
static void write_model_parts(int calls, bool is_equal)
{
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s) + 200;
        write_host_event_with_args("python_function", "nn.Module: Net_0", at, 700, MODULE);
        for (int i = 0; i < calls; i++) {
            char dims[64];
            int side = is_equal ? 32 : 32 - i;
            snprintf(dims, sizeof dims, "[1,3,%d,%d],[16,3,3,3]", side, side);
            write_host_event_with_args("python_function", "nn.Module: Encoder_0", at + 1 + 40 * i, 40, MODULE);
            write_operator_with_shapes("aten::conv2d", at + 2 + 40 * i, 20, dims, FLOAT, 100 * s + i);
        }
    }
    build_trace();
}

/* ---- gains ---- */

static void write_copies(double length)
{
    for (int s = 0; s < STEPS; s++) {
        step(s, 1000.0 * s, 1000);
        write_operator_with_shapes("aten::contiguous", 1000.0 * s, length, "[8,32,64,64]", FLOAT, 10 * s);
    }
    build_trace();
}

static void gain_range_is_75_to_100_percent_of_time(void **state)
{
    /* 160 us plus a quarter of that are 20 % of the step. The saving of rule H6 is unknown, so its finding comes after
     * that of rule H7. */
    write_copies(160);
    assert_gain_range("H7", 0.75 * 20, 20);
    end_event_text(state), begin_trace_test(state);
    write_copies(640); /* 640 us plus a quarter of that are 80 % of the step */
    assert_gain_range("H7", 0.75 * 80, 80);
    end_event_text(state), begin_trace_test(state);
    write_copies(776); /* 776 us plus a quarter of that are 97 % of the step; the estimated range is at most 20 points
                        * wide */
    assert_gain_range("H7", 77, 97);
}

/* Writes a function of 600 us. Its first operator, `apart`, splits a tensor. Ten rounds of two operators follow, one
 * operator every 25 us. */
static void write_function_with_rounds(const char *apart, const char *outer, const char *inner)
{
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        frame("model.py(8): gather", at + 200, 600);
        if (outer)
            write_host_event("cpu_op", outer, at + 201, 590);
        write_host_event("cpu_op", apart, at + 205, 30);
        for (int i = 0; i < 20; i++) {
            if (inner)
                frame(inner, at + 250 + 25 * i, 24);
            write_host_event("cpu_op", i % 2 ? "aten::sum" : "aten::softmax", at + 251 + 25 * i, 22);
        }
    }
    build_trace();
}

static void loop_over_parts_of_a_tensor_is_found(void **state)
{
    write_function_with_rounds("aten::split", NULL, NULL);
    assert_finding("H2", "host.index_loop", 44.7); /* the saving is the 18 calls from the second round on */
    end_event_text(state), begin_trace_test(state);
    write_function_with_rounds("aten::view", NULL, NULL); /* without a split of a tensor, repeated operators are similar
                                                           * layers of the model */
    assert_null(find_finding_of_rule("H2"));
    end_event_text(state), begin_trace_test(state);
    write_function_with_rounds("aten::unbind", "aten::gru",
                               NULL); /* this loop is inside of torch, so users cannot change it */
    assert_null(find_finding_of_rule("H2"));
    end_event_text(state), begin_trace_test(state);
    /* a tensor split into only three parts suggests layers, not a loop */
    write_function_with_rounds("aten::chunk", NULL, "model.py(20): layer");
    assert_null(find_finding_of_rule("H2"));
}

/* Writes twenty operators of 10 us each, one every 25 us, in a function that takes `length` us. */
static void write_small_operators(const char *function, double length)
{
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        frame(function, at + 200, length);
        for (int i = 0; i < 20; i++)
            write_host_event("cpu_op", i % 3 ? "aten::add" : "aten::mul", at + 205 + 25 * i, 10);
    }
    build_trace();
}

static void gain_includes_small_operators_function(void **state)
{
    /* without a function, the time is 485 us: from the start of the first to the end of the last operator */
    write_small_operators("model.py(8): smooth", 560);
    assert_finding("H5", "host.small_operators", 56);
    end_event_text(state), begin_trace_test(state);
    /* the operators take more than half of the function, so the finding includes the function's whole time */
    write_small_operators("model.py(8): smooth", 780);
    assert_finding("H5", "host.small_operators", 78);
    end_event_text(state), begin_trace_test(state);
    /* the finding excludes the time of a function of torch itself */
    write_small_operators("/x/site-packages/torch/functional.py(8): smooth", 780);
    assert_finding("H5", "host.small_operators", 48.5);
}

/* Writes a convolution, then four elementwise operators of 100 us on 1 MiB each. The function begins `begins` us after
 * the start of the step. */
static void write_activation(const char *function, double begins)
{
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        frame(function, at + begins, 760 - begins);
        write_host_event("cpu_op", "aten::conv2d", at + 200, 140);
        for (int i = 0; i < 4; i++)
            write_operator_with_shapes(i % 2 ? "aten::exp" : "aten::neg", at + 351 + 100 * i, 100, "[512,512]", FLOAT,
                                       10 * s + i);
    }
    build_trace();
}

static void chain_that_fills_its_function_may_be_short(void **state)
{
    write_activation("model.py(8): swish", 350);
    assert_finding("H17", "fuse.elementwise", 0.85 * (1 - 1.5 / 4) * 40);
    end_event_text(state), begin_trace_test(state);
    write_activation("model.py(8): forward",
                     190); /* the function starts earlier, so it also contains the convolution */
    assert_null(find_finding_of_rule("H17"));
    end_event_text(state), begin_trace_test(state);
    write_activation("/x/site-packages/torch/functional.py(8): swish", 350); /* this function belongs to torch, so users
                                                                              * cannot change it */
    assert_null(find_finding_of_rule("H17"));
}

/* Writes ten calls of a module with two linear operators. first, second: sizes of their inputs. */
static void write_linear_modules(const char *first, const char *second)
{
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s) + 200;
        for (int i = 0; i < 10; i++) {
            write_host_event_with_args("python_function", "nn.Module: Net_0", at + 40 * i, 40,
                                       "\"Python id\":1,\"Python module id\":0");
            write_operator_with_shapes("aten::linear", at + 40 * i + 1, 10, first, FLOAT, 100 * s + 2 * i + 1);
            write_operator_with_shapes("aten::linear", at + 40 * i + 12, 10, second, FLOAT, 100 * s + 2 * i + 2);
        }
    }
    build_trace();
}

static void elements_of_one_sample_may_come_first(void **state)
{
    write_linear_modules("[1,24,64]", "[24,1,64]");
    assert_finding("H18", "batch.per_sample_loop", 36); /* the saving is nine of ten calls of 40 us */
    end_event_text(state), begin_trace_test(state);
    write_linear_modules("[1,24,64]", "[24,64]");
    assert_finding("H18", "batch.per_sample_loop", 36); /* the saving is nine of ten calls of 40 us */
    end_event_text(state), begin_trace_test(state);
    write_linear_modules("[1,24,64]", "[48,64]"); /* the sample has 24 elements, so 48 rows are other data */
    assert_null(find_finding_of_rule("H18"));
    end_event_text(state), begin_trace_test(state);
    write_linear_modules("[24,1,64]", "[24,64]"); /* here the first dimension can be a batch of 24 samples */
    assert_null(find_finding_of_rule("H18"));
}

static void module_called_for_each_sample_is_found(void **state)
{
    write_model_parts(10, true);
    /* each of the nine saved calls still needs half of its convolution */
    assert_finding("H18", "batch.per_sample_loop", 9 * (40 - 20 / 2) / 10.0);
    end_event_text(state), begin_trace_test(state);
    write_model_parts(10, false); /* no finding, because inputs of different sizes cannot form a batch */
    assert_null(find_finding_of_rule("H18"));
    end_event_text(state), begin_trace_test(state);
    write_model_parts(5, true);
    assert_null(find_finding_of_rule("H18"));
}

/* ---- one function ---- */

/* Writes `us` microseconds of Python in one function of the project, before or after the module of the step. Operators
 * take the rest of the step. */
static void write_python_function(double us, bool is_before)
{
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        frame("train.py(8): next_batch", is_before ? at + 100 : at + 1000 - us, us);
        write_host_event_with_args("python_function", "nn.Module: Net_0", is_before ? at + 100 + us : at + 100,
                                   900 - us, MODULE);
        write_host_event("cpu_op", "aten::linear", is_before ? at + 100 + us : at + 100, 900 - us);
    }
    build_trace();
}

static void python_of_one_function_has_a_lower_threshold(void **state)
{
    write_python_function(150, true);
    assert_finding("H6", "input.preprocess", 15);
    end_event_text(state), begin_trace_test(state);
    write_python_function(150, false);
    assert_finding("H6", "host.python", 15);
    end_event_text(state), begin_trace_test(state);
    write_python_function(60, true);
    assert_finding("H6", "input.preprocess", 6);
    end_event_text(state), begin_trace_test(state);
    write_python_function(25, true);
    assert_null(find_finding_of_rule("H6"));
}

static void scattered_python_needs_a_large_share(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        for (int i = 0; i < 9; i++) {
            frame("model.py(8): part", at + 100 + 100 * i, 20);
            write_host_event("cpu_op", "aten::linear", at + 120 + 100 * i, 80);
        }
    }
    build_trace();
    assert_null(find_finding_of_rule("H6"));
}

int main(void)
{
    is_recording_free = true;
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_trace_test, end_event_text)
    const struct CMUnitTest tests[] = {
        CASE(hooks_that_reduce_values_are_checks),
        CASE(gain_of_backward_hook_includes_its_node),
        CASE(wrapper_around_forward_is_no_hook),
        CASE(einsum_is_treated_as_its_product),
        CASE(unavoidable_copies_are_not_reported),
        CASE(a_convolution_in_double_precision_costs_four_times),
        CASE(programs_that_decompose_matrices_need_double_precision),
        CASE(fused_optimizer_reads_no_values_in_a_loop),
        CASE(vectorized_loop_keeps_its_products),
        CASE(vectorized_loop_keeps_its_memory_traffic),
        CASE(vectorized_loop_keeps_its_backward_work),
        CASE(small_operators_are_no_part_of_a_chain),
        CASE(gain_range_is_75_to_100_percent_of_time),
        CASE(loop_over_parts_of_a_tensor_is_found),
        CASE(gain_includes_small_operators_function),
        CASE(chain_that_fills_its_function_may_be_short),
        CASE(module_called_for_each_sample_is_found),
        CASE(elements_of_one_sample_may_come_first),
        CASE(python_of_one_function_has_a_lower_threshold),
        CASE(scattered_python_needs_a_large_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
