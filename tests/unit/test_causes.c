/* Tests rules of CPU programs that name a root cause. Each rule gets a program with the cause and a similar program
 * without it. Steps last 1,000 us. Expected savings are counted by hand. */
#include "small_findings.h"

enum { STEPS = 4 };

#define FLOAT "\"float\""
#define DOUBLE "\"double\""
#define SQUARE "[512,512],[512,512]"

/* Writes a step with a matrix product, so that the rules regard the program as one that computes. Returns the start of
 * the step, us. */
static double begin_step(int number)
{
    double at = 1000.0 * number;
    step(number, at, 1000);
    write_operator_with_shapes("aten::mm", at + 1, 99, SQUARE, FLOAT, 1000 + number);
    return at;
}

/* ---- frames ---- */

static void known_frames_name_their_cause(void **state)
{
    static const struct {
        const char *frame, *rule, *cause;
        double percent;
    } known[] = {
        {"/x/site-packages/torch/jit/_trace.py(838): trace", "H9", "compile.in_step", 40},
        {"/x/site-packages/torch/_dynamo/convert_frame.py(1): _compile", "H9", "compile.in_step", 40},
        {"/x/site-packages/torch/serialization.py(944): save", "H10", "io.in_step", 50},
        {"<built-in function fsync>", "H10", "io.in_step", 50},
        {"/x/site-packages/numpy/lib/_npyio_impl.py(1401): savetxt", "H10", "io.in_step", 50},
        {"/x/site-packages/pandas/core/frame.py(2800): to_parquet", "H10", "io.in_step", 50},
        {"/usr/lib/python3.12/json/__init__.py(120): dump", "H10", "io.in_step", 50},
        {"<built-in method commit of sqlite3.Connection object at 0x7f1a>", "H10", "io.in_step", 50},
        {"/x/site-packages/torch/distributions/distribution.py(46): __init__", "H13", "debug.checks", 40},
        {"/x/site-packages/torch/testing/_comparison.py(1300): assert_close", "H13", "debug.checks", 40},
        {"/x/site-packages/torch/utils/checkpoint.py(1): recompute_fn", "H11", "compute.recompute", 40},
        {"<built-in function collect>", "H12", "host.gc", 40},
        {"/x/site-packages/torch/fx/traceback.py(497): format_stack", "H13", "debug.checks", 40},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        begin_trace_test(state);
        for (int s = 0; s < STEPS; s++) {
            double at = begin_step(s);
            frame("train.py(3): step", at + 200, 500);
            frame(known[i].frame, at + 210, 400);
        }
        build_trace();
        assert_finding(known[i].rule, known[i].cause, known[i].percent);
        assert_string_equal(find_finding_of_rule(known[i].rule)->evidence[0].file_line.ptr ? "line" : "", "line");
        /* rule H6 must exclude the Python time that other findings already include */
        const struct tp_finding *python = find_finding_of_rule("H6");
        if (strcmp(known[i].rule, "H10") != 0) /* rule H10 also includes the function that writes the file */
            assert_true(python && python->share_percent < 51);
        if (i + 1 < sizeof known / sizeof *known)
            end_event_text(state);
    }
}

static void similar_frames_of_other_packages_name_no_cause(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        frame("store.py(3): save", at + 200, 100);
        frame("<built-in function collect_all>", at + 300, 100);
        frame("mytorch/checkpoint.py(4): recompute", at + 400, 100);
    }
    build_trace();
    for (int rule = 9; rule <= 13; rule++) {
        char id[8];
        snprintf(id, sizeof id, "H%d", rule);
        if (strcmp(id, "H12") != 0) /* rule H12 is skipped, because its frame `collect` is a prefix of `collect_all` */
            assert_null(find_finding_of_rule(id));
    }
}

