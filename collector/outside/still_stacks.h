/* Reads complete stacks of waiting threads. When a thread is switched out, the kernel records its registers but not its
 * stack. If the thread still waits when the rings are read, its stack is unchanged. Then its stack is read from the
 * stack pointer on, and its Python frames too. Each read gives a copy of the switch record with part of the stack. The
 * tree discards it if the thread continued before the end of the read.
 *
 * Needs nothing from the program. One thread; no memory of its own. */
#ifndef TP_COLLECTOR_OUTSIDE_STILL_STACKS_H
#define TP_COLLECTOR_OUTSIDE_STILL_STACKS_H

#include "collector/outside/processes/other_memory.h"
#include "collector/outside/python/python_stacks.h"
#include "collector/outside/tree/pending.h"

enum { TP_STILL_WAITS = 512, TP_STILL_THREADS = 1024 };

/* A recorded switch with registers. */
struct tp_still_wait {
    uint64_t number; /* number of its record in the list */
    uint32_t pid, tid;
    int64_t time_ns;
};

struct tp_still_stacks {
    struct tp_still_wait waits[TP_STILL_WAITS]; /* oldest first */
    size_t count;
    struct {
        uint32_t tid;
        int64_t time_ns;
    } went_on[TP_STILL_THREADS]; /* threads that ran or became ready since; an entry has the last one of its hash */
    int64_t window_ns;           /* start of the interval in which window_reads counts */
    uint32_t window_reads;
    uint64_t read_count;
};

/* Takes a record that was read. is_switch: the record has the stack of a switch, and `number` in the list. */
void tp_still_stacks_take(struct tp_still_stacks *still, const struct tp_perf_record *record, bool is_switch,
                          uint64_t number);

/* Reads up to `bytes` of the stacks of threads that still wait, and adds them to the list. The number of reads per
 * tenth of a second is limited. Call it after all records were passed to tp_still_stacks_take. python: the
 * interpreters, maybe none. now_ns: returns the clock of the records. */
void tp_still_stacks_read(struct tp_still_stacks *still, struct tp_pending *pending, struct tp_python_stacks *python,
                          uint32_t bytes, int64_t (*now_ns)(void));

/* Discards the switches that were taken so far. */
void tp_still_stacks_skip(struct tp_still_stacks *still);

#endif
