/* Tests how records of kernel events become processes, states that add up, stacks that processes share, and causes of
 * waits. */
#include "collector/outside/tree/outside_tree.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/outside/code/kernel_functions.h"
#include "collector/outside/tree/pending.h"
#include "collector/outside/waits/wait_causes.h"
#include "tests/unit/one_arena.h"

#define KERNEL 0xffffffff81000000ull

static struct tp_outside_tree tree;

static uint32_t add_record(struct tp_perf_record record)
{
    return tp_outside_tree_handle_record(&tree, &record, false, NULL);
}

static void add_exec_record(uint32_t pid, uint64_t time_ns, const char *name)
{
    add_record((struct tp_perf_record){
        .type = PERF_RECORD_COMM, .time_ns = time_ns, .pid = pid, .tid = pid, .is_exec = true, .text = name});
}

static void add_fork_record(uint32_t parent, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
    add_record((struct tp_perf_record){.type = PERF_RECORD_FORK,
                                       .time_ns = time_ns,
                                       .pid = pid,
                                       .tid = tid,
                                       .parent_pid = parent,
                                       .parent_tid = parent});
}

static uint32_t add_exit_record(uint32_t pid, uint32_t tid, uint64_t time_ns)
{
    return add_record((struct tp_perf_record){.type = PERF_RECORD_EXIT, .time_ns = time_ns, .pid = pid, .tid = tid});
}

static void add_switch_record(uint32_t tid, uint64_t time_ns, bool is_out, bool is_preempted)
{
    add_record((struct tp_perf_record){.type = PERF_RECORD_SWITCH,
                                       .time_ns = time_ns,
                                       .pid = tid,
                                       .tid = tid,
                                       .is_out = is_out,
                                       .is_preempted = is_preempted});
}

static void add_sample_record(uint32_t tid, uint64_t time_ns, bool is_switch, const uint64_t *chain, size_t count)
{
    const struct tp_perf_record record = {.type = PERF_RECORD_SAMPLE,
                                          .time_ns = time_ns,
                                          .pid = tid,
                                          .tid = tid,
                                          .chain = chain,
                                          .chain_entry_count = count};
    tp_outside_tree_handle_record(&tree, &record, is_switch, NULL);
}

static void add_mapping_record(uint32_t pid, uint64_t start, const char *path)
{
    add_record((struct tp_perf_record){.type = PERF_RECORD_MMAP2,
                                       .time_ns = 1,
                                       .pid = pid,
                                       .tid = pid,
                                       .start = start,
                                       .length = 0x1000,
                                       .text = path});
}

static int check_states(void *unused, struct tp_error *err)
{
    (void)unused, (void)err;
    tp_outside_tree_init(&tree, &arena);
    add_exec_record(7, 100, "first");
    add_switch_record(7, 150, true, true);   /* thread 7 has run for 50 ns */
    add_switch_record(7, 170, false, false); /* thread 7 was ready for 20 ns */
    add_fork_record(7, 7, 8, 180);
    add_switch_record(8, 185, false, false); /* thread 8 was ready for 5 ns */
    add_switch_record(7, 300, true, false);  /* thread 7 ran for 130 ns */
    add_switch_record(7, 290, false,
                      false); /* this record is earlier than the previous one, so the blocked time is 0 ns */
    add_switch_record(9, 400, true, false); /* thread 9 is unknown */
    assert_int_equal(add_exit_record(7, 7, 410), TP_NO_ID);
    assert_int_equal(add_exit_record(7, 8, 500), 0);
    assert_int_equal(add_exit_record(7, 8, 600), TP_NO_ID);
    add_fork_record(7, 10, 10, 700);
    tp_outside_tree_end(&tree, 1000);
    return 0;
}

