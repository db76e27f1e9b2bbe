/* Tests which processes run Python. The rings may deliver the events in any order, with the same result. */
#include "collector/outside/python/python_processes.h"
#include "tests/unit/one_arena.h"

enum { PARENT = 7, CHILD = 8, MOST = 6 };

enum kind { MAP, FORK, END };

struct told {
    enum kind kind;
    uint32_t pid;
    int64_t time_ns;
    uint64_t address;
};

static void tell(struct tp_python_processes *processes, const struct told *told)
{
    if (told->kind == MAP)
        tp_python_processes_map(processes, told->pid, (struct tp_python_mapping){told->time_ns, told->address, 11});
    else if (told->kind == FORK)
        tp_python_processes_fork(processes, told->pid, PARENT, told->time_ns);
    else
        tp_python_processes_end(processes, told->pid, told->time_ns);
}

static uint64_t address_of(struct tp_python_processes *processes, uint32_t pid)
{
    const struct tp_python_process *process = tp_python_processes_find(processes, pid);
    return process ? process->now.address : 0;
}

struct wanted {
    uint64_t parent, child;
    uint32_t living_count;
};

struct telling {
    struct tp_python_processes processes;
    const struct told *events;
    const int *order;
    int count;
};

static int tell_all(void *context, struct tp_error *err)
{
    struct telling *t = context;
    (void)err;
    tp_python_processes_init(&t->processes, &arena);
    for (int i = 0; i < t->count; i++)
        tell(&t->processes, &t->events[t->order[i]]);
    return 0;
}

static int check_order(const struct told *events, int count, const int *order, const struct wanted *wanted)
{
    struct telling t = {.events = events, .order = order, .count = count};
    tp_arena_clear(&arena);
    assert_int_equal(tp_arena_run(&arena, tell_all, &t, NULL), 0);
    assert_int_equal(address_of(&t.processes, PARENT), wanted->parent);
    assert_int_equal(address_of(&t.processes, CHILD), wanted->child);
    assert_int_equal(t.processes.living_count, wanted->living_count);
    return 1;
}

/* Delivers the remaining events in every possible order, and checks the result of each order. Returns the number of
 * orders. */
static int permute(const struct told *events, int count, int *order, int chosen, const struct wanted *wanted)
{
    int orders = 0;
    if (chosen == count)
        return check_order(events, count, order, wanted);
    for (int i = 0; i < count; i++) {
        bool is_taken = false;
        for (int k = 0; k < chosen; k++)
            is_taken |= order[k] == i;
        order[chosen] = i;
        orders += is_taken ? 0 : permute(events, count, order, chosen + 1, wanted);
    }
    return orders;
}

static void check_orders(const struct told *events, int count, struct wanted wanted, int orders)
{
    int order[MOST];
    assert_int_equal(permute(events, count, order, 0, &wanted), orders);
}

/* A forked child runs the same program as its parent until it calls exec. */
static void test_forked(void **state)
{
    const struct told events[] = {{MAP, PARENT, 10, 1}, {FORK, CHILD, 20, 0}, {MAP, PARENT, 30, 5}};
    (void)state;
    check_orders(events, 3, (struct wanted){1, 1, 2}, 6);
}

static void test_another_program(void **state)
{
    const struct told events[] = {{MAP, PARENT, 10, 1}, {FORK, CHILD, 20, 0}, {END, CHILD, 30, 0}};
    (void)state;
    check_orders(events, 3, (struct wanted){1, 0, 1}, 6);
}

/* A child of `subprocess` immediately runs another Python. A library of that program contains a second interpreter. */
static void test_another_python(void **state)
{
    const struct told events[] = {{MAP, PARENT, 10, 1}, {FORK, CHILD, 20, 0}, {END, CHILD, 30, 0},
                                  {MAP, CHILD, 40, 2},  {MAP, CHILD, 45, 3}};
    (void)state;
    check_orders(events, 5, (struct wanted){1, 2, 2}, 120);
}

/* The number of an exited process is reused by a process that is no child of Python. */
static void test_number_again(void **state)
{
    const struct told events[] = {{MAP, CHILD, 5, 9}, {END, CHILD, 8, 0}, {MAP, PARENT, 10, 1}, {FORK, CHILD, 20, 0},
                                  {END, CHILD, 30, 0}, {END, PARENT, 40, 0}};
    (void)state;
    check_orders(events, 6, (struct wanted){0, 0, 0}, 720);
}

/* Mappings of a program may be reported before the fork of its parent. They still belong to the program. */
static void test_parent_begins_later(void **state)
{
    const struct told events[] = {{FORK, CHILD, 20, 0}, {END, PARENT, 25, 0}, {MAP, PARENT, 30, 1}};
    (void)state;
    check_orders(events, 3, (struct wanted){1, 0, 1}, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_forked, begin, end),
        cmocka_unit_test_setup_teardown(test_another_program, begin, end),
        cmocka_unit_test_setup_teardown(test_another_python, begin, end),
        cmocka_unit_test_setup_teardown(test_number_again, begin, end),
        cmocka_unit_test_setup_teardown(test_parent_begins_later, begin, end),
    };
    return cmocka_run_group_tests_name("python processes", tests, NULL, NULL);
}
