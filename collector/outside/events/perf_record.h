/* Decodes one record from the kernel's ring of events, in the layout that perf_rings.c requests. */
#ifndef TP_COLLECTOR_OUTSIDE_EVENTS_PERF_RECORD_H
#define TP_COLLECTOR_OUTSIDE_EVENTS_PERF_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tp_perf_record {
    uint32_t type;    /* type of the record, PERF_RECORD_X */
    uint64_t time_ns; /* time of the record, ns of CLOCK_MONOTONIC */
    uint32_t pid, tid;
    uint32_t parent_pid, parent_tid; /* in a FORK record: ids of the thread that forked */
    bool is_exec;                    /* in a COMM record: true for a new program, false for a new name only */
    bool is_out, is_preempted;       /* in a SWITCH record: is_out is true if the thread stops running; is_preempted is
                                      * true if that thread is still ready to run */
    const char *text;                /* name in a COMM record, path in an MMAP2 record; NUL-terminated */
    uint64_t start, length, offset;  /* in an MMAP2 record: address, length and file offset of the mapping, bytes */
    uint64_t event_id;               /* in a SAMPLE record: id of the event that took the sample */
    const uint64_t *chain;           /* in a SAMPLE record: addresses of the call stack, innermost first, with
                                      * PERF_CONTEXT_X markers in between */
    size_t chain_entry_count;
    const uint64_t *registers; /* in a SAMPLE record: TP_PERF_REGISTERS registers of the program; NULL: none */
    const char *dump;          /* in a SAMPLE record: copy of the stack's memory, starting at the stack pointer; NULL:
                                * none */
    size_t dump_bytes;
    bool is_stack_longer_than_dump; /* true if the stack is longer than the copy */
    uint64_t lost_count;            /* in a LOST record: count of lost records */
};

/* Fields that all events of the recorder request. Samples begin with these fields, and other records end with them. */
enum { TP_PERF_SAMPLE_TYPE = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN };

/* Registers that the kernel copies into samples, as a mask of the kernel's register numbers (asm/perf_regs.h). The
 * record contains the registers in ascending order of their numbers. */
#if defined(__x86_64__)
#define TP_PERF_REGISTER_MASK 0xff01ffull
enum { TP_PERF_REGISTERS = 17, TP_PERF_STACK_POINTER = 7, TP_PERF_PLACE = 8 };
#elif defined(__aarch64__)
#define TP_PERF_REGISTER_MASK 0x1ffffffffull
enum { TP_PERF_REGISTERS = 33, TP_PERF_STACK_POINTER = 31, TP_PERF_PLACE = 32 };
#else
#define TP_PERF_REGISTER_MASK 0ull
enum { TP_PERF_REGISTERS = 1, TP_PERF_STACK_POINTER = 0, TP_PERF_PLACE = 0 };
#endif

/* Decodes a complete record. head: aligned to 8 bytes, borrowed while *record is used. Returns false if the record is
 * too short for its type. */
bool tp_perf_record_read(struct tp_perf_record *record, const struct perf_event_header *head);

#endif
