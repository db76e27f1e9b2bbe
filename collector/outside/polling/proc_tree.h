/* Follows a program and its descendants by polling /proc, if the kernel refuses events. The polls produce the same
 * records as events would. The states of threads are derived from the kernel's totals (polled_states.h).
 *
 * Polling misses processes and threads that live only between two polls, and all activity of a thread after the last
 * poll. For each poll, a thread that did not run costs one file read, and any other thread about five. Memory is in the
 * arena, whose guard the caller sets in all calls. Only one thread may use this module. */
#ifndef TP_COLLECTOR_OUTSIDE_POLLING_PROC_TREE_H
#define TP_COLLECTOR_OUTSIDE_POLLING_PROC_TREE_H

#include "collector/outside/events/perf_record.h"
#include "writer/base/buf.h"
#include "writer/base/id_map.h"

struct tp_proc_tree {
    struct tp_arena *arena;
    struct tp_vec processes;  /* living processes; elements: struct tp_polled_process */
    struct tp_id_map known;   /* key: process id of a living process; value: 1 */
    struct tp_id_map threads; /* key: thread id of a living thread; value: 1 */
    struct tp_buf *text;      /* scratch buffer for the contents of a file; borrowed */
    int64_t begin_ns, polled_ns;
    uint32_t left_out; /* id of a process that is not recorded, and neither are its descendants; 0: none */
    bool is_attached;  /* true if attached to running processes; processes of the first poll then existed before the
                        * recording */
    uint64_t poll_count;
    /* receives a record. wait: number of the cause of a wait (proc_waits.h), for a thread that blocks; 0: unknown */
    void (*take)(void *context, const struct tp_perf_record *record, uint8_t wait);
    /* called for a thread that ran since the previous poll and does not wait now */
    void (*runs)(void *context, uint32_t pid, uint32_t tid, int64_t time_ns);
    /* called with the status of wait(2) of a process, before the exit of its last thread */
    void (*report_status)(void *context, uint32_t pid, int status);
    void *context;
};

/* Returns whether this kernel counts how long threads were running and ready. text: scratch buffer. */
bool tp_proc_tree_is_supported(struct tp_buf *text);

/* Adds the first process. The process produces no record before the first poll or the end. Set the callbacks before
 * this call. */
void tp_proc_tree_begin(struct tp_proc_tree *tree, struct tp_arena *arena, uint32_t pid, int64_t time_ns);

/* Adds another process with its children. Does nothing if the process is already known. */
void tp_proc_tree_add_process(struct tp_proc_tree *tree, uint32_t pid);

void tp_proc_tree_poll(struct tp_proc_tree *tree, int64_t (*now_ns)(void));

/* Produces the records that are still missing, up to time_ns. */
void tp_proc_tree_end(struct tp_proc_tree *tree, int64_t time_ns);

#endif
