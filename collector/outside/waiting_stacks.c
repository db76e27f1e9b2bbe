/* Reads complete stacks of waiting threads: see waiting_stacks.h. */
#include "collector/outside/waiting_stacks.h"

#include <string.h>

/* LEAST_WAIT_NS: minimum length of a wait whose stack is read; shorter waits have only the call chain of their context
 * switch */
enum { LEAST_WAIT_NS = 1000000, WINDOW_NS = 100000000, WINDOW_READS = 40, PAGE_BYTES = 4096, MOST_BYTES = 32 << 10 };

void tp_waiting_stacks_handle_record(struct tp_waiting_stacks *still, const struct tp_perf_record *r, bool is_switch,
                                     uint64_t number)
{
    bool goes_on = r->type == PERF_RECORD_SWITCH && (!r->is_out || r->is_preempted);
    if (goes_on) {
        still->continued_threads[r->tid % TP_WAITING_THREADS].tid = r->tid;
        still->continued_threads[r->tid % TP_WAITING_THREADS].time_ns = (int64_t)r->time_ns;
    }
    if (is_switch && r->registers && still->count < TP_WAITING_WAITS)
        still->waits[still->count++] = (struct tp_waiting_wait){number, r->pid, r->tid, (int64_t)r->time_ns};
}

static bool has_continued(const struct tp_waiting_stacks *still, const struct tp_waiting_wait *wait)
{
    uint32_t place = wait->tid % TP_WAITING_THREADS;
    return still->continued_threads[place].tid == wait->tid && still->continued_threads[place].time_ns >= wait->time_ns;
}

static const struct tp_pending_record *find_record(const struct tp_pending *pending, uint64_t number)
{
    for (size_t i = pending->count; i-- > 0;)
        if (pending->records[i].number == number)
            return &pending->records[i];
    return NULL;
}

/* Reads a stack page by page from an address on, because the end of the mapped part is unknown. Returns the number of
 * bytes read. */
static size_t copy_stack_of_process(struct tp_other_memory *memory, uint64_t at, char *to, size_t bytes)
{
    struct tp_other_part parts[MOST_BYTES / PAGE_BYTES + 1];
    size_t count = 0, done = 0;
    while (done < bytes) {
        size_t room = PAGE_BYTES - (size_t)((at + done) % PAGE_BYTES);
        size_t size = room < bytes - done ? room : bytes - done;
        parts[count++] = (struct tp_other_part){at + done, to + done, size};
        done += size;
    }
    count = tp_other_memory_read_parts(memory, parts, count);
    return count ? (size_t)(parts[count - 1].at - at) + parts[count - 1].size : 0;
}

/* Adds a copy of the context switch's record, extended by a part of the stack, in the format of a sample
 * (perf_record.c). */
static struct tp_pending_record *add_record_with_stack(struct tp_pending *pending,
                                                       const struct perf_event_header *original, const char *stack,
                                                       uint64_t size, uint64_t used)
{
    _Alignas(8) char bytes[UINT16_MAX + 1];
    struct perf_event_header head = *original;
    struct tp_perf_record r;
    size_t all = original->size + sizeof size + (size_t)size + sizeof used;
    if (all > UINT16_MAX - 7)
        return NULL;
    head.size = (uint16_t)all;
    memcpy(bytes, original, original->size);
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + original->size, &size, sizeof size);
    memcpy(bytes + original->size + sizeof size, stack, (size_t)size);
    memcpy(bytes + all - sizeof used, &used, sizeof used);
    if (!tp_perf_record_read(&r, (const void *)bytes))
        return NULL;
    return tp_pending_add_record(pending, (const void *)bytes, (int64_t)r.time_ns);
}

static void read_wait_stack(struct tp_waiting_stacks *still, struct tp_pending *pending,
                            struct tp_python_stacks *python, const struct tp_waiting_wait *wait, size_t bytes)
{
    char stack[MOST_BYTES + 8] = {0};
    struct tp_other_memory memory = {.pid = wait->pid, .remaining_read_count = 1};
    const struct tp_pending_record *original = find_record(pending, wait->number);
    struct tp_perf_record r;
    if (!original || !tp_perf_record_read(&r, tp_pending_header_at(pending, original->at)) || !r.registers)
        return;
    size_t used = copy_stack_of_process(&memory, r.registers[TP_PERF_STACK_POINTER], stack, bytes) & ~(size_t)7;
    if (!used)
        return;
    /* restored below, because the two counts include only samples and no waits */
    uint64_t reads = python->read_count, failures = python->failed_count;
    uint32_t frames = tp_python_stacks_read(python, wait->pid, wait->tid, wait->time_ns);
    python->read_count = reads;
    python->failed_count = failures;
    struct tp_pending_record *copy = add_record_with_stack(pending, tp_pending_header_at(pending, original->at), stack,
                                                           used + (used < bytes ? 8 : 0), used);
    if (!copy)
        return;
    copy->python = frames;
    still->read_count++;
}

void tp_waiting_stacks_read(struct tp_waiting_stacks *still, struct tp_pending *pending,
                            struct tp_python_stacks *python, uint32_t bytes, int64_t (*now_ns)(void))
{
    int64_t begin_ns = now_ns();
    size_t kept = 0;
    bytes = bytes < MOST_BYTES ? bytes & ~7u : MOST_BYTES;
    if (begin_ns - still->window_ns > WINDOW_NS) {
        still->window_ns = begin_ns;
        still->stack_reads_in_window = 0;
    }
    for (size_t i = 0; i < still->count; i++) {
        const struct tp_waiting_wait wait = still->waits[i];
        if (has_continued(still, &wait))
            continue;
        if (begin_ns - wait.time_ns < LEAST_WAIT_NS) {
            still->waits[kept++] = wait;
        } else if (bytes && still->stack_reads_in_window < WINDOW_READS) {
            size_t before = pending->count;
            read_wait_stack(still, pending, python, &wait, bytes);
            if (pending->count > before)
                pending->records[before].wait_read_ns = now_ns();
            still->stack_reads_in_window++;
        }
    }
    still->count = kept;
}

void tp_waiting_stacks_skip_waits(struct tp_waiting_stacks *still)
{
    still->count = 0;
}
