/* Decodes records of kernel events: see perf_record.h. perf_event_open(2) describes their layout in "MMAP layout". */
#include "collector/outside/events/perf_record.h"

#include <string.h>

/* Fields at the end of each record (sample_id_all): pid and tid, time, identifier. */
enum { TRAILER_BYTES = 24 };

static const char *record_body(const struct perf_event_header *head)
{
    return (const char *)(head + 1);
}

/* Reads the registers and the copied stack of a sample, which come after its call chain. */
static bool read_dump(struct tp_perf_record *record, const char *at, size_t room)
{
    uint64_t abi, size, used;
    if (room < sizeof abi)
        return room == 0;
    memcpy(&abi, at, sizeof abi);
    size_t registers = sizeof abi + (abi ? TP_PERF_REGISTERS * sizeof(uint64_t) : 0);
    if (room == registers && abi == PERF_SAMPLE_REGS_ABI_64) /* a record of a context switch ends after the registers,
                                                              * without a stack */
        record->registers = (const uint64_t *)(const void *)(at + sizeof abi);
    if (room == registers)
        return true;
    if (room < registers + sizeof size)
        return false;
    memcpy(&size, at + registers, sizeof size);
    room -= registers + sizeof size;
    if (!size)
        return true;
    if (size > room || room - size < sizeof used)
        return false;
    memcpy(&used, at + registers + sizeof size + size, sizeof used);
    if (abi != PERF_SAMPLE_REGS_ABI_64 || used > size)
        return used <= size;
    record->registers = (const uint64_t *)(const void *)(at + sizeof abi);
    record->dump = at + registers + sizeof size;
    record->dump_bytes = (size_t)used;
    record->is_stack_longer_than_dump = used == size;
    return true;
}

static bool read_sample(struct tp_perf_record *record, const struct perf_event_header *head)
{
    struct {
        uint64_t id;
        uint32_t pid, tid;
        uint64_t time_ns, count;
    } body;
    if (head->size < sizeof *head + sizeof body)
        return false;
    memcpy(&body, record_body(head), sizeof body);
    record->event_id = body.id;
    record->pid = body.pid;
    record->tid = body.tid;
    record->time_ns = body.time_ns;
    record->chain = (const uint64_t *)(const void *)(record_body(head) + sizeof body);
    record->chain_entry_count = (size_t)body.count;
    size_t room = head->size - sizeof *head - sizeof body;
    if (body.count > room / sizeof(uint64_t))
        return false;
    size_t chain = (size_t)body.count * sizeof(uint64_t);
    return read_dump(record, record_body(head) + sizeof body + chain, room - chain);
}

static bool read_task(struct tp_perf_record *record, const struct perf_event_header *head, size_t room)
{
    struct {
        uint32_t pid, parent_pid, tid, parent_tid;
    } body;
    if (room < sizeof body)
        return false;
    memcpy(&body, record_body(head), sizeof body);
    record->pid = body.pid;
    record->tid = body.tid;
    record->parent_pid = body.parent_pid;
    record->parent_tid = body.parent_tid;
    return true;
}

static bool read_ids(struct tp_perf_record *record, const struct perf_event_header *head)
{
    uint32_t ids[2];
    memcpy(ids, record_body(head), sizeof ids);
    record->pid = ids[0];
    record->tid = ids[1];
    return true;
}

/* Sets record->text to the text at offset `at`. Returns false if the text is not complete inside the record. */
static bool read_text(struct tp_perf_record *record, const struct perf_event_header *head, size_t room, size_t at)
{
    record->text = record_body(head) + at;
    return room > at && memchr(record->text, '\0', room - at) != NULL;
}

static bool read_mapping(struct tp_perf_record *record, const struct perf_event_header *head, size_t room)
{
    struct {
        uint64_t ids, start, length, offset;
        char file[24]; /* device and inode of the file */
        uint32_t protection, flags;
    } body;
    if (!read_text(record, head, room, sizeof body))
        return false;
    memcpy(&body, record_body(head), sizeof body);
    record->start = body.start;
    record->length = body.length;
    record->offset = body.offset;
    return read_ids(record, head);
}

bool tp_perf_record_read(struct tp_perf_record *record, const struct perf_event_header *head)
{
    bool is_wide_switch = head->type == PERF_RECORD_SWITCH_CPU_WIDE; /* a record of this type also has the ids of the
                                                                      * other thread of the context switch */
    *record = (struct tp_perf_record){.type = is_wide_switch ? PERF_RECORD_SWITCH : head->type};
    if (head->type == PERF_RECORD_SAMPLE)
        return read_sample(record, head);
    if (head->size < sizeof *head + TRAILER_BYTES)
        return false;
    size_t room = head->size - sizeof *head - TRAILER_BYTES;
    uint64_t words[2] = {0};
    memcpy(&record->time_ns, record_body(head) + room + sizeof(uint64_t), sizeof record->time_ns);
    switch (record->type) {
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        return read_task(record, head, room);
    case PERF_RECORD_COMM:
        record->is_exec = (head->misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
        return read_text(record, head, room, sizeof(uint64_t)) && read_ids(record, head);
    case PERF_RECORD_MMAP2:
        return read_mapping(record, head, room);
    case PERF_RECORD_LOST:
        if (room >= sizeof words)
            memcpy(words, record_body(head), sizeof words);
        record->lost_count = words[1];
        return true;
    case PERF_RECORD_SWITCH:
        record->is_out = (head->misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
        record->is_preempted = (head->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
        memcpy(words, record_body(head) + room, sizeof(uint64_t));
        record->pid = (uint32_t)words[0];
        record->tid = (uint32_t)(words[0] >> 32);
        return true;
    default:
        return true;
    }
}
