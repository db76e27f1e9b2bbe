/* Tests the names and the phase of call stacks in memory snapshots (definitions, section 32). */
#include "webreport/measure/snapshot/code_stacks.h"

#include <string.h>

#include "tests/unit/one_arena.h"

#include "tests/unit/made_snapshot.h"

#define PACKAGES "/v/lib/python3.12/site-packages/"

struct frame {
    const char *file;
    int64_t line;
    const char *name;
};

static struct made_snapshot made;

/* Adds a stack. frames: innermost first, as in a file. */
static uint32_t add_stack(const struct frame *frames, size_t count)
{
    uint32_t stack = 0;
    while (count-- > 0)
        stack = add_frame(&made, stack, frames[count].file, frames[count].line, frames[count].name);
    return stack;
}
#define STACK(...)                                                                                                     \
    add_stack((const struct frame[]){__VA_ARGS__}, sizeof((const struct frame[]){__VA_ARGS__}) / sizeof(struct frame))

static void check_name(const struct tp_code_stacks *stacks, uint32_t name, const char *wanted)
{
    struct tp_str text = tp_code_name(stacks, name);
    assert_int_equal(text.len, strlen(wanted));
    assert_memory_equal(text.ptr, wanted, text.len);
}

static void a_stack_has_line_site_module_and_path(void **state)
{
    GUARD;
    struct tp_code_stacks stacks;
    make_snapshot(&made);
    uint32_t stack =
        STACK({"??", 0, "torch::unwind::unwind()"}, {"R.cpp", 0, "at::_ops::addmm::call(x)"},
              {PACKAGES "torch/nn/modules/linear.py", 125, "forward"}, {"??", 0, "_PyEval_EvalFrameDefault"},
              {"/h/m/block.py", 7, "forward"}, {PACKAGES "torch/nn/modules/module.py", 1, "_call_impl"},
              {"/h/m/gpt.py", 9, "forward"}, {"/h/train.py", 3, "<module>"});
    tp_code_stacks_build(&stacks, &made.snapshot, &arena);
    const struct tp_code_stack *code = tp_code_stack(&stacks, stack);
    check_name(&stacks, code->line, "block.py(7): forward");
    check_name(&stacks, code->site, "block.py(7): forward");
    check_name(&stacks, code->module, "gpt.py(9): forward > block.py(7): forward");
    check_name(&stacks, code->layer, "block.py(7): forward");
    check_name(&stacks, code->place, "m/block.py: forward");
    assert_int_equal(code->phase, TP_PHASE_FORWARD);
    struct tp_str path = tp_code_stacks_path(&stacks, code->path);
    static const char wanted[] = "train.py(3): <module>;gpt.py(9): forward;module.py(1): _call_impl;"
                                 "block.py(7): forward;linear.py(125): forward";
    assert_int_equal(path.len, strlen(wanted));
    assert_memory_equal(path.ptr, wanted, path.len);
}

static void the_empty_stack_has_no_names(void **state)
{
    GUARD;
    struct tp_code_stacks stacks;
    make_snapshot(&made);
    tp_code_stacks_build(&stacks, &made.snapshot, &arena);
    const struct tp_code_stack *code = tp_code_stack(&stacks, 0);
    check_name(&stacks, code->line, "");
    check_name(&stacks, code->site, "");
    assert_int_equal(code->phase, TP_PHASE_NONE);
    assert_int_equal(tp_code_stacks_path(&stacks, code->path).len, 0);
}

static void packages_of_others_are_call_sites(void **state)
{
    GUARD;
    struct tp_code_stacks stacks;
    make_snapshot(&made);
    uint32_t stack = STACK({PACKAGES "transformers/models/llama.py", 70, "forward"}, {"/h/run.py", 3, "main"});
    tp_code_stacks_build(&stacks, &made.snapshot, &arena);
    check_name(&stacks, tp_code_stack(&stacks, stack)->line, "run.py(3): main");
    check_name(&stacks, tp_code_stack(&stacks, stack)->site, "llama.py(70): forward");
}

