/* Tests root causes that the project's own code has, in CPU programs: collation, updates of tensors by hand, small
 * batches, matrices that are samples, texts for files, and copies inside operators on complex numbers. Also tests
 * similar programs without the cause. Steps last 1,000 us. Expected savings are counted by hand. */
#include "cause_steps.h"

/* Writes training steps with a backward pass, with inputs of `rows` rows. */
static void write_training_steps(int rows)
{
    for (int s = 0; s < STEPS; s++)
        write_host_event("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", 1000.0 * s + 700, 10);
    write_serving_steps(rows);
}

static void batch_of_eight_is_small_if_its_work_is_little(void **state)
{
    write_training_steps(8); /* 8 rows of 128 and 64 features need little of the 500 us */
    assert_finding("H19", "batch.too_small", 100.0 * 24 / 32);
    end_event_text(state), begin_trace_test(state);
    write_training_steps(9);
    assert_null(find_finding_of_rule("H19"));
    end_event_text(state), begin_trace_test(state);
    settings[1] = "H19.work_pct=0"; /* no work is little */
    write_training_steps(8);
    assert_null(find_finding_of_rule("H19"));
    end_event_text(state), begin_trace_test(state);
    write_serving_steps(8); /* there may be no more requests */
    assert_null(find_finding_of_rule("H19"));
}

/* Writes steps in which the function of `frame_name` runs four operators of 5 us on each of twenty tensors. The
 * operators need no time between them. */
static void write_updates(const char *frame_name, const char *last, const char *more, bool has_backward)
{
    const char *names[] = {"aten::mul", "aten::add", "aten::div", last};
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s) + 100;
        if (has_backward)
            write_host_event("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", at - 20, 10);
        frame("train.py(3): train", at, 500);
        frame(frame_name, at + 1, 450);
        for (int i = 0; i < 80; i++) {
            char args[200];
            snprintf(args, sizeof args, "\"Input Dims\":[%s],\"Input type\":[" FLOAT "]%s", i / 4 % 2 ? "[8,8]" : "[8]",
                     more);
            write_host_event_with_args("cpu_op", names[i % 4], at + 10 + 5 * i, 5, args);
        }
    }
    build_trace();
}

static void updates_by_hand_are_an_optimizer(void **state)
{
    /* a fused optimizer needs 1.5 of 4 operators per tensor */
    write_updates("robot.py(9): update", "aten::mul_", "", true);
    assert_finding("H3", "optimizer.per_tensor", 40 - 15);
    end_event_text(state), begin_trace_test(state);
    write_updates("robot.py(9): update", "aten::sub", "", true); /* writes no tensor in place */
    assert_null(find_finding_of_rule("H3"));
    end_event_text(state), begin_trace_test(state);
    write_updates("robot.py(9): update", "aten::__and__", "", true);
    assert_null(find_finding_of_rule("H3"));
    end_event_text(state), begin_trace_test(state);
    write_updates("robot.py(9): update", "aten::__iand__", "", true); /* writes its first operand */
    assert_finding("H3", "optimizer.per_tensor", 40 - 15);
    end_event_text(state), begin_trace_test(state);
    write_updates("robot.py(9): update", "aten::mul_", ",\"Sequence number\":7",
                  true); /* belongs to the forward pass */
    assert_null(find_finding_of_rule("H3"));
    end_event_text(state), begin_trace_test(state);
    write_updates("robot.py(9): update", "aten::mul_", "", false); /* trains nothing */
    assert_null(find_finding_of_rule("H3"));
    end_event_text(state), begin_trace_test(state);
    write_updates("/x/torch/optim/nadam.py(9): step", "aten::mul_", "", true); /* has no fused form */
    assert_null(find_finding_of_rule("H3"));
}

/* Writes collation that takes 350 us per step: 50 us in Python, 60 us in a call of a function of the sample, and 240 us
 * in two calls that make tensors of the given sizes from numbers. */
static void write_collation(const char *function, const char *first, const char *second)
{
    const char *sizes[] = {first, second};
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s);
        write_host_event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at + 200,
                         500);
        frame("/x/torch/utils/data/_utils/fetch.py(49): fetch", at + 201, 498);
        frame("data.py(9): pad", at + 202, 350);
        frame(function, at + 203, 60);
        for (int i = 0; i < 2; i++) {
            frame("<built-in method tensor of type object at 0x7f>", at + 300 + 120 * i, 120);
            write_operator_with_shapes("aten::to", at + 418 + 120 * i, 1, sizes[i], FLOAT, -1);
        }
    }
    build_trace();
}

static void numbers_made_of_tensors_need_no_new_tensor(void **state)
{
    write_collation("<built-in method tolist of Tensor object at 0x7f>", "[16]", "[16]");
    assert_finding("H1", "input.collate", 35); /* includes the tensors that are made from these numbers again */
    end_event_text(state), begin_trace_test(state);
    write_collation("<built-in function len>", "[16]", "[16]");
    assert_finding("H1", "input.collate", 11);
}

static void mask_can_be_computed_from_lengths(void **state)
{
    write_collation("<built-in function len>", "[16,90]", "[16,90]");
    assert_finding("H1", "input.collate", 11 + 12); /* one of two tensors with equal first sizes is necessary */
    end_event_text(state), begin_trace_test(state);
    write_collation("<built-in function len>", "[16,90]", "[16,12]");
    assert_finding("H1", "input.collate", 11);
}

