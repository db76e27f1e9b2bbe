/* Tests how stacks of waiting threads are read from this process. A thread that still waits after its switch gets a
 * stack record, a running thread does not. The number of stack records per 0.1 s is limited. */
#include "collector/outside/waiting_stacks.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/one_arena.h"

enum { WORDS = 1 + 4 + 1 + TP_PERF_REGISTERS, BYTES = 4096, WAITED_NS = 5000000 };

static struct tp_waiting_stacks still;
static struct tp_pending pending;
static struct tp_code_places places;
static struct tp_python_stacks python;
static uint64_t room[2 * BYTES / 8];
static int64_t time_ns;

static int64_t next_time_ns(void)
{
    return time_ns++;
}

/* Adds a switch of thread `tid` at `at_ns`, with the stack pointer `stack`. */
static void add_switch(uint32_t tid, uint64_t at_ns, const void *stack)
{
    uint64_t words[WORDS] = {0};
    const struct perf_event_header head = {.type = PERF_RECORD_SAMPLE, .size = sizeof words};
    const uint32_t ids[2] = {(uint32_t)getpid(), tid};
    struct tp_perf_record r;
    memcpy(words, &head, sizeof head);
    memcpy(words + 2, ids, sizeof ids);
    words[3] = at_ns;
    words[5] = PERF_SAMPLE_REGS_ABI_64; /* the registers follow an empty chain */
    words[6 + TP_PERF_STACK_POINTER] = (uint64_t)(uintptr_t)stack;
    assert_true(tp_perf_record_read(&r, (const void *)words) && r.registers && !r.dump);
    struct tp_pending_record *record = tp_pending_add_record(&pending, (const void *)words, (int64_t)at_ns);
    tp_waiting_stacks_handle_record(&still, &r, true, record->number);
}

static void add_switch_to_running(uint32_t tid, uint64_t at_ns)
{
    const struct tp_perf_record in = {.type = PERF_RECORD_SWITCH, .time_ns = at_ns, .tid = tid};
    tp_waiting_stacks_handle_record(&still, &in, false, 0);
}

static size_t read_waiting_stacks(int64_t now_ns)
{
    size_t before = pending.count;
    time_ns = now_ns;
    tp_waiting_stacks_read(&still, &pending, &python, BYTES, next_time_ns);
    return pending.count - before;
}

static int init_waiting_stacks(void *unused, struct tp_error *err)
{
    (void)unused, (void)err;
    tp_code_places_init(&places, &arena);
    tp_python_stacks_init(&python, &arena, &places);
    tp_pending_init(&pending);
    memset(&still, 0, sizeof still);
    return 0;
}

static void only_waiting_threads_are_read(void **state)
{
    struct tp_perf_record r;
    (void)state;
    assert_int_equal(tp_arena_run(&arena, init_waiting_stacks, NULL, NULL), 0);
    room[3] = 77;
    add_switch(11, 1000, room);
    add_switch(12, 1000, room);
    add_switch_to_running(12, 2000);
    add_switch(13, WAITED_NS - 500, room); /* the thread has waited only 500 ns, so the next poll reads its stack */
    add_switch_to_running(13, WAITED_NS - 600); /* this switch arrives after a newer one */
    assert_int_equal(read_waiting_stacks(WAITED_NS), 1);
    const struct tp_pending_record *copy = &pending.records[3];
    assert_true(copy->time_ns == 1000 && copy->wait_read_ns > WAITED_NS && copy->number == 3);
    assert_true(tp_perf_record_read(&r, tp_pending_header_at(&pending, copy->at)));
    assert_true(r.tid == 11 && r.dump_bytes == BYTES && r.is_stack_longer_than_dump &&
                ((const uint64_t *)(const void *)r.dump)[3] == 77);
    assert_int_equal(read_waiting_stacks(2 * WAITED_NS), 1);
    assert_int_equal(read_waiting_stacks(3 * WAITED_NS), 0);
    assert_int_equal(still.read_count, 2);
    tp_pending_release(&pending);
}

static void stack_is_read_up_to_the_end_of_memory(void **state)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct tp_perf_record r;
    char *pages = NULL;
    (void)state;
    assert_int_equal(tp_arena_run(&arena, init_waiting_stacks, NULL, NULL), 0);
    pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED && munmap(pages + page, page) == 0);
    add_switch(11, 1000, pages + page - 64);
    add_switch(12, 1000, (const void *)8);
    assert_int_equal(read_waiting_stacks(WAITED_NS), 1);
    assert_true(tp_perf_record_read(&r, tp_pending_header_at(&pending, pending.records[2].at)));
    assert_true(r.tid == 11 && r.dump_bytes == 64 && !r.is_stack_longer_than_dump);
    munmap(pages, page);
    tp_pending_release(&pending);
}

static void reads_per_tenth_of_a_second_are_limited(void **state)
{
    size_t count;
    (void)state;
    assert_int_equal(tp_arena_run(&arena, init_waiting_stacks, NULL, NULL), 0);
    for (uint32_t i = 0; i < TP_WAITING_WAITS + 10; i++)
        add_switch(i, 1000, room);
    count = read_waiting_stacks(200000000);
    assert_true(count > 10 && count < 100);
    add_switch(11, 210000000, room);
    assert_int_equal(read_waiting_stacks(220000000), 0);
    add_switch(11, 400000000, room);
    assert_int_equal(read_waiting_stacks(420000000), 1);
    add_switch(11, 430000000, room);
    tp_waiting_stacks_skip_waits(&still);
    assert_int_equal(read_waiting_stacks(440000000), 0);
    tp_pending_release(&pending);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_waiting_threads_are_read, begin, end),
        cmocka_unit_test_setup_teardown(stack_is_read_up_to_the_end_of_memory, begin, end),
        cmocka_unit_test_setup_teardown(reads_per_tenth_of_a_second_are_limited, begin, end)};
    return TP_PERF_REGISTER_MASK ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
