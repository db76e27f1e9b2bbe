/* Tests the recorder's own budget of 5 % of the program's time plus 50 ms. Beyond the budget, the recorder reads less.
 * Also tests estimated causes: waits without a sample get the causes of sampled waits. */
#include "collector/outside/processes/recorder_budget.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "collector/outside/tree/wait_estimates.h"
#include "collector/outside/waits/proc_waits.h"
#include "tests/unit/one_arena.h"

#define MS 1000000ll

static int count_read_samples(struct tp_recorder_budget *budget)
{
    int count = 0;
    for (int i = 0; i < 640; i++)
        count += tp_recorder_budget_reads_sample(budget);
    return count;
}

static void work_beyond_the_budget_is_left_out(void **state)
{
    struct tp_recorder_budget budget = {.begin_ns = 1000 * MS};
    (void)state;
    assert_false(tp_recorder_budget_update(&budget, 1050 * MS, 0, 1 * MS));
    assert_false(tp_recorder_budget_update(&budget, 1149 * MS, 2000 * MS, 2 * MS));
    assert_true(tp_recorder_budget_has_wait_stacks(&budget));
    assert_true(tp_recorder_budget_update(&budget, 1151 * MS, 2000 * MS, 3 * MS));
    assert_false(tp_recorder_budget_has_wait_stacks(&budget));
    assert_int_equal(count_read_samples(&budget), 640);
    /* the previous decision was less than 0.2 s ago, so the budget level does not change */
    assert_false(tp_recorder_budget_update(&budget, 1151 * MS, 2000 * MS, 100 * MS));
    assert_true(tp_recorder_budget_update(&budget, 1162 * MS, 2200 * MS, 300 * MS));
    assert_int_equal(count_read_samples(&budget), 320);
    /* the recorder is within its budget again, so it reads all samples */
    assert_false(tp_recorder_budget_update(&budget, 1162 * MS, 4000 * MS, 900 * MS));
    assert_int_equal(count_read_samples(&budget), 640);
    assert_false(tp_recorder_budget_has_wait_stacks(&budget));
    assert_int_equal(budget.highest_level, 2);
    for (int64_t i = 0; i < 100; i++)
        tp_recorder_budget_update(&budget, (9000 + i * 20) * MS, 4000 * MS, (1000 + i * 300) * MS);
    assert_int_equal(budget.level, 7);
    assert_int_equal(count_read_samples(&budget), 10);
}

/* Tests that no sample is dropped because of a cost that occurs only once: reading the files of a large program. Later
 * samples stay cheap. */
static void one_time_cost_drops_no_samples(void **state)
{
    struct tp_recorder_budget budget = {0};
    (void)state;
    assert_true(tp_recorder_budget_update(&budget, 300 * MS, 1000 * MS, 500 * MS));
    for (int64_t i = 1; i < 20; i++) /* from here on the recorder uses 2 % of the time */
        assert_false(
            tp_recorder_budget_update(&budget, (300 + i * 4) * MS, (1000 + i * 200) * MS, (500 + i * 200) * MS));
    assert_int_equal(count_read_samples(&budget), 640);
}

/* Tests a program with `import torch`, which is expensive for the recorder. Waits in the training after the import must
 * have stacks again. */
static void wait_stacks_are_read_again_after_import(void **state)
{
    struct tp_recorder_budget budget = {0};
    (void)state;
    assert_true(tp_recorder_budget_update(&budget, 600 * MS, 1000 * MS, 500 * MS));
    assert_false(tp_recorder_budget_has_wait_stacks(&budget));
    for (int64_t i = 1; i < 40; i++)
        tp_recorder_budget_update(&budget, (600 + i * 4) * MS, (1000 + i * 500) * MS, (500 + i * 200) * MS);
    assert_true(tp_recorder_budget_has_wait_stacks(&budget));
    assert_int_equal(budget.highest_level, 1);
}

static struct tp_outside_tree tree;

static void add_change(uint32_t thread, int64_t time_ns, enum tp_thread_state is, uint32_t stack)
{
    *(struct tp_outside_change *)tp_vec_push(&tree.changes) =
        (struct tp_outside_change){.time_ns = time_ns, .thread = thread, .stack = stack, .state = is};
}

static int check_estimates(void *unused, struct tp_error *err)
{
    static const struct tp_str causes[] = {{0}, {"pipe", 4}, {"disk", 4}, {0}};
    int64_t pipe_ns = 0, disk_ns = 0;
    (void)unused, (void)err;
    tp_outside_tree_init(&tree, &arena);
    for (int i = 0; i < 2; i++)
        *(struct tp_outside_thread *)tp_vec_push(&tree.threads) =
            (struct tp_outside_thread){.end_ns = 5000, .apart = -1};
    add_change(1, 0, TP_STATE_BLOCKED, 0); /* this thread has no sampled wait, so its causes stay unknown */
    add_change(0, 0, TP_STATE_BLOCKED, 1);
    add_change(0, 300, TP_STATE_RUNNING, 0);
    add_change(0, 400, TP_STATE_BLOCKED, 2);
    add_change(0, 500, TP_STATE_BLOCKED, 3); /* this stack shows no cause */
    for (int i = 0; i < 40; i++) {
        add_change(0, 1000 + i * 100, TP_STATE_BLOCKED, 0);
        add_change(0, 1020 + i * 100, TP_STATE_RUNNING, 0);
    }
    const struct tp_wait_guess *found = tp_wait_estimates_make(&tree, causes, &arena);
    for (size_t i = 0; i < tree.changes.count; i++) {
        const struct tp_outside_change *change = TP_AT(&tree.changes, struct tp_outside_change, i);
        bool is_estimated = change->thread == 0 && change->state == TP_STATE_BLOCKED && !change->stack;
        assert_int_equal(found[i].cause.len > 0, is_estimated);
        assert_false(found[i].is_child);
        pipe_ns += is_estimated && tp_str_equal(found[i].cause, TP_STR("pipe")) ? 20 : 0;
        disk_ns += is_estimated && tp_str_equal(found[i].cause, TP_STR("disk")) ? 20 : 0;
    }
    /* the thread's sampled waits are 300 ns on pipes and 100 ns on disk, so the estimates are also 3 to 1 */
    assert_int_equal(pipe_ns, 600);
    assert_int_equal(disk_ns, 200);
    return 0;
}