static void frames_of_a_loader_name_its_slow_part(void **state)
{
    static const char *const slow[][2] = {{"data.py(7): __getitem__", "input.transform"},
                                          {"data.py(9): join", "input.collate"}};
    for (size_t i = 0; i < 2; i++) {
        begin_trace_test(state);
        for (int s = 0; s < STEPS; s++) {
            double at = begin_step(s);
            write_host_event_with_args("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                                       at + 200, 500, "");
            frame("/x/torch/utils/data/_utils/fetch.py(49): fetch", at + 201, 498);
            frame(slow[i][0], at + 202, 400);
        }
        build_trace();
        /* The share of collation is its time without its callees. */
        assert_finding("H1", slow[i][1], i == 0 ? 50 : 40);
        assert_non_null(strstr(find_finding_of_rule("H1")->evidence[0].name.ptr, slow[i][0]));
        if (i == 0)
            end_event_text(state);
    }
}

/* Writes a collation with 300 us of Python and an operator of 50 us. In `python_us` of the 300 us, Python creates no
 * tensor. */
static void write_collation(double python_us)
{
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        write_host_event_with_args("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                                   at + 200, 500, "");
        frame("/x/torch/utils/data/_utils/fetch.py(49): fetch", at + 201, 498);
        frame("data.py(9): join", at + 202, 350);
        write_host_event("cpu_op", "aten::stack", at + 210, 50);
        frame("<built-in method tensor of type object at 0x7f>", at + 552 - 300 + python_us, 300 - python_us);
    }
    build_trace();
}

static void collation_gains_only_avoidable_tensor_creation(void **state)
{
    write_collation(200);
    assert_finding("H1", "input.collate", 30);
    /* the low estimate saves only the Python time outside the creation of tensors */
    assert_true(fabs(find_finding_of_rule("H1")->low_percent - 20) < 0.2);
    end_event_text(state), begin_trace_test(state);
    write_collation(50);
    assert_finding("H1", "input.collate", 5); /* the other 250 us are one call that makes a tensor from existing data */
}

static void loader_that_reads_or_computes_has_another_cause(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        write_host_event_with_args("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                                   at + 200, 500, "");
        frame("data.py(7): __getitem__", at + 202, 400);
        frame("<built-in function read>", at + 210, 380);
    }
    build_trace();
    assert_finding("H1", "input.single_process", 50);
}

/* ---- operators ---- */

static void double_precision_gains_most_of_its_time(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        write_operator_with_shapes("aten::mm", at + 200, 400, SQUARE, DOUBLE, s);
    }
    build_trace();
    assert_finding("H14", "compute.float64", 0.6 * 40);
}

static void double_precision_scalar_is_ignored(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        write_operator_with_shapes("aten::mul", at + 200, 400, "[512,512],[]", DOUBLE, s);
    }
    build_trace();
    assert_null(find_finding_of_rule("H14"));
}

static void filling_gradients_with_zeros_is_found(void **state)
{
    enum { NOT, AS_A_LIST, ONE_BY_ONE };
    for (int is_filled = ONE_BY_ONE; is_filled >= NOT; is_filled--) {
        begin_trace_test(state);
        for (int s = 0; s < STEPS; s++) {
            double at = begin_step(s);
            for (int i = 0; i < 5; i++) {
                if (is_filled == ONE_BY_ONE || (is_filled == AS_A_LIST && i == 0))
                    write_host_event("cpu_op", is_filled == AS_A_LIST ? "aten::_foreach_zero_" : "aten::zeros_like",
                                     at + 200 + 10 * i, is_filled == AS_A_LIST ? 50 : 10);
                write_host_event("cpu_op", "torch::autograd::AccumulateGrad", at + 400 + 20 * i, 20);
                write_host_event("cpu_op", "aten::add_", at + 401 + 20 * i, 10);
            }
        }
        build_trace();
        if (is_filled) {
            assert_finding("H15", "optimizer.zero_grad", 10);
            end_event_text(state);
        }
    }
    assert_null(find_finding_of_rule("H15")); /* without zeros, the gradients of several batches are added on purpose */
}

#define HEADS "[2,4,512,512]"

/* Writes a product, a division and a softmax. If `has_second` is true, a product follows the softmax. */
static void write_attention(double at, bool has_second)
{
    write_operator_with_shapes("aten::matmul", at, 50, "[2,4,512,32],[2,4,32,512]", FLOAT, 1);
    write_operator_with_shapes("aten::div", at + 50, 100, HEADS, FLOAT, 2);
    write_operator_with_shapes("aten::softmax", at + 150, 100, HEADS, FLOAT, 3);
    if (has_second)
        write_operator_with_shapes("aten::matmul", at + 250, 50, HEADS ",[2,4,512,32]", FLOAT, 4);
}