static void states_add_up_to_the_time_of_their_thread(void **state)
{
    static const int64_t wanted[][TP_STATE_COUNT] = {{290, 20, 0}, {315, 5, 0}, {0, 300, 0}};
    (void)state;
    assert_int_equal(tp_arena_run(&arena, check_states, NULL, NULL), 0);
    assert_int_equal(tree.threads.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct tp_outside_thread *thread = tp_outside_thread_at(&tree, i);
        int64_t sum = 0;
        for (int s = 0; s < TP_STATE_COUNT; s++) {
            assert_int_equal(thread->total_ns[s], wanted[i][s]);
            sum += thread->total_ns[s];
        }
        assert_int_equal(sum, thread->end_ns - thread->begin_ns);
    }
    const struct tp_outside_process *first = tp_outside_process_at(&tree, 0), *child = tp_outside_process_at(&tree, 1);
    assert_true(first->is_over && first->begin_ns == 100 && first->end_ns == 500 && first->running_ns == 605);
    assert_true(!child->is_over && child->parent == 0 && child->end_ns == 1000);
}

static int check_programs(void *unused, struct tp_error *err)
{
    static const uint64_t chain[] = {PERF_CONTEXT_USER, 0x400010, 0x400020, 0x999, KERNEL};
    static const uint64_t moved[] = {PERF_CONTEXT_USER, 0x700010, 0x700020};
    (void)unused, (void)err;
    tp_outside_tree_init(&tree, &arena);
    add_exec_record(7, 100, "first");
    add_mapping_record(7, 0x400000, "/no/such/file");
    add_fork_record(7, 8, 8, 110);
    add_sample_record(8, 120, false, chain, 5); /* process 8 inherited the mapping, so the frame has a file */
    add_sample_record(7, 120, false, chain, 5);
    add_fork_record(7, 7, 9, 130);
    add_exec_record(8, 140, "second");
    add_sample_record(8, 150, false, chain, 3); /* exec removed all mappings, so the frame has no file */
    add_mapping_record(8, 0x700000, "/no/such/file");
    add_sample_record(8, 160, false, moved, 3);
    add_sample_record(7, 170, false, chain, 3);
    add_exec_record(7, 200, "third"); /* exec ends the other thread, 9, of process 7 */
    return 0;
}

static void processes_share_the_frames_of_a_file(void **state)
{
    (void)state;
    assert_int_equal(tp_arena_run(&arena, check_programs, NULL, NULL), 0);
    const struct tp_outside_sample *samples = tree.samples.data;
    assert_int_equal(tree.samples.count, 5);
    assert_int_equal(samples[0].stack, samples[1].stack);
    assert_int_equal(samples[3].stack, samples[4].stack);
    /* this frame has a caller, so the stack differs from the stack without one */
    assert_int_not_equal(samples[3].stack, samples[0].stack);
    const struct tp_code_node *leaf = tp_code_node_at(&tree.places, samples[0].stack);
    assert_int_equal(tp_code_frame_at(&tree.places, samples[0].stack)->address, 0x10);
    /* the outer frame has the address of the call, one byte before the return address */
    assert_int_equal(tp_code_frame_at(&tree.places, leaf->outer)->address, 0x1f);
    uint32_t outermost = tp_code_node_at(&tree.places, leaf->outer)->outer;
    assert_int_equal(tp_code_frame_at(&tree.places, outermost)->file, TP_CODE_UNKNOWN);
    assert_int_equal(tp_code_node_at(&tree.places, outermost)->outer, 0); /* all unknown callers share one node */
    assert_int_equal(tp_code_frame_at(&tree.places, samples[2].stack)->file, TP_CODE_UNKNOWN);
    const struct tp_outside_process *first = tp_outside_process_at(&tree, 0), *child = tp_outside_process_at(&tree, 1);
    assert_int_equal(first->exec_count, 2);
    assert_int_equal(child->exec_count, 1);
    assert_string_equal(first->programs[1].name, "third");
    assert_string_equal(child->programs[0].name, "second");
    assert_string_equal(first->programs[0].path.ptr, "/no/such/file");
    assert_int_equal(first->living_count, 1);
    assert_int_equal(tp_outside_thread_at(&tree, 2)->end_ns, 200);
}

