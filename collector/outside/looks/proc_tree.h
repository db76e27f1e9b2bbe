/* A program and all that it starts, by looks at /proc alone: where the kernel refuses events. Told as the records that
 * events would have told, with states that are cut from the kernel's totals (looked_states.h).
 *
 * What lives for less than the time between two looks is not seen, nor what a thread did after the last look at it. A
 * thread that did not run since the last look costs one file, one that did some five. Memory is the arena's, whose guard
 * the caller sets in all calls. One thread. */
#ifndef TP_COLLECTOR_OUTSIDE_LOOKS_PROC_TREE_H
#define TP_COLLECTOR_OUTSIDE_LOOKS_PROC_TREE_H

#include "collector/outside/events/perf_record.h"
#include "writer/base/buf.h"
#include "writer/base/id_map.h"

struct tp_proc_tree {
    struct tp_arena *arena;
    struct tp_vec processes; /* struct tp_looked_process: those that live */
    struct tp_id_map known;  /* processes that live: 1 */
    struct tp_id_map threads; /* threads that live: 1 */
    struct tp_buf *text;     /* room for a file; borrowed */
    int64_t begin_ns, looked_ns;
    uint32_t left_out; /* a process that is not told, nor what it starts; 0: none */
    bool is_attached; /* to what runs: what is there at the first look was there before */
    uint64_t look_count;
    /* a record, and of a switch to blocked what is waited for (proc_waits.h, 0: not known) */
    void (*take)(void *context, const struct tp_perf_record *record, uint8_t wait);
    /* a thread ran since the look before, and waits for nothing now */
    void (*runs)(void *context, uint32_t pid, uint32_t tid, int64_t time_ns);
    /* how a process ended, before the end of its last thread is told: as wait(2) has it */
    void (*tell_status)(void *context, uint32_t pid, int status);
    void *context;
};

/* True: this kernel counts how long threads ran and were ready; `text`: room for a file. */
bool tp_proc_tree_can_look(struct tp_buf *text);

/* The first process, of which no record is told before the first look or the end. The callbacks are set before. */
void tp_proc_tree_begin(struct tp_proc_tree *tree, struct tp_arena *arena, uint32_t pid, int64_t time_ns);

/* A process beside the first one, with its children; known ones stay as they are. */
void tp_proc_tree_add(struct tp_proc_tree *tree, uint32_t pid);

void tp_proc_tree_look(struct tp_proc_tree *tree, int64_t (*now_ns)(void));

/* What was not told until the end is. */
void tp_proc_tree_end(struct tp_proc_tree *tree, int64_t time_ns);

#endif