static void gain_includes_whole_filling_function(void **state)
{
    for (int other = 0; other <= 200; other += 200) { /* `other`: time of unrelated work in the function, us */
        begin_trace_test(state);
        for (int s = 0; s < STEPS; s++) {
            double at = begin_step(s);
            frame("train.py(3): clear", at + 190, 70 + other);
            for (int i = 0; i < 5; i++) {
                write_host_event("cpu_op", "aten::zeros_like", at + 200 + 10 * i, 10);
                write_host_event("cpu_op", "torch::autograd::AccumulateGrad", at + 500 + 20 * i, 20);
                write_host_event("cpu_op", "aten::add_", at + 501 + 20 * i, 10);
            }
        }
        build_trace();
        assert_finding("H15", "optimizer.zero_grad", other ? 10 : 12);
        if (!other)
            end_event_text(state);
    }
}

static void copy_filled_with_zeros_counts_as_filling(void **state)
{
    static const struct {
        const char *copy;
        double percent;
    } known[] = {{"aten::clone", 20 + 5}, {"aten::mul", 2.5 + 5}};
    for (int k = 0; k < 2; k++) {
        begin_trace_test(state);
        for (int s = 0; s < STEPS; s++) {
            double at = begin_step(s);
            frame("train.py(3): wipe", at + 200, 200);
            for (int i = 0; i < 5; i++) {
                write_host_event("cpu_op", known[k].copy, at + 200 + 35 * i, 20);
                write_host_event("cpu_op", "aten::zero_", at + 225 + 35 * i, 5);
                write_host_event("cpu_op", "torch::autograd::AccumulateGrad", at + 500 + 20 * i, 20);
                write_host_event("cpu_op", "aten::add_", at + 501 + 20 * i, 10);
            }
        }
        build_trace();
        assert_finding("H15", "optimizer.zero_grad", known[k].percent);
        if (!k)
            end_event_text(state);
    }
}

/* Tests a hook that only checks whether all numbers are finite. The finding includes the whole 70 us of the hook. For a
 * hook with other work, the finding includes only the 40 us of the checking operator. */
static void gain_includes_whole_checking_function(void **state)
{
    for (int other = 0; other <= 100; other += 100) {
        begin_trace_test(state);
        for (int s = 0; s < STEPS; s++) {
            double at = begin_step(s);
            frame("train.py(3): hook", at + 190, 70 + other);
            write_host_event("cpu_op", "aten::isfinite", at + 200, 40);
            write_host_event("cpu_op", "aten::all", at + 242, 6);
            write_host_event("cpu_op", "aten::is_nonzero", at + 250, 4);
        }
        build_trace();
        assert_finding("H13", "debug.checks", other ? 4 : 7);
        if (!other)
            end_event_text(state);
    }
}

static void reentrant_checkpoint_ends_at_its_backward(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        frame("/x/site-packages/torch/autograd/__init__.py(255): backward", at + 200, 400);
        frame("/x/site-packages/torch/utils/checkpoint.py(277): backward", at + 250, 300);
        frame("/x/site-packages/torch/autograd/__init__.py(255): backward", at + 350, 190);
    }
    build_trace();
    assert_finding("H11", "compute.recompute", 10);
}

static void fused_attention_saves_no_products(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++)
        write_attention(begin_step(s) + 200, true);
    build_trace();
    /* Scaling and softmax take 200 us of each step. A fused operator saves 85 % of this time. The gain excludes the
     * products, because the trace does not show their operands. */
    assert_finding("H16", "attention.eager", 0.85 * 20);
}

/* Returns the share of a product's time that the memory traffic of the scores takes. One byte of memory traffic takes
 * as long as ten arithmetic operations. */
static double scores_time_share(double batch, double rows, double columns)
{
    double scores = 4 * batch * rows * rows, operands = 2 * 4 * batch * rows * columns;
    return scores / (scores + operands + 2 * batch * rows * rows * columns / 10);
}

