/* A process that runs, with what it has started, as /proc has it: told as records, as the kernel would have told them
 * from the beginning. */
#ifndef TP_COLLECTOR_OUTSIDE_PROCESSES_RUNNING_TREE_H
#define TP_COLLECTOR_OUTSIDE_PROCESSES_RUNNING_TREE_H

#include "collector/outside/events/perf_record.h"
#include "writer/base/buf.h"
#include "writer/base/id_map.h"

struct tp_running_tree {
    struct tp_id_map threads; /* those that are known */
    struct tp_vec processes;  /* uint32_t, parents first */
    struct tp_buf text;
    int64_t time_ns;   /* of the records */
    uint32_t left_out; /* a process that is not told, nor what it starts; 0: none */
    /* told of each thread that is new, before its records; false: leave it out */
    bool (*is_wanted)(void *context, uint32_t pid, uint32_t tid);
    /* a thread, a program (after its process's first thread), code that is mapped */
    void (*take)(void *context, const struct tp_perf_record *record);
    void *context;
};

/* Tells of the code that a process has mapped by now; `text`: room for a file. */
void tp_running_code(struct tp_buf *text, uint32_t pid, int64_t time_ns,
                     void (*take)(void *context, const struct tp_perf_record *record), void *context);

/* Memory of the lists is the arena's, whose guard the caller sets in all calls but release. */
void tp_running_tree_init(struct tp_running_tree *tree, struct tp_arena *arena, uint32_t pid);
void tp_running_tree_release(struct tp_running_tree *tree);

/* Another process, beside the first one. */
void tp_running_tree_add(struct tp_running_tree *tree, uint32_t pid);

/* One look. Returns how many threads were new. */
size_t tp_running_tree_look(struct tp_running_tree *tree);

#endif
