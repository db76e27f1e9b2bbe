/* Finds a running process and its descendants in /proc. Produces the records that the kernel would have written since
 * their start. */
#ifndef TP_COLLECTOR_OUTSIDE_PROCESSES_RUNNING_TREE_H
#define TP_COLLECTOR_OUTSIDE_PROCESSES_RUNNING_TREE_H

#include "collector/outside/events/perf_record.h"
#include "writer/base/buf.h"
#include "writer/base/id_map.h"

struct tp_running_tree {
    struct tp_id_map threads; /* known threads as keys */
    struct tp_vec processes;  /* known processes, parents first; items: uint32_t */
    struct tp_buf text;
    int64_t time_ns;   /* time of the records, ns */
    uint32_t left_out; /* id of a process that is not recorded, with its descendants; 0: none */
    /* called for each new thread before its records are produced; a result of false skips the thread */
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

/* Searches for new threads once. Returns their number. */
size_t tp_running_tree_search(struct tp_running_tree *tree);

#endif