/* Tests a product with many columns, which takes mostly arithmetic time. A fused backward pass computes five products
 * instead of four. */
static void fused_attention_backward_computes_scores_again(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        for (int i = 0; i < 2; i++) {
            write_operator_with_shapes("aten::bmm", at + 100 + 150 * i, 50,
                                       i ? "[8,512,512],[8,512,16]" : "[8,512,16],[8,16,512]", FLOAT, 10 * s + i);
            char args[64];
            snprintf(args, sizeof args, "\"Sequence number\":%d,\"Fwd thread id\":1", 10 * s + i);
            write_host_event_with_args("cpu_op", "autograd::engine::evaluate_function: BmmBackward0",
                                       at + 400 + 100 * i, 100, args);
        }
        write_operator_with_shapes("aten::softmax", at + 150, 100, "[8,512,512]", FLOAT, 10 * s + 2);
    }
    build_trace();
    double part = scores_time_share(8, 512, 16);
    assert_finding("H16", "attention.eager", 0.85 * (10 + 10 * part + 20 * (1 - (1 - part) * 5 / 4)));
}

/* Tests a softmax written by hand: exponentials divided by their sum. */
static void softmax_of_single_operators_is_found(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s) + 200;
        write_operator_with_shapes("aten::baddbmm", at, 50, HEADS, FLOAT, 1);
        write_operator_with_shapes("aten::exp", at + 50, 100, HEADS, FLOAT, 2);
        write_operator_with_shapes("aten::sum", at + 150, 30, HEADS, FLOAT, 3);
        write_operator_with_shapes("aten::div", at + 180, 70, HEADS, FLOAT, 4);
        write_operator_with_shapes("aten::bmm", at + 250, 50, HEADS, FLOAT, 5);
    }
    build_trace();
    assert_finding("H16", "attention.eager", 20);
}

static void softmax_without_product_after_it_is_a_loss(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++)
        write_attention(begin_step(s) + 200, false);
    build_trace();
    assert_null(find_finding_of_rule("H16"));
}

/* Writes a chain of elementwise operators on a square matrix, and the backward node of the first operator. */
static void write_elementwise_chain(int count, int side)
{
    char dims[64];
    snprintf(dims, sizeof dims, "[%d,%d]", side, side);
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s) + 200;
        for (int i = 0; i < count; i++) {
            write_operator_with_shapes("aten::tanh", at + 50 * i, 50, dims, FLOAT, 10 * s + i + 1);
            write_host_event("cpu_op", "aten::view", at + 50 * i + 49, 1);
        }
        char args[64];
        snprintf(args, sizeof args, "\"Sequence number\":%d,\"Fwd thread id\":1", 10 * s + 1);
        write_host_event_with_args("cpu_op", "autograd::engine::evaluate_function: TanhBackward0", at + 500, 100, args);
    }
    build_trace();
}

static void elementwise_chain_gains_memory_traffic(void **state)
{
    (void)state;
    write_elementwise_chain(6, 512);
    /* A fused kernel saves 1 - 1.5 / 6 = 0.75 of the memory traffic of six equal operators, and 85 % of that in
     * practice. The chain takes 300 us, its backward pass 100 us. */
    assert_finding("H17", "fuse.elementwise", 0.85 * 0.75 * 40);
}

static void short_chains_and_small_tensors_are_ignored(void **state)
{
    write_elementwise_chain(4, 512);
    assert_null(find_finding_of_rule("H17"));
    end_event_text(state), begin_trace_test(state);
    write_elementwise_chain(6, 64);
    assert_null(find_finding_of_rule("H17"));
}

/* ---- batches ---- */

/* Writes `calls` calls of a module in each step, each with a product of `rows` rows. Each step also has one backward
 * node. */
static void write_module_calls(int calls, int rows)
{
    char dims[64];
    snprintf(dims, sizeof dims, "[64],[%d,512]", rows);
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s) + 200;
        for (int i = 0; i < calls; i++) {
            write_host_event_with_args("python_function", "nn.Module: Net_0", at + 40 * i, 40,
                                       "\"Python id\":1,\"Python module id\":0");
            write_operator_with_shapes("aten::addmm", at + 40 * i + 1, 30, dims, FLOAT, 100 * s + i + 1);
        }
        write_host_event("cpu_op", "autograd::engine::evaluate_function: X", at + 700, 50);
    }
    build_trace();
}

