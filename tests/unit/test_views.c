/* Tests model and views on small traces. Expected numbers are counted by hand from the events of each test. */
#include "webreport/measure/result/views.h"
#include "webreport/model/build.h"

#include <stdio.h>

#include "tests/unit/made_trace.h"

#include "webreport/measure/ranks/distributed.h"

/* A trace, its model and its views. */
struct made {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_views views;
};

static void make_views(struct made *m, const char *events)
{
    make_model(&m->arena, &m->trace, &m->order, &m->model, "", events);
    tp_views_build(&m->views, &m->model, &m->arena);
    tp_memory_view_build(&m->views.memory, &m->model, &m->arena);
}

#define OP(name, ts, dur, args)                                                                                        \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"dur\":" #dur          \
    ",\"args\":{" args "}}"
#define EVENT(cat, name, ts, dur, args)                                                                                \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"dur\":" #dur         \
    ",\"args\":{" args "}}"
#define MEMORY(ts, bytes, addr, total)                                                                                 \
    "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":" #ts                \
    ",\"args\":{\"Device Type\":0,\"Device Id\":-1,\"Bytes\":" #bytes ",\"Addr\":" #addr                               \
    ",\"Total Allocated\":" #total "}}"

/* Returns the index of the row with this name in column 0. */
static size_t find_row(const struct tp_table *table, const char *name)
{
    for (size_t i = 0; i < table->row_count; i++)
        if (tp_str_equal(tp_table_text(table, 0)[i], tp_str_of(name)))
            return i;
    fail_msg("no row %s", name);
    return 0;
}

static int64_t table_cell(const struct tp_table *table, const char *name, unsigned column)
{
    return tp_table_int(table, column)[find_row(table, name)];
}

static void recursion_counts_total_time_once(void **state)
{
    (void)state;
    struct made m;
    make_views(&m, OP("f", 0, 100, "") "," OP("g", 10, 80, "") "," OP("f", 20, 50, ""));
    const struct tp_table *ops = &m.views.operators.by_name;
    assert_int_equal(table_cell(ops, "f", TP_OP_CALLS), 2);
    assert_int_equal(table_cell(ops, "f", TP_OP_HOST_TOTAL), 100000);
    assert_int_equal(table_cell(ops, "f", TP_OP_HOST_SELF), 20000 + 50000);
    assert_int_equal(table_cell(ops, "g", TP_OP_HOST_SELF), 30000);
    tp_arena_release(&m.arena);
}

static void only_child_with_equal_name_is_merged(void **state)
{
    (void)state;
    struct made m;
    make_views(&m, OP("f", 0, 100, "") "," OP("f", 10, 80, "") "," EVENT("cuda_runtime", "launch", 20, 5,
                                                                         "\"correlation\":1"));
    assert_int_equal(m.views.facts.operators_folded, 1);
    assert_int_equal(m.views.facts.operator_count, 1);
    assert_int_equal(table_cell(&m.views.operators.by_name, "f", TP_OP_HOST_SELF), 95000);
    tp_arena_release(&m.arena);
}

static void overlapping_operator_is_clipped_to_its_parent(void **state)
{
    (void)state;
    struct made m;
    make_views(&m, OP("f", 0, 100, "") "," OP("g", 90, 20, ""));
    assert_int_equal(m.views.facts.operators_clipped, 1);
    assert_int_equal(table_cell(&m.views.operators.by_name, "f", TP_OP_HOST_SELF), 90000);
    assert_int_equal(table_cell(&m.views.operators.by_name, "g", TP_OP_HOST_SELF), 10000);
    assert_int_equal(table_cell(&m.views.operators.by_name, "g", TP_OP_HOST_TOTAL), 20000);
    tp_arena_release(&m.arena);
}

/* Tests that an operator inside an operator of the same name is merged with it. This changes the ids of later
 * operators, and removes the shortened end time of a merged operator. */