static void stacks_of_cpp_are_named_by_node_or_operator(void **state)
{
    GUARD;
    struct tp_code_stacks stacks;
    make_snapshot(&made);
    uint32_t backward =
        STACK({"R.cpp", 0, "at::_ops::mm::call(x)"}, {"??", 0, "torch::autograd::generated::MmBackward0::apply(x)"},
              {"??", 0, "torch::autograd::Engine::evaluate_function(x)"});
    uint32_t operator=
        STACK({"R.cpp", 0, "at::_ops::empty_strided::call(x)"}, {"R.cpp", 0, "at::_ops::add_Tensor::call(x)"});
    uint32_t gradient = STACK({"a.cpp", 0, "torch::autograd::AccumulateGrad::apply(x)"});
    uint32_t none = STACK({"a.cpp", 0, "main"});
    tp_code_stacks_build(&stacks, &made.snapshot, &arena);
    check_name(&stacks, tp_code_stack(&stacks, backward)->site, "MmBackward0");
    assert_int_equal(tp_code_stack(&stacks, backward)->phase, TP_PHASE_BACKWARD);
    check_name(&stacks, tp_code_stack(&stacks, operator)->site, "aten::add_Tensor");
    assert_int_equal(tp_code_stack(&stacks, operator)->phase, TP_PHASE_NO_PYTHON);
    check_name(&stacks, tp_code_stack(&stacks, gradient)->site, "AccumulateGrad");
    check_name(&stacks, tp_code_stack(&stacks, none)->site, "");
}