static void batching_saves_all_sample_calls_but_one(void **state)
{
    (void)state;
    write_module_calls(8, 1);
    assert_finding("H18", "batch.per_sample_loop", 28); /* the saving is seven of eight calls of 40 us */
    assert_null(find_finding_of_rule("H19"));
}

/* Writes calls of a recurrent model with `batch` sequences each. The sequences have length 12 or, with is_growing, are
 * longer in each call than in the call before. */
static void write_recurrent_calls(int calls, int batch, bool is_growing)
{
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s) + 200;
        for (int i = 0; i < calls; i++) {
            char dims[64];
            snprintf(dims, sizeof dims, "[%d,%d,64]", batch, is_growing ? 12 + i : 12);
            write_host_event_with_args("python_function", "nn.Module: Net_0", at + 40 * i, 30,
                                       "\"Python id\":1,\"Python module id\":0");
            write_operator_with_shapes("aten::gru", at + 40 * i + 1, 20, dims, FLOAT, 100 * s + i + 1);
        }
    }
    build_trace();
}

static void gain_includes_time_between_sample_calls(void **state)
{
    write_recurrent_calls(8, 1, false);
    /* the time from the start of the second call to the end of the eighth call is saved */
    assert_finding("H18", "batch.per_sample_loop", 27);
    end_event_text(state), begin_trace_test(state);
    write_recurrent_calls(8, 16, false);
    assert_null(find_finding_of_rule("H18"));
    end_event_text(state), begin_trace_test(state);
    /* As in word-by-word generation of a text, each call needs the result of the previous one. */
    write_recurrent_calls(8, 1, true);
    assert_null(find_finding_of_rule("H18"));
}

static void calls_per_batch_are_no_loop_over_samples(void **state)
{
    (void)state;
    write_module_calls(8, 32);
    assert_null(find_finding_of_rule("H18"));
    assert_null(find_finding_of_rule("H19"));
}

static void two_rows_are_a_small_batch(void **state)
{
    (void)state;
    write_module_calls(4, 2);
    assert_finding("H19", "batch.too_small", 100.0 * 30 / 32);
    assert_int_equal(find_finding_of_rule("H19")->confidence, TP_CONFIDENCE_LOW);
}

/* Writes a convolution of `samples` images that takes `length` us, and its backward pass. */
static void write_convolution(int samples, double length)
{
    char dims[64];
    snprintf(dims, sizeof dims, "[%d,3,32,32],[16,3,3,3]", samples);
    for (int s = 0; s < STEPS; s++) {
        double at = 1000.0 * s;
        step(s, at, 1000);
        write_operator_with_shapes("aten::convolution", at + 1, length, dims, FLOAT, 2 * s);
        write_host_event("cpu_op", "autograd::engine::evaluate_function: X", at + 700, 50);
    }
    build_trace();
}

static void short_convolutions_of_few_samples_are_a_small_batch(void **state)
{
    write_convolution(2, 120);
    assert_finding("H19", "batch.too_small", 100.0 * 30 / 32);
    end_event_text(state), begin_trace_test(state);
    /* a convolution of 400 us takes as long per sample in a larger batch, so there is no gain */
    write_convolution(2, 400);
    assert_null(find_finding_of_rule("H19"));
    end_event_text(state), begin_trace_test(state);
    write_convolution(16, 120);
    assert_null(find_finding_of_rule("H19"));
}

static void head_of_two_rows_is_no_small_batch(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; s++) {
        double at = 1000.0 * s;
        step(s, at, 1000);
        write_operator_with_shapes("aten::convolution", at + 1, 300, "[64,3,224,224],[64,3,7,7]", FLOAT, 2 * s);
        write_operator_with_shapes("aten::addmm", at + 400, 60, "[64],[2,512]", FLOAT, 2 * s + 1);
        write_host_event("cpu_op", "autograd::engine::evaluate_function: X", at + 700, 50);
    }
    build_trace();
    assert_null(find_finding_of_rule("H19"));
}