static int check_waits(void *unused, struct tp_error *err)
{
    static const uint64_t disk[] = {PERF_CONTEXT_KERNEL, KERNEL, KERNEL + 17, PERF_CONTEXT_USER, 0x10};
    static const uint64_t lock[] = {PERF_CONTEXT_KERNEL, KERNEL, KERNEL + 33};
    (void)unused, (void)err;
    tp_outside_tree_init(&tree, &arena);
    add_exec_record(7, 100, "first");
    add_sample_record(7, 110, true, disk, 5); /* this stack arrives before the switch record of the same time */
    add_switch_record(7, 110, true, false);
    add_switch_record(7, 120, false, false);
    add_switch_record(7, 130, true, false);
    add_sample_record(7, 130, true, lock, 3); /* this stack arrives after the switch record of the same time */
    add_switch_record(7, 140, false, false);
    add_sample_record(7, 150, true, lock, 3);
    add_switch_record(7, 150, true, true); /* the thread is preempted, so the stack shows no wait */
    struct tp_str names[8] = {{0}};
    for (uint32_t i = 0; i < tree.places.frames.count; i++) {
        uint64_t address = TP_AT(&tree.places.frames, struct tp_code_frame, i)->address;
        names[i] = address == KERNEL        ? TP_STR("schedule")
                   : address == KERNEL + 16 ? TP_STR("io_schedule_timeout")
                   : address == KERNEL + 32 ? TP_STR("futex_wait_queue")
                                            : TP_STR("");
    }
    const struct tp_str *causes = tp_wait_causes_of_stacks(&tree.places, names, &arena);
    const struct tp_outside_change *changes = tree.changes.data;
    assert_int_equal(tree.changes.count, 6);
    assert_string_equal(causes[changes[1].stack].ptr, "disk");
    assert_string_equal(causes[changes[3].stack].ptr, "lock");
    assert_int_equal(changes[5].stack, 0);
    assert_null(causes[0].ptr);
    return 0;
}

static void wait_has_the_cause_of_its_stack(void **state)
{
    (void)state;
    assert_int_equal(tp_arena_run(&arena, check_waits, NULL, NULL), 0);
}