static void frames_show_the_phase(void **state)
{
    GUARD;
    struct tp_code_stacks stacks;
    make_snapshot(&made);
    const struct {
        uint32_t stack;
        enum tp_code_phase phase;
    } cases[] = {
        {STACK({PACKAGES "torch/optim/adamw.py", 1, "_init_group"}, {"/h/train.py", 4, "main"}), TP_PHASE_OPTIMIZER},
        {STACK({"/h/opt.py", 8, "step"}, {PACKAGES "torch/optim/optimizer.py", 1, "wrapper"},
               {"/h/train.py", 4, "main"}),
         TP_PHASE_OPTIMIZER},
        {STACK({"/h/train.py", 4, "main"}, {PACKAGES "torch/optim/lr_scheduler.py", 1, "step"}), TP_PHASE_OTHER},
        {STACK({"/h/m.py", 8, "forward"}, {PACKAGES "torch/utils/checkpoint.py", 1, "recompute_fn"}),
         TP_PHASE_RECOMPUTE},
        {STACK({PACKAGES "torch/nn/modules/module.py", 1, "convert"}, {"/h/t.py", 1, "main"}), TP_PHASE_WEIGHTS},
        {STACK({PACKAGES "torch/distributed/fsdp/_flat_param.py", 1, "unshard"}, {"/h/t.py", 1, "forward"}),
         TP_PHASE_COMMUNICATION},
        {STACK({"/h/t.py", 1, "collate"}, {PACKAGES "torch/utils/data/dataloader.py", 5, "__next__"}), TP_PHASE_INPUTS},
        {STACK({"/h/t.py", 1, "f"}, {PACKAGES "torch/autograd/function.py", 5, "backward"}), TP_PHASE_BACKWARD},
        {STACK({"/h/t.py", 1, "f"}), TP_PHASE_OTHER},
    };
    tp_code_stacks_build(&stacks, &made.snapshot, &arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(tp_code_stack(&stacks, cases[i].stack)->phase, cases[i].phase);
}

static void traced_code_names_its_original_line(void **state)
{
    GUARD;
    struct tp_code_stacks stacks;
    make_snapshot(&made);
    struct tp_strings *texts = &made.snapshot.texts;
    uint32_t outer = add_frame(&made, 0, "/h/train.py", 3, "main");
    const struct tp_snapshot_frame frame = {
        .line = 4,
        .file = tp_strings_add(texts, tp_str_of("<eval_with_key>.3")),
        .name = tp_strings_add(texts, tp_str_of("forward")),
        .fx_node = tp_strings_add(texts, tp_str_of("linear_2")),
        .fx_trace = tp_strings_add(texts, tp_str_of("File \"/h/m/gpt.py\", line 44, in forward\n  x = self.fc(x)"))};
    uint32_t number = tp_snapshot_stacks_add_frame(&made.snapshot.stacks, &frame);
    uint32_t stack = tp_snapshot_stacks_add(&made.snapshot.stacks, outer, number);
    tp_code_stacks_build(&stacks, &made.snapshot, &arena);
    check_name(&stacks, tp_code_stack(&stacks, stack)->line, "gpt.py(44): forward");
    check_name(&stacks, tp_code_stack(&stacks, stack)->node, "linear_2");
}

static int sign(int number)
{
    return (number > 0) - (number < 0);
}

/* The comparison of paths must order them as their texts, also if names contain the separator. */
static void paths_are_ordered_as_their_texts(void **state)
{
    GUARD;
    static const char *const names[] = {"a", "ab", "a;b", "", "b", ";", "a;"};
    enum { NAMES = sizeof names / sizeof *names, COUNT = NAMES * NAMES + NAMES + 1 };
    struct tp_code_stacks stacks;
    struct tp_str texts[COUNT];
    uint32_t ids[COUNT], paths[COUNT];
    size_t count = 0;
    make_snapshot(&made);
    ids[count++] = 0;
    for (size_t i = 0; i < NAMES; i++) {
        uint32_t outer = add_frame(&made, 0, "x.cpp", 0, names[i]);
        ids[count++] = outer;
        for (size_t k = 0; k < NAMES; k++)
            ids[count++] = add_frame(&made, outer, "x.cpp", 0, names[k]);
    }
    tp_code_stacks_build(&stacks, &made.snapshot, &arena);
    for (size_t i = 0; i < COUNT; i++) {
        paths[i] = tp_code_stack(&stacks, ids[i])->path;
        texts[i] = tp_code_stacks_path(&stacks, paths[i]);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < COUNT; k++)
            assert_int_equal(sign(tp_code_stacks_compare_paths(&stacks, paths[i], paths[k])),
                             sign(tp_str_compare(texts[i], texts[k])));
}

static void long_names_and_stacks_are_cut(void **state)
{
    GUARD;
    enum { LONG = 20000, DEEP = 100 };
    static char name[LONG + 1];
    struct tp_code_stacks stacks;
    uint32_t stack = 0;
    make_snapshot(&made);
    memset(name, 'n', LONG);
    for (int i = 0; i < DEEP; i++)
        stack = add_frame(&made, stack, "/h/a.py", i, name);
    tp_code_stacks_build(&stacks, &made.snapshot, &arena);
    const struct tp_code_stack *code = tp_code_stack(&stacks, stack);
    assert_true(tp_code_name(&stacks, code->line).len < LONG);
    assert_true(tp_code_stacks_path(&stacks, code->path).len < LONG * 20);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_stack_has_line_site_module_and_path, begin, end),
        cmocka_unit_test_setup_teardown(the_empty_stack_has_no_names, begin, end),
        cmocka_unit_test_setup_teardown(packages_of_others_are_call_sites, begin, end),
        cmocka_unit_test_setup_teardown(stacks_of_cpp_are_named_by_node_or_operator, begin, end),
        cmocka_unit_test_setup_teardown(frames_show_the_phase, begin, end),
        cmocka_unit_test_setup_teardown(traced_code_names_its_original_line, begin, end),
        cmocka_unit_test_setup_teardown(paths_are_ordered_as_their_texts, begin, end),
        cmocka_unit_test_setup_teardown(long_names_and_stacks_are_cut, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