static void add_process(uint32_t parent, int64_t begin_ns, int64_t end_ns)
{
    *(struct tp_outside_process *)tp_vec_push(&tree.processes) =
        (struct tp_outside_process){.parent = parent, .begin_ns = begin_ns, .end_ns = end_ns, .is_over = true};
}

/* Checks the estimated causes for one thread, which imports, starts children and trains. */
static int check_guesses(void *unused, struct tp_error *err)
{
    static const struct tp_str causes[] = {{0}, {"disk", 4}};
    static const struct {
        int64_t begin_ns, end_ns;
        uint32_t stack;
        const char *wanted;
        bool is_child;
    } waits[] = {
        {100 * MS, 110 * MS, 1, "", false},      /* this wait was sampled: a disk wait in the first second */
        {200 * MS, 210 * MS, 0, "disk", false},  /* this wait is in the same second as the disk wait, so its cause is
                                                  * the disk */
        {300 * MS, 330 * MS, 0, "", false},      /* this wait is too long to estimate without a sample */
        {900 * MS, 1004 * MS, 0, "child", true}, /* a child exited during this wait, at 1002 ms */
        {1100 * MS, 1101 * MS, 0, "", false},    /* no wait was sampled in this second */
        {1200 * MS, 1290 * MS, 0, "", false},    /* the child exited before this wait, so it is not the cause */
        {2300 * MS, 2310 * MS, 0, "", false},
        {2400 * MS, 2403 * MS, 0, "", false},     /* the exited process is a child of another process */
        {9000 * MS, 9001 * MS, 0, "child", true}, /* a child exited at the end of this wait */
    };
    (void)unused, (void)err;
    tp_outside_tree_init(&tree, &arena);
    *(struct tp_outside_thread *)tp_vec_push(&tree.threads) =
        (struct tp_outside_thread){.end_ns = 10000 * MS, .apart = -1};
    add_process(TP_NO_ID, 0, 10000 * MS);
    add_process(0, 910 * MS, 1002 * MS);
    add_process(0, 1105 * MS, 1199 * MS);
    add_process(1, 2401 * MS, 2402 * MS);
    add_process(0, 8000 * MS, 9001 * MS);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        add_change(0, waits[i].begin_ns, TP_STATE_BLOCKED, waits[i].stack);
        add_change(0, waits[i].end_ns, TP_STATE_RUNNING, 0);
    }
    const struct tp_wait_guess *found = tp_wait_estimates_make(&tree, causes, &arena);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        assert_true(tp_str_equal(found[2 * i].cause, tp_str_of(waits[i].wanted)));
        assert_int_equal(found[2 * i].is_child, waits[i].is_child);
        assert_int_equal(found[2 * i + 1].cause.len, 0);
    }
    return 0;
}

static void waits_without_samples_stay_unknown(void **state)
{
    (void)state;
    assert_int_equal(tp_arena_run(&arena, check_guesses, NULL, NULL), 0);
}

static void waits_without_stack_get_causes_of_their_thread(void **state)
{
    (void)state;
    assert_int_equal(tp_arena_run(&arena, check_estimates, NULL, NULL), 0);
}

static void wait_gets_the_cause_of_its_call(void **state)
{
    static const struct {
        int call;
        const char *rest, *file, *wanted;
    } rows[] = {{SYS_futex, " 0x7f00", "", "lock"},
                {SYS_read, " 0x0", "pipe:[12]", "pipe"},
                {SYS_read, " 0x3", "/tmp/x", "disk"},
                {SYS_write, " 0x1", "/dev/pts/3", "terminal"},
                {SYS_read, " 0x3", "socket:[9]", "socket"},
                {SYS_wait4, " 0xffff", "", "child"},
                {SYS_clock_nanosleep, " 0x0", "", "sleep"},
                {SYS_getpid, "", "", ""},
                {SYS_read, " 0x9", "", ""},
                {-1, " 0x7ffc 0x7f00", "", "page fault"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];
        snprintf(text, sizeof text, "%d%s", rows[i].call, rows[i].rest);
        assert_true(tp_str_equal(tp_proc_wait_text(tp_proc_wait_parse(text, rows[i].file)), tp_str_of(rows[i].wanted)));
    }
    assert_int_equal(tp_proc_wait_parse("running", ""), 0);
    assert_int_equal(tp_proc_wait_parse("", ""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_beyond_the_budget_is_left_out),
        cmocka_unit_test(one_time_cost_drops_no_samples),
        cmocka_unit_test(wait_stacks_are_read_again_after_import),
        cmocka_unit_test_setup_teardown(waits_without_samples_stay_unknown, begin, end),
        cmocka_unit_test(wait_gets_the_cause_of_its_call),
        cmocka_unit_test_setup_teardown(waits_without_stack_get_causes_of_their_thread, begin, end),
    };
    return cmocka_run_group_tests_name("own budget", tests, NULL, NULL);
}
