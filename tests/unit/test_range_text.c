/* Tests the decoding of texts of NVTX ranges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "webreport/trace/inputs/sqlite/range_text.h"
#include "writer/base/table.h"

/* Texts and what they mean. sequence, external_id: -1 if absent. */
static const struct {
    const char *text, *name;
    bool is_operator;
    int64_t sequence, external_id;
    const char *dims;
} texts[] = {
    {"aten::mm", "aten::mm", true, -1, -1, NULL},
    {"aten::mm, seq = 3", "aten::mm", true, 3, -1, NULL},
    {"aten::mm, seq = -1, op_id = 7", "aten::mm", true, -1, 7, NULL},
    {"aten::mm, op_id = 7, sizes = [[2, 3], []]", "aten::mm", true, -1, 7, "[[2, 3], []]"},
    {"aten::mm, seq = 1, op_id = 7, sizes = [[2]], input_op_ids = [(1,0), (2,1)]", "aten::mm", true, 1, 7, "[[2]]"},
    {"aten::mm, input_op_ids = [(1,0)]", "aten::mm", true, -1, -1, NULL},
    {"autograd::engine::evaluate_function: MmBackward0, seq = 4, op_id = 9",
     "autograd::engine::evaluate_function: MmBackward0", true, 4, 9, NULL},
    {"forward, op_id = 3", "forward", true, -1, 3, NULL},
    {"detach_, op_id = 9", "detach_", true, -1, 9, NULL},
    {"TorchDynamo Cache Lookup, op_id = 4", "TorchDynamo Cache Lookup", true, -1, 4, NULL},
    {"## Call CompiledFxGraph abc ##, op_id = 4", "## Call CompiledFxGraph abc ##", true, -1, 4, NULL},
    /* ranges of the program, also those with the suffixes of emit_nvtx */
    {"iter 5", "iter 5", false, -1, -1, NULL},
    {"iter 5, op_id = 77", "iter 5", false, -1, 77, NULL},
    {"train_step, op_id = 77", "train_step", false, -1, 77, NULL},
    {"load data, op_id = 1", "load data", false, -1, 1, NULL},
    {"ProfilerStep#3, op_id = 77", "ProfilerStep#3", false, -1, 77, NULL},
    {"Optimizer.step#SGD.step, op_id = 1", "Optimizer.step#SGD.step", false, -1, 1, NULL},
    {"nccl:all_reduce, seq = 1", "nccl:all_reduce", false, 1, -1, NULL},
    {"a b::c", "a b::c", false, -1, -1, NULL},
    {"", "", false, -1, -1, NULL},
    /* texts that only look like suffixes */
    {"x, seq = , op_id = 3", "x, seq = ", false, -1, 3, NULL},
    {"x, seq = 3 more", "x, seq = 3 more", false, -1, -1, NULL},
    {"a, sizes = [1] end", "a, sizes = [1] end", false, -1, -1, NULL},
    {", sizes = ]", ", sizes = ]", false, -1, -1, NULL},
};

static int64_t or_minus_one(int64_t value)
{
    return value == TP_NULL_INT ? -1 : value;
}

static void texts_of_emit_nvtx_are_operators(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tp_range_text got = tp_range_text_decode(tp_str_of(texts[i].text));
        assert_true(tp_str_equal(got.name, tp_str_of(texts[i].name)));
        assert_int_equal(got.is_operator, texts[i].is_operator);
        assert_int_equal(or_minus_one(got.sequence), texts[i].sequence);
        assert_int_equal(or_minus_one(got.external_id), texts[i].external_id);
        assert_true(texts[i].dims ? tp_str_equal(got.dims, tp_str_of(texts[i].dims)) : !got.dims.ptr);
    }
}

static void names_are_split_from_their_number(void **state)
{
    static const struct {
        const char *name, *text;
        int64_t number;
    } names[] = {{"iter 5", "iter", 5},
                 {"iter_12", "iter", 12},
                 {"ProfilerStep#3", "ProfilerStep", 3},
                 {"step[7]", "step", 7},
                 {"epoch (2)", "epoch", 2},
                 {"12", "#", 12},
                 {"train", "train", -1},
                 {"layer1.conv", "layer1.conv", -1},
                 {"x 123456789012", "x 123456789012", -1},
                 {"batch: 4", "batch", 4}};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int64_t number;
        struct tp_str text = tp_range_text_split(tp_str_of(names[i].name), &number);
        assert_true(tp_str_equal(text, tp_str_of(names[i].text)));
        assert_int_equal(or_minus_one(number), names[i].number);
    }
}

static void words_for_steps_are_known(void **state)
{
    static const char *const words[] = {"step",  "Steps",      "iteration", "train_step",       "training step",
                                        "Train", "mini batch", "epoch",     "forward_backward", "prefill"};
    static const char *const others[] = {"stepper", "load", "forward", "train_", "", "optimizer step", "trainer"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_true(tp_range_text_is_step_word(tp_str_of(words[i])));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(tp_range_text_is_step_word(tp_str_of(others[i])));
    assert_true(tp_range_text_is_nccl_call(TP_STR("ncclAllReduce")));
    assert_false(tp_range_text_is_nccl_call(TP_STR("nccl")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_emit_nvtx_are_operators),
        cmocka_unit_test(names_are_split_from_their_number),
        cmocka_unit_test(words_for_steps_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