static void folding_keeps_clipped_ends_of_other_operators(void **state)
{
    (void)state;
    struct made m;
    make_views(&m, OP("f", 0, 100, "") "," OP("f", 90, 20, "") "," OP("p", 200, 50, "") "," OP("c", 240, 30, "") "," OP(
                       "d", 245, 30, "") "," OP("f", 300, 10, "") "," OP("f", 301, 8, ""));
    assert_int_equal(m.views.facts.operators_clipped, 3);
    assert_int_equal(m.views.facts.operators_folded, 2);
    assert_int_equal(table_cell(&m.views.operators.by_name, "f", TP_OP_HOST_SELF), 110000);
    assert_int_equal(table_cell(&m.views.operators.by_name, "p", TP_OP_HOST_SELF), 40000);
    assert_int_equal(table_cell(&m.views.operators.by_name, "c", TP_OP_HOST_SELF), 5000);
    assert_int_equal(table_cell(&m.views.operators.by_name, "d", TP_OP_HOST_SELF), 5000);
    tp_arena_release(&m.arena);
}

static void operators_of_many_seconds_have_exact_times(void **state)
{
    (void)state;
    struct made m;
    make_views(&m, OP("f", 0, 9000000, "") "," OP("g", 10, 5000000, "") "," EVENT(
                       "cuda_runtime", "launch", 20, 5, "\"correlation\":1") "," EVENT("kernel", "k", 30, 6000000,
                                                                                       "\"correlation\":1"));
    assert_int_equal(table_cell(&m.views.operators.by_name, "f", TP_OP_HOST_SELF), INT64_C(4000000000));
    assert_int_equal(table_cell(&m.views.operators.by_name, "g", TP_OP_HOST_SELF), INT64_C(4999995000));
    assert_int_equal(table_cell(&m.views.operators.by_name, "f", TP_OP_DEVICE_TOTAL), INT64_C(6000000000));
    tp_arena_release(&m.arena);
}

static void a_kernel_belongs_to_the_operator_around_its_launch(void **state)
{
    (void)state;
    struct made m;
    make_views(&m, OP("f", 0, 100, "\"External id\":7") "," OP("g", 10, 20, "") "," EVENT(
                       "cuda_runtime", "cudaLaunchKernel", 12, 2,
                       "\"correlation\":5,\"External id\":7") "," EVENT("kernel", "k", 200, 30,
                                                                        "\"correlation\":5,\"External "
                                                                        "id\":7,\"device\":0,\"stream\":"
                                                                        "7") "," EVENT("kernel", "lost", 240, 5,
                                                                                       "\"correlation\":"
                                                                                       "99,\"device\":"
                                                                                       "0"));
    const struct tp_table *ops = &m.views.operators.by_name;
    assert_int_equal(table_cell(ops, "g", TP_OP_DEVICE_SELF), 30000);
    assert_int_equal(table_cell(ops, "f", TP_OP_DEVICE_SELF), 0);
    assert_int_equal(table_cell(ops, "f", TP_OP_DEVICE_TOTAL), 30000);
    assert_int_equal(m.views.facts.device_events_unlinked, 1);
    assert_int_equal(m.views.facts.device_time_unlinked_ns, 5000);
    assert_int_equal(m.views.kernels.by_name.row_count, 2);
    tp_arena_release(&m.arena);
}

static void categories_add_up_to_the_step(void **state)
{
    (void)state;
    struct made m;
    make_views(&m, EVENT("user_annotation", "ProfilerStep#4", 0, 100, "") "," OP("f", 10, 60, "") "," EVENT(
                       "cuda_runtime", "cudaLaunchKernel", 20, 10,
                       "\"correlation\":5") "," EVENT("kernel", "k", 25, 95, "\"correlation\":5,\"device\":0"));
    const struct tp_table *steps = &m.views.overview.steps;
    assert_int_equal(steps->row_count, 1);
    assert_int_equal(table_cell(steps, "4", TP_STEP_TOTAL), 120000); /* the kernel makes the step longer */
    assert_int_equal(table_cell(steps, "4", TP_STEP_KERNEL), 95000);
    assert_int_equal(table_cell(steps, "4", TP_STEP_RUNTIME), 5000);
    assert_int_equal(table_cell(steps, "4", TP_STEP_CPU_EXEC), 10000);
    assert_int_equal(table_cell(steps, "4", TP_STEP_OTHER), 10000);
    tp_arena_release(&m.arena);
}

