/* Finds a running process and its descendants in /proc. Produces the records that kernel events would have written
 * since their start. */
#ifndef TP_COLLECTOR_OUTSIDE_PROCESSES_RUNNING_TREE_H
#define TP_COLLECTOR_OUTSIDE_PROCESSES_RUNNING_TREE_H

#include "collector/outside/events/perf_record.h"
#include "writer/base/buf.h"
#include "writer/base/id_map.h"

struct tp_running_tree {
    struct tp_id_map threads; /* known threads as keys */
    struct tp_vec processes;  /* known processes, parents first; elements: uint32_t */
    struct tp_buf text;
    int64_t time_ns;   /* time that all produced records get, ns */
    uint32_t left_out; /* id of a process that is not recorded, and neither are its descendants; 0: none */
    /* called for each new thread before its records are produced; false skips the thread */
    bool (*is_wanted)(void *context, uint32_t pid, uint32_t tid);
    /* receives the records: threads, the program (after the first thread of its process), code mappings */
    void (*take)(void *context, const struct tp_perf_record *record);
    void *context;
};

/* Produces a record for each code mapping of a process. text: scratch buffer. */
void tp_running_list_mappings(struct tp_buf *text, uint32_t pid, int64_t time_ns,
                              void (*take)(void *context, const struct tp_perf_record *record), void *context);

/* Initializes *tree. The lists are in the arena, whose guard the caller sets in all calls except release. */
void tp_running_tree_init(struct tp_running_tree *tree, struct tp_arena *arena, uint32_t pid);
void tp_running_tree_release(struct tp_running_tree *tree);

/* Adds another process. */
void tp_running_tree_add_process(struct tp_running_tree *tree, uint32_t pid);

/* Searches once for threads that are not known yet. Returns their number. */
size_t tp_running_tree_search(struct tp_running_tree *tree);

#endif
