/* Tests which processes run Python. The perf ring buffers can deliver events in any order, which must not change the
 * result. */
#include "collector/outside/python/python_processes.h"
#include "tests/unit/one_arena.h"

enum { PARENT = 7, CHILD = 8, MOST = 6 };

enum kind { MAP, FORK, END };

struct process_event {
    enum kind kind;
    uint32_t pid;
    int64_t time_ns;
    uint64_t address;
};

static void apply_event(struct tp_python_processes *processes, const struct process_event *process_event)
{
    if (process_event->kind == MAP)
        tp_python_processes_add_mapping(processes, process_event->pid,
                                        (struct tp_python_mapping){process_event->time_ns, process_event->address, 11});
    else if (process_event->kind == FORK)
        tp_python_processes_add_fork(processes, process_event->pid, PARENT, process_event->time_ns);
    else
        tp_python_processes_end_process(processes, process_event->pid, process_event->time_ns);
}

static uint64_t runtime_address(struct tp_python_processes *processes, uint32_t pid)
{
    const struct tp_python_process *process = tp_python_processes_find(processes, pid);
    return process ? process->now.address : 0;
}

struct wanted {
    uint64_t parent, child;
    uint32_t living_count;
};

struct delivery {
    struct tp_python_processes processes;
    const struct process_event *events;
    const int *order;
    int count;
};

static int apply_events_in_order(void *context, struct tp_error *err)
{
    struct delivery *t = context;
    (void)err;
    tp_python_processes_init(&t->processes, &arena);
    for (int i = 0; i < t->count; i++)
        apply_event(&t->processes, &t->events[t->order[i]]);
    return 0;
}

static int check_result_of_order(const struct process_event *events, int count, const int *order,
                                 const struct wanted *wanted)
{
    struct delivery t = {.events = events, .order = order, .count = count};
    tp_arena_clear(&arena);
    assert_int_equal(tp_arena_run(&arena, apply_events_in_order, &t, NULL), 0);
    assert_int_equal(runtime_address(&t.processes, PARENT), wanted->parent);
    assert_int_equal(runtime_address(&t.processes, CHILD), wanted->child);
    assert_int_equal(t.processes.living_count, wanted->living_count);
    return 1;
}

/* Delivers the remaining events in every possible order, and checks the result of each order. Returns the number of
 * tested orders. */
static int check_all_orders(const struct process_event *events, int count, int *order, int chosen,
                            const struct wanted *wanted)
{
    int orders = 0;
    if (chosen == count)
        return check_result_of_order(events, count, order, wanted);
    for (int i = 0; i < count; i++) {
        bool is_taken = false;
        for (int k = 0; k < chosen; k++)
            is_taken |= order[k] == i;
        order[chosen] = i;
        orders += is_taken ? 0 : check_all_orders(events, count, order, chosen + 1, wanted);
    }
    return orders;
}

static void check_orders(const struct process_event *events, int count, struct wanted wanted, int orders)
{
    int order[MOST];
    assert_int_equal(check_all_orders(events, count, order, 0, &wanted), orders);
}

/* Tests that a forked child runs the same program as its parent until it calls exec. */
static void forked_child_runs_the_same_python(void **state)
{
    const struct process_event events[] = {{MAP, PARENT, 10, 1}, {FORK, CHILD, 20, 0}, {MAP, PARENT, 30, 5}};
    (void)state;
    check_orders(events, 3, (struct wanted){1, 1, 2}, 6);
}

static void exec_of_other_program_ends_python(void **state)
{
    const struct process_event events[] = {{MAP, PARENT, 10, 1}, {FORK, CHILD, 20, 0}, {END, CHILD, 30, 0}};
    (void)state;
    check_orders(events, 3, (struct wanted){1, 0, 1}, 6);
}

/* Tests a child of `subprocess` that immediately runs another Python. A library of that program contains a second
 * interpreter. */
static void child_may_run_another_python(void **state)
{
    const struct process_event events[] = {
        {MAP, PARENT, 10, 1}, {FORK, CHILD, 20, 0}, {END, CHILD, 30, 0}, {MAP, CHILD, 40, 2}, {MAP, CHILD, 45, 3}};
    (void)state;
    check_orders(events, 5, (struct wanted){1, 2, 2}, 120);
}

/* Tests a process that is no child of Python, but gets the id of an exited Python process. */
static void reused_pid_runs_no_python(void **state)
{
    const struct process_event events[] = {{MAP, CHILD, 5, 9},   {END, CHILD, 8, 0},  {MAP, PARENT, 10, 1},
                                           {FORK, CHILD, 20, 0}, {END, CHILD, 30, 0}, {END, PARENT, 40, 0}};
    (void)state;
    check_orders(events, 6, (struct wanted){0, 0, 0}, 720);
}

/* Tests that a mapping is used even if its record arrives before the fork record of the program's parent. */
static void mapping_before_the_parents_fork_is_used(void **state)
{
    const struct process_event events[] = {{FORK, CHILD, 20, 0}, {END, PARENT, 25, 0}, {MAP, PARENT, 30, 1}};
    (void)state;
    check_orders(events, 3, (struct wanted){1, 0, 1}, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(forked_child_runs_the_same_python, begin, end),
        cmocka_unit_test_setup_teardown(exec_of_other_program_ends_python, begin, end),
        cmocka_unit_test_setup_teardown(child_may_run_another_python, begin, end),
        cmocka_unit_test_setup_teardown(reused_pid_runs_no_python, begin, end),
        cmocka_unit_test_setup_teardown(mapping_before_the_parents_fork_is_used, begin, end),
    };
    return cmocka_run_group_tests_name("python processes", tests, NULL, NULL);
}