static void stacks_come_from_arguments_and_from_python_frames(void **state)
{
    (void)state;
    struct made m;
    make_views(
        &m,
        EVENT("python_function", "main", 0, 100, "") "," EVENT("python_function", "inner at 0x7f", 5, 50, "") "," OP(
            "f", 10, 5, "") "," OP("f", 20, 5, "\"Call stack\":\"a;;b;\"") "," OP("f", 70, 5, ""));
    const struct tp_stack_table *stacks = &m.views.operators.stacks_by_name;
    const char *expected[] = {"a;b", "inner;main", "main"}; /* rows with equal times are in the order of their texts */
    assert_int_equal(stacks->table.row_count, 3);
    for (size_t i = 0; i < 3; i++) {
        char text[16];
        size_t size = tp_stack_write(stacks->stacks, stacks->stack[i], text, sizeof text);
        assert_true(tp_str_equal((struct tp_str){text, size}, tp_str_of(expected[i])));
    }
    tp_arena_release(&m.arena);
}

static void blocks_pair_allocation_and_release_of_an_address(void **state)
{
    (void)state;
    struct made m;
    make_views(&m, OP("aten::zeros", 0, 100, "") "," OP("aten::empty", 10, 20, "") "," MEMORY(15, 64, 1, 64) "," MEMORY(
                       40, -64, 1, 0) "," MEMORY(200, -32, 2, 0));
    const struct tp_device_memory *cpu = &m.views.memory.devices[0];
    assert_int_equal(cpu->blocks.row_count, 2);
    assert_int_equal(tp_table_int(&cpu->blocks, TP_BLOCK_RELEASED_AT)[0], 40000);
    assert_int_equal(tp_table_int(&cpu->blocks, TP_BLOCK_ALLOCATED_AT)[1], TP_NULL_INT);
    assert_int_equal(table_cell(&cpu->operators, "aten::empty", TP_MEMORY_OP_SELF_INCREASE), 64);
    assert_int_equal(table_cell(&cpu->operators, "aten::zeros", TP_MEMORY_OP_SELF_INCREASE), -64);
    assert_int_equal(table_cell(&cpu->operators, "aten::zeros", TP_MEMORY_OP_INCREASE), 0);
    assert_int_equal(table_cell(&cpu->operators_folded, "aten::zeros", TP_MEMORY_OP_SELF_COUNT), 1);
    assert_int_equal(tp_table_int(&m.views.memory.information, TP_MEMORY_LOOSE_INCREASE)[0], -32);
    assert_int_equal(cpu->peak_bytes, 64);
    tp_arena_release(&m.arena);
}

static void modules_merge_by_path_and_keep_first_call_order(void **state)
{
    (void)state;
    struct made m;
    make_views(
        &m,
        EVENT("python_function", "nn.Module: Net_0", 0, 100, "\"Python module id\":1") "," EVENT(
            "python_function", "nn.Module: B_0", 10, 20,
            "\"Python module id\":2") "," EVENT("python_function", "nn.Module: A_0", 40, 20,
                                                "\"Python module id\":3") "," EVENT("python_function", "nn.Module: B_0",
                                                                                    70, 20,
                                                                                    "\"Python module "
                                                                                    "id\":2") "," OP("f", 12, 4,
                                                                                                     "") "," OP("f", 72,
                                                                                                                6, ""));
    const struct tp_module_view *view = &m.views.modules;
    const char *expected[] = {"Net_0", "B_0", "A_0"};
    assert_int_equal(view->table.row_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(tp_str_equal(tp_table_text(&view->table, TP_MODULE_NAME)[i], tp_str_of(expected[i])));
        assert_int_equal(view->depth[i], i > 0);
    }
    assert_int_equal(table_cell(&view->table, "B_0", TP_MODULE_OCCURRENCES), 2);
    assert_int_equal(table_cell(&view->table, "B_0", TP_MODULE_OPERATORS), 2);
    assert_int_equal(table_cell(&view->table, "B_0", TP_MODULE_HOST_SELF), 30000);
    assert_int_equal(table_cell(&view->table, "Net_0", TP_MODULE_HOST_SELF), 40000);
    tp_arena_release(&m.arena);
}