/* Writes an operator of 300 us that copies its operand for 200 us. */
static void write_operand_copy(const char *operator, const char * type)
{
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s) + 200;
        write_host_event("cpu_op", operator, at, 300);
        write_operator_with_shapes("aten::clone", at + 10, 200, "[8,32,64,64]", type, 10 * s);
    }
    build_trace();
}

static void operands_of_complex_operators_need_copies(void **state)
{
    write_operand_copy("aten::mul", "\"c10::complex<float>\""); /* applies a pending conjugation */
    assert_null(find_finding_of_rule("H7"));
    end_event_text(state), begin_trace_test(state);
    write_operand_copy("aten::_fft_c2r", FLOAT);
    assert_null(find_finding_of_rule("H7"));
    end_event_text(state), begin_trace_test(state);
    write_operand_copy("aten::reshape", "\"c10::complex<float>\"");
    assert_finding("H7", "copy.layout", 25);
    end_event_text(state), begin_trace_test(state);
    write_operand_copy("aten::mul", FLOAT);
    assert_finding("H7", "copy.layout", 25);
}

/* Writes steps in which the program takes a tensor of 8 matrices apart, calls a module of 50 us for each, and stacks
 * the results of the given sizes. */
static void write_calls_on_parts(const char *split, const char *result)
{
    enum { PARTS = 8 };
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s) + 200;
        char args[400];
        write_operator_with_shapes(split, at - 20, 10, "[8,30,16]", FLOAT, -1);
        for (int i = 0; i < PARTS; i++) {
            write_host_event_with_args("python_function", "nn.Module: GraphNet_0", at + 60 * i, 50, MODULE);
            write_operator_with_shapes("aten::linear", at + 60 * i + 1, 30, "[30,16],[4,16]", FLOAT, -1);
            write_operator_with_shapes("aten::addmm", at + 60 * i + 2, 20, "[4],[30,16],[16,4]", FLOAT, -1);
            write_operator_with_shapes("aten::mean", at + 60 * i + 35, 10, "[30,4]", FLOAT, -1);
        }
        snprintf(args, sizeof args, "\"Input Dims\":[[%s,%s,%s,%s,%s,%s,%s,%s],[]]", result, result, result, result,
                 result, result, result, result);
        write_host_event_with_args("cpu_op", "aten::stack", at + 60 * PARTS, 5, args);
    }
    build_trace();
}

static void module_called_for_each_matrix_is_found(void **state)
{
    write_calls_on_parts("aten::unbind", "[4]");
    /* 6 of 7 calls and the time between them; 3,840 operations of a product take 64 ns */
    assert_finding("H18", "batch.per_sample_loop", (6 * 60 + 50 - 7 * 0.064) / 10);
    end_event_text(state), begin_trace_test(state);
    write_calls_on_parts("aten::mul", "[4]"); /* takes no tensor apart */
    assert_null(find_finding_of_rule("H18"));
    end_event_text(state), begin_trace_test(state);
    write_calls_on_parts("aten::unbind", "[30,16]"); /* a recurrent layer reads its last result */
    assert_null(find_finding_of_rule("H18"));
}

/* Writes a function of 200 us with an event of 60 us that prepares a text, and a write of 30 us. */
static void write_file_output(const char *kind, const char *name)
{
    for (int s = 0; s < STEPS; s++) {
        double at = begin_step(s) + 200;
        frame("train.py(3): note", at, 200);
        write_host_event(kind, name, at + 10, 60);
        frame("<built-in method write of _io.TextIOWrapper object at 0x7f>", at + 100, 30);
    }
    build_trace();
}

static void preparing_a_text_is_part_of_writing_it(void **state)
{
    write_file_output("python_function", "json/__init__.py(183): dumps");
    assert_finding("H10", "io.in_step", 20);
    end_event_text(state), begin_trace_test(state);
    write_file_output("cpu_op", "aten::item"); /* reads a number for the text */
    assert_finding("H10", "io.in_step", 20);
    for (int i = 0; i < 2; i++) { /* a function that computes also without the file */
        end_event_text(state), begin_trace_test(state);
        write_file_output("cpu_op", i ? "aten::mm" : "aten::mul");
        assert_finding("H10", "io.in_step", 3);
    }
    end_event_text(state), begin_trace_test(state);
    frame("train.py(1): main", 0, 1000.0 * STEPS); /* the program itself writes */
    for (int s = 0; s < STEPS; s++)
        frame("<built-in method write of _io.TextIOWrapper object at 0x7f>", begin_step(s) + 300, 40);
    build_trace();
    assert_finding("H10", "io.in_step", 4);
}

int main(void)
{
    is_recording_free = true;
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_trace_test, end_event_text)
    const struct CMUnitTest tests[] = {
        CASE(batch_of_eight_is_small_if_its_work_is_little), CASE(updates_by_hand_are_an_optimizer),
        CASE(numbers_made_of_tensors_need_no_new_tensor),    CASE(mask_can_be_computed_from_lengths),
        CASE(module_called_for_each_matrix_is_found),        CASE(preparing_a_text_is_part_of_writing_it),
        CASE(operands_of_complex_operators_need_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