static int check_module_names(void *unused, struct tp_error *err)
{
    static const uint64_t chain[] = {PERF_CONTEXT_KERNEL, KERNEL + 0x110, KERNEL + 0x210, KERNEL + 0x320,
                                     PERF_CONTEXT_USER};
    static const char text[] =
        "ffffffff81000100 T vfs_read\nffffffff81000200 t ext4_read\t[ext4]\nffffffff81000300 d data\t[ext4]\n"
        "ffffffff81000310 t prog\t[bpf]";
    char path[] = "/tmp/kallsyms.XXXXXX";
    int fd = mkstemp(path);
    (void)unused, (void)err;
    assert_true(fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
    tp_outside_tree_init(&tree, &arena);
    add_exec_record(7, 100, "first");
    add_sample_record(7, 120, false, chain, 5);
    const struct tp_str *names = tp_kernel_functions_from_file(&tree.places, path, &arena);
    close(fd);
    unlink(path);
    /* expected frames, outermost first */
    static const char *const wanted[] = {"prog [bpf]", "ext4_read [ext4]", "vfs_read"};
    assert_int_equal(tree.places.frames.count, 3);
    for (int i = 0; i < 3; i++)
        assert_true(tp_str_equal(names[i], tp_str_of(wanted[i])));
    return 0;
}

static void functions_of_modules_have_their_module(void **state)
{
    (void)state;
    assert_int_equal(tp_arena_run(&arena, check_module_names, NULL, NULL), 0);
}

static void records_are_handled_in_time_order(void **state)
{
    static const int64_t times[] = {30, 10, 20, 10, 40};
    struct tp_pending pending;
    (void)state;
    tp_pending_init(&pending);
    for (uint32_t i = 0; i < 5; i++) {
        const struct {
            struct perf_event_header head;
            uint64_t number;
        } record = {{.type = PERF_RECORD_SWITCH, .size = sizeof record}, i};
        assert_non_null(tp_pending_add_record(&pending, &record.head, times[i]));
    }
    static const uint64_t wanted[] = {1, 3, 2, 0, 4};
    tp_pending_sort_records(&pending);
    for (size_t done = 0; done < 5; done++) {
        uint64_t number;
        memcpy(&number, tp_pending_header_at(&pending, pending.records[0].at) + 1, sizeof number);
        assert_int_equal(number, wanted[done]);
        tp_pending_remove_first_records(&pending, 1);
    }
    assert_int_equal(pending.count, 0);
    tp_pending_release(&pending);
}

static void truncated_records_are_refused(void **state)
{
    uint64_t words[16] = {0};
    struct perf_event_header *head = (struct perf_event_header *)words;
    struct tp_perf_record record;
    (void)state;
    *head = (struct perf_event_header){.type = PERF_RECORD_SAMPLE, .size = 48};
    words[4] = 1; /* number of addresses in the chain */
    assert_true(tp_perf_record_read(&record, head) && record.chain_entry_count == 1);
    words[4] = 2;
    assert_false(tp_perf_record_read(&record, head));
    *head = (struct perf_event_header){.type = PERF_RECORD_FORK, .size = 8 + 16 + 24};
    assert_true(tp_perf_record_read(&record, head));
    head->size -= 8;
    assert_false(tp_perf_record_read(&record, head));
    memset(words + 1, 'x', sizeof words - 8); /* a name without a final NUL */
    *head = (struct perf_event_header){.type = PERF_RECORD_COMM, .size = 8 + 16 + 24};
    assert_false(tp_perf_record_read(&record, head));
}

static void part_of_a_stack_is_read_only_if_complete(void **state)
{
    /* BEFORE: number of words before the registers, which are the header, four fields and the call chain */
    enum { BEFORE = 1 + 4 + 1, SIZE = 16 };
    uint64_t words[BEFORE + 1 + TP_PERF_REGISTERS + 1 + SIZE / 8 + 1] = {0};
    struct perf_event_header *head = (struct perf_event_header *)words;
    uint64_t *dump = words + BEFORE, *last = words + sizeof words / sizeof *words - 1;
    struct tp_perf_record record;
    (void)state;
    *head = (struct perf_event_header){.type = PERF_RECORD_SAMPLE, .size = sizeof words};
    words[4] = 1;
    dump[0] = PERF_SAMPLE_REGS_ABI_64;
    dump[1] = 77;
    dump[1 + TP_PERF_REGISTERS] = SIZE;
    *last = SIZE - 8;
    assert_true(tp_perf_record_read(&record, head) && record.dump_bytes == SIZE - 8 &&
                !record.is_stack_longer_than_dump);
    assert_true(record.registers[0] == 77 && record.dump == (const char *)(last - SIZE / 8));
    *last = SIZE;
    assert_true(tp_perf_record_read(&record, head) && record.is_stack_longer_than_dump);
    *last = SIZE + 1;
    assert_false(tp_perf_record_read(&record, head));
    *last = 0;
    dump[1 + TP_PERF_REGISTERS] = UINT64_MAX;
    assert_false(tp_perf_record_read(&record, head));
    dump[0] = PERF_SAMPLE_REGS_ABI_32; /* the stack of a 32-bit program is not unwound */
    dump[1 + TP_PERF_REGISTERS] = SIZE;
    assert_true(tp_perf_record_read(&record, head) && !record.registers);
    head->size = (BEFORE + 1) * 8;
    assert_false(tp_perf_record_read(&record, head));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(states_add_up_to_the_time_of_their_thread, begin, end),
        cmocka_unit_test_setup_teardown(processes_share_the_frames_of_a_file, begin, end),
        cmocka_unit_test_setup_teardown(wait_has_the_cause_of_its_stack, begin, end),
        cmocka_unit_test_setup_teardown(functions_of_modules_have_their_module, begin, end),
        cmocka_unit_test(records_are_handled_in_time_order),
        cmocka_unit_test(truncated_records_are_refused),
        cmocka_unit_test(part_of_a_stack_is_read_only_if_complete),
    };
    return cmocka_run_group_tests_name("outside tree", tests, NULL, NULL);
}