static void write_unequal_steps(int large, int longest)
{
    char dims[64];
    for (int s = 0, at = 0; s < 5; s++) {
        int side = s == 2 ? large : 64, length = s == 2 ? longest : 1000;
        step(s, at, length);
        snprintf(dims, sizeof dims, "[%d,512],[512,512]", side);
        write_operator_with_shapes("aten::mm", at + 1, length - 2, dims, FLOAT, s);
        at += length;
    }
    build_trace();
}

static void unequal_steps_have_unequal_shapes(void **state)
{
    write_unequal_steps(512, 4000);
    assert_finding("H20", "step.imbalance", NAN);
    assert_int_equal(find_finding_of_rule("H20")->severity, TP_SEVERITY_MEDIUM);
    end_event_text(state), begin_trace_test(state);
    write_unequal_steps(512, 8000); /* the long step exceeds the others by 7,000 of 12,000 us */
    assert_int_equal(find_finding_of_rule("H20")->severity, TP_SEVERITY_HIGH);
    end_event_text(state), begin_trace_test(state);
    write_unequal_steps(64, 4000); /* with equal shapes, a slow step has another cause */
    assert_null(find_finding_of_rule("H20"));
}

/* ---- memory ---- */

static void write_unfreed_memory(const int *kept, bool is_freed)
{
    for (int s = 0; s < 5; s++) {
        double at = begin_step(s);
        for (int i = 0; i <= is_freed; i++)
            add_event(
                "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":10,\"tid\":1,\"ts\":%.3f,\"args\":{\"Device Type\":0,"
                "\"Device Id\":-1,\"Addr\":%d,\"Bytes\":%d}}",
                at + 300 + i, s, i ? -kept[s] : kept[s]);
    }
    build_trace();
}

static void memory_that_grows_in_each_step_is_a_leak(void **state)
{
    static const int steady[] = {9 << 20, 2 << 20, 2 << 20, 3 << 20, 2 << 20}, once[] = {9 << 20, 0, 0, 0, 0};
    write_unfreed_memory(steady, false);
    assert_finding("D4", "memory.leak", NAN);
    end_event_text(state), begin_trace_test(state);
    write_unfreed_memory(steady, true);
    assert_null(find_finding_of_rule("D4"));
    end_event_text(state), begin_trace_test(state);
    write_unfreed_memory(once, false);
    assert_null(find_finding_of_rule("D4"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_trace_test, end_event_text)

int main(void)
{
    is_recording_free = true;
    const struct CMUnitTest tests[] = {
        CASE(known_frames_name_their_cause),
        CASE(similar_frames_of_other_packages_name_no_cause),
        CASE(frames_of_a_loader_name_its_slow_part),
        CASE(collation_gains_only_avoidable_tensor_creation),
        CASE(loader_that_reads_or_computes_has_another_cause),
        CASE(double_precision_gains_most_of_its_time),
        CASE(double_precision_scalar_is_ignored),
        CASE(filling_gradients_with_zeros_is_found),
        CASE(gain_includes_whole_filling_function),
        CASE(copy_filled_with_zeros_counts_as_filling),
        CASE(fused_attention_saves_no_products),
        CASE(fused_attention_backward_computes_scores_again),
        CASE(softmax_of_single_operators_is_found),
        CASE(gain_includes_whole_checking_function),
        CASE(reentrant_checkpoint_ends_at_its_backward),
        CASE(softmax_without_product_after_it_is_a_loss),
        CASE(elementwise_chain_gains_memory_traffic),
        CASE(short_chains_and_small_tensors_are_ignored),
        CASE(batching_saves_all_sample_calls_but_one),
        CASE(gain_includes_time_between_sample_calls),
        CASE(calls_per_batch_are_no_loop_over_samples),
        CASE(two_rows_are_a_small_batch),
        CASE(short_convolutions_of_few_samples_are_a_small_batch),
        CASE(head_of_two_rows_is_no_small_batch),
        CASE(unequal_steps_have_unequal_shapes),
        CASE(memory_that_grows_in_each_step_is_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
