/* Finds a running process and its descendants in /proc, and produces records as the kernel would have from their
 * start. */
#ifndef TP_COLLECTOR_OUTSIDE_PROCESSES_RUNNING_TREE_H
#define TP_COLLECTOR_OUTSIDE_PROCESSES_RUNNING_TREE_H

#include "collector/outside/events/perf_record.h"
#include "writer/base/buf.h"
#include "writer/base/id_map.h"

struct tp_running_tree {
    struct tp_id_map threads; /* known threads */
    struct tp_vec processes;  /* uint32_t, parents first */
    struct tp_buf text;
    int64_t time_ns;   /* of the records */
    uint32_t left_out; /* a process that is not recorded, with its descendants; 0: none */
    /* called for each new thread before its records; false: skip it */
    bool (*is_wanted)(void *context, uint32_t pid, uint32_t tid);
    /* receives records: a thread, a program (after the first thread of its process), a code mapping */
    void (*take)(void *context, const struct tp_perf_record *record);
    void *context;
};

/* Produces records of the code that a process has mapped. text: buffer for a file. */
void tp_running_code(struct tp_buf *text, uint32_t pid, int64_t time_ns,
                     void (*take)(void *context, const struct tp_perf_record *record), void *context);

/* Initializes *tree. The lists are in the arena, whose guard the caller sets in all calls except release. */
void tp_running_tree_init(struct tp_running_tree *tree, struct tp_arena *arena, uint32_t pid);
void tp_running_tree_release(struct tp_running_tree *tree);

/* Adds another process. */
void tp_running_tree_add(struct tp_running_tree *tree, uint32_t pid);

/* Searches once. Returns the number of new threads. */
size_t tp_running_tree_look(struct tp_running_tree *tree);

#endif