/* Makes two steps of 1,000 us. The second rank starts each collective `late` us late. */
static void make_ranks(struct made *ranks, struct tp_rank_summary *summaries, int late)
{
    for (int r = 0; r < 2; r++) {
        char events[1024];
        int lag = r ? late : 0;
        snprintf(events, sizeof events,
                 EVENT("user_annotation", "ProfilerStep#1", 0, 1000, "") "," EVENT(
                     "user_annotation", "ProfilerStep#2", 1000, 1000,
                     "") "," OP("f", 0, 500, "") "," OP("f", 1000, 500,
                                                        "") ","
                                                            "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"gloo:"
                                                            "all_reduce\",\"pid\":1,\"tid\":1,\"ts\":%d,"
                                                            "\"dur\":%d,\"args\":{}},"
                                                            "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"gloo:"
                                                            "all_reduce\",\"pid\":1,\"tid\":1,\"ts\":%d,"
                                                            "\"dur\":%d,\"args\":{}}",
                 500 + lag, 450 - lag, 1500 + lag, 450 - lag);
        make_views(&ranks[r], events);
        tp_rank_summary_build(&summaries[r], r ? TP_STR("b") : TP_STR("a"), &ranks[r].model, &ranks[r].views.overview,
                              &ranks[r].arena);
    }
}

static void rank_that_others_wait_for_is_named(void **state)
{
    (void)state;
    static const int lates[] = {400, 40};
    for (int i = 0; i < 2; i++) {
        struct made ranks[2];
        struct tp_rank_summary summaries[2];
        struct tp_distributed view;
        struct tp_straggler found;
        make_ranks(ranks, summaries, lates[i]);
        tp_distributed_build(&view, TP_NULL_INT, summaries, 2, &ranks[0].arena);
        tp_straggler_find(&found, &view);
        assert_int_equal(found.rank, i ? TP_NO_ID : 1); /* the late rank computes 40 of 1,000 us more, which is below
                                                         * the threshold of 5 % */
        if (!i) {
            assert_int_equal(found.late_count, 2);
            assert_int_equal((int)found.wait_us, 400);
            /* the wait is 400 of 950 to 1,000 us, and all of it can be saved, because the late rank does not compute
             * longer */
            assert_true(found.share_percent > 39.9 && found.share_percent < 42.2);
        }
        for (int r = 0; r < 2; r++)
            tp_arena_release(&ranks[r].arena);
    }
}

static void slower_rank_shows_the_wait_of_the_faster(void **state)
{
    (void)state;
    struct made fast, slow;
    struct tp_rank_summary ranks[2];
    struct tp_distributed view;
    make_views(&fast, EVENT("user_annotation", "nccl:all_reduce", 0, 100, "") "," OP("f", 0, 200, ""));
    make_views(&slow, EVENT("user_annotation", "nccl:all_reduce", 60, 40, "") "," OP("f", 0, 200, ""));
    tp_rank_summary_build(&ranks[0], TP_STR("host_0"), &fast.model, &fast.views.overview, &fast.arena);
    tp_rank_summary_build(&ranks[1], TP_STR("host_1"), &slow.model, &slow.views.overview, &slow.arena);
    tp_distributed_build(&view, TP_NULL_INT, ranks, 2, &fast.arena);
    assert_true(view.is_present && view.is_comparable);
    assert_int_equal(tp_table_int(&view.ops[0], TP_COMM_OP_LATENCY)[0], 100000);
    assert_int_equal(tp_table_int(&view.ops[0], TP_COMM_OP_TRANSFER)[0], 40000);
    assert_int_equal(tp_table_int(&view.ops[1], TP_COMM_OP_TRANSFER)[0], 40000);
    assert_int_equal(view.wait.step_count, 2); /* the list has two entries: the mean of all steps, and step 0 */
    assert_int_equal(view.wait.part_ns[(2 + 0) * 2 + 1], 60000);
    assert_int_equal(view.wait.part_ns[(2 + 1) * 2 + 1], 0);
    tp_arena_release(&fast.arena);
    tp_arena_release(&slow.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recursion_counts_total_time_once),
        cmocka_unit_test(only_child_with_equal_name_is_merged),
        cmocka_unit_test(overlapping_operator_is_clipped_to_its_parent),
        cmocka_unit_test(folding_keeps_clipped_ends_of_other_operators),
        cmocka_unit_test(operators_of_many_seconds_have_exact_times),
        cmocka_unit_test(a_kernel_belongs_to_the_operator_around_its_launch),
        cmocka_unit_test(categories_add_up_to_the_step),
        cmocka_unit_test(stacks_come_from_arguments_and_from_python_frames),
        cmocka_unit_test(blocks_pair_allocation_and_release_of_an_address),
        cmocka_unit_test(modules_merge_by_path_and_keep_first_call_order),
        cmocka_unit_test(slower_rank_shows_the_wait_of_the_faster),
        cmocka_unit_test(rank_that_others_wait_for_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
