/* Reads complete stacks of waiting threads. When a thread is switched out, the kernel records its registers but not its
 * stack. If the thread still waits when the rings are read, its stack is unchanged. This module then reads the stack
 * from the stack pointer on, and the thread's Python frames. Each read adds a copy of the context switch's record with
 * a part of the stack. The tree discards the copy if the thread continued before the end of the read.
 *
 * Reading needs nothing from the program. Only one thread may use this module, which allocates no memory. */
#ifndef TP_COLLECTOR_OUTSIDE_WAITING_STACKS_H
#define TP_COLLECTOR_OUTSIDE_WAITING_STACKS_H

#include "collector/outside/processes/other_memory.h"
#include "collector/outside/python/python_stacks.h"
#include "collector/outside/tree/pending.h"

enum { TP_WAITING_WAITS = 512, TP_WAITING_THREADS = 1024 };

/* A recorded context switch with registers. */
struct tp_waiting_wait {
    uint64_t number; /* number of the context switch's record (struct tp_pending_record) */
    uint32_t pid, tid;
    int64_t time_ns;
};

struct tp_waiting_stacks {
    struct tp_waiting_wait waits[TP_WAITING_WAITS]; /* oldest first */
    size_t count;
    struct {
        uint32_t tid;
        int64_t time_ns;
    } continued_threads[TP_WAITING_THREADS]; /* index: thread id modulo TP_WAITING_THREADS; value: last such thread that
                                              * ran or became ready after a context switch */
    int64_t window_ns;                       /* start of the interval of stack_reads_in_window, ns */
    uint32_t stack_reads_in_window;
    uint64_t read_count;
};

/* Processes a record that was read. is_switch: the record is a context switch with registers. number: number of the
 * record (struct tp_pending_record). */
void tp_waiting_stacks_handle_record(struct tp_waiting_stacks *still, const struct tp_perf_record *record,
                                     bool is_switch, uint64_t number);

/* Reads the stacks of threads that still wait, at most `bytes` of each, and adds them to `pending`. The number of reads
 * per tenth of a second is limited. Call it after all records were passed to tp_waiting_stacks_handle_record. python:
 * tracks the processes that run Python. now_ns: returns the time on the clock of the records. */
void tp_waiting_stacks_read(struct tp_waiting_stacks *still, struct tp_pending *pending,
                            struct tp_python_stacks *python, uint32_t bytes, int64_t (*now_ns)(void));

/* Discards the stored context switches. */
void tp_waiting_stacks_skip_waits(struct tp_waiting_stacks *still);

#endif
