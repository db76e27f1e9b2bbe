/* Tests the purpose of blocks, which follows from their stacks and lives (definitions, section 32). */
#include "webreport/measure/snapshot/live_tables.h"

#include <string.h>

#include "tests/unit/one_arena.h"

#include "tests/unit/made_snapshot.h"

#define TORCH "/v/lib/python3.12/site-packages/torch/"

static struct made_snapshot made;
static struct tp_code_stacks stacks;
static uint32_t forward, backward, optimizer, weights, other, recompute;

static void make_stacks(void)
{
    make_snapshot(&made);
    forward = add_frame(&made, 0, "/h/m.py", 1, "forward");
    backward = add_frame(&made, 0, TORCH "autograd/function.py", 2, "backward");
    optimizer = add_frame(&made, 0, TORCH "optim/adamw.py", 3, "step");
    weights = add_frame(&made, 0, TORCH "nn/modules/module.py", 4, "_apply");
    other = add_frame(&made, 0, "/h/train.py", 5, "main");
    recompute = add_frame(&made, 0, TORCH "utils/checkpoint.py", 6, "recompute_fn");
    tp_code_stacks_build(&stacks, &made.snapshot, &arena);
}

/* Checks the purpose of a block. */
static void check_block(bool has_stacks, struct tp_allocator_block block, const char *wanted)
{
    const struct tp_live_context context = {&arena, &made.snapshot, &stacks, has_stacks};
    block.category = block.category ? block.category : made.snapshot.no_text;
    struct tp_str name = tp_code_name(&stacks, tp_live_category(&context, &block));
    if (name.len != strlen(wanted) || memcmp(name.ptr, wanted, name.len) != 0)
        fail_msg("%.*s, and not %s", (int)name.len, name.ptr, wanted);
}

static struct tp_allocator_block block(uint32_t stack, int32_t allocated, int32_t freed, uint32_t free_stack)
{
    return (struct tp_allocator_block){.allocated = allocated,
                                       .free_requested = freed,
                                       .free_completed = freed,
                                       .stack = stack,
                                       .free_stack = free_stack};
}

static void blocks_that_stay_have_the_purpose_of_their_phase(void **state)
{
    GUARD;
    make_stacks();
    check_block(true, block(forward, 5, TP_NO_EVENT, 0), "activations");
    check_block(true, block(backward, 5, TP_NO_EVENT, 0), "gradients");
    check_block(true, block(optimizer, 5, TP_NO_EVENT, 0), "optimizer state");
    check_block(true, block(weights, 5, TP_NO_EVENT, 0), "weights");
    check_block(true, block(other, 5, TP_NO_EVENT, 0), "other");
    check_block(true, block(recompute, 5, TP_NO_EVENT, 0), "recomputed activations");
}

static void short_lives_are_workspace(void **state)
{
    GUARD;
    make_stacks();
    check_block(true, block(forward, 5, 21, other), "workspace");
    check_block(true, block(forward, 5, 22, other), "activations");
    check_block(true, block(other, 5, 21, other), "workspace");
    check_block(true, block(optimizer, 5, 6, other), "workspace");
    check_block(true, block(weights, 5, 6, other), "weights");
    check_block(true, block(forward, -1, 6, other), "activations"); /* the length of an older life is unknown */
}

static void the_code_that_frees_decides(void **state)
{
    GUARD;
    make_stacks();
    check_block(true, block(optimizer, 5, 500, optimizer), "workspace");
    check_block(true, block(optimizer, 5, 500, other), "optimizer state");
    check_block(true, block(backward, 5, 500, backward), "workspace");
    check_block(true, block(backward, 5, 500, other), "gradients");
    check_block(true, block(backward, 5, 500, 0), "workspace"); /* freed by the autograd thread */
}

static void blocks_without_a_stack_are_explained(void **state)
{
    GUARD;
    make_stacks();
    check_block(true, block(0, TP_BEFORE_EVENTS, TP_NO_EVENT, 0), "before the recording");
    check_block(false, block(0, 5, TP_NO_EVENT, 0), "no stack");
    check_block(true, block(0, 5, TP_NO_EVENT, 0), "gradients");
    check_block(true, block(forward, TP_BEFORE_EVENTS, TP_NO_EVENT, 0), "activations");
}

static void the_category_of_the_file_decides(void **state)
{
    GUARD;
    make_stacks();
    struct tp_allocator_block named = block(forward, 5, 6, 0);
    named.category = tp_strings_add(&made.snapshot.texts, tp_str_of("PARAMETER"));
    check_block(true, named, "PARAMETER");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(blocks_that_stay_have_the_purpose_of_their_phase, begin, end),
        cmocka_unit_test_setup_teardown(short_lives_are_workspace, begin, end),
        cmocka_unit_test_setup_teardown(the_code_that_frees_decides, begin, end),
        cmocka_unit_test_setup_teardown(blocks_without_a_stack_are_explained, begin, end),
        cmocka_unit_test_setup_teardown(the_category_of_the_file_decides, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
