/* Whole stacks of threads that wait. The kernel tells the registers of a thread that is switched out, and no part of its
 * stack; whoever still waits when the rings are read stands still, so its stack is read then, from where its stack pointer
 * is, and its frames of Python. Each becomes a record of the same switch with a part of the stack, which has its turn behind
 * it; the tree throws it away where the thread went on before the end of the reading.
 *
 * Nothing is asked of the program. One thread; no memory of its own. */
#ifndef TP_COLLECTOR_OUTSIDE_STILL_STACKS_H
#define TP_COLLECTOR_OUTSIDE_STILL_STACKS_H

#include "collector/outside/processes/other_memory.h"
#include "collector/outside/python/python_stacks.h"
#include "collector/outside/tree/pending.h"

enum { TP_STILL_WAITS = 512, TP_STILL_THREADS = 1024 };

/* A switch that was told, with its registers. */
struct tp_still_wait {
    uint64_t number; /* of its record in the list */
    uint32_t pid, tid;
    int64_t time_ns;
};

struct tp_still_stacks {
    struct tp_still_wait waits[TP_STILL_WAITS]; /* oldest first */
    size_t count;
    struct {
        uint32_t tid;
        int64_t time_ns;
    } went_on[TP_STILL_THREADS]; /* threads that were seen running or ready since, the last one for each place */
    int64_t window_ns;           /* begin of the time for which window_reads counts */
    uint32_t window_reads;
    uint64_t read_count;
};

/* A record that was read; is_switch: it tells the stack of a switch, and is that number in the list. */
void tp_still_stacks_take(struct tp_still_stacks *still, const struct tp_perf_record *record, bool is_switch,
                          uint64_t number);

/* Reads up to `bytes` of the stacks of those that still wait, and adds them to the list; python: may have no process.
 * Few for each tenth of a second. After all that was told was taken. now_ns: the clock of records. */
void tp_still_stacks_read(struct tp_still_stacks *still, struct tp_pending *pending, struct tp_python_stacks *python,
                          uint32_t bytes, int64_t (*now_ns)(void));

/* Those that were told so far are not read. */
void tp_still_stacks_skip(struct tp_still_stacks *still);

#endif
