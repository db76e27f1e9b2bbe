/* Memory and I/O of the processes of a tree, asked for from time to time. One thread; everything is the arena's, whose
 * guard the caller sets. */
#ifndef TP_COLLECTOR_OUTSIDE_TREE_USAGE_LOOKS_H
#define TP_COLLECTOR_OUTSIDE_TREE_USAGE_LOOKS_H

#include "collector/outside/tree/outside_tree.h"
#include "writer/base/buf.h"

/* What was resident at a look. */
struct tp_outside_look {
    int64_t time_ns;
    uint32_t process;
    int64_t resident_bytes;
};

struct tp_usage_looks {
    struct tp_vec looks; /* struct tp_outside_look */
    struct tp_vec alive; /* numbers of processes */
    size_t next_alive;   /* which one is looked at next */
    uint32_t known_processes;
    int64_t time_ns; /* of the last look */
};

void tp_usage_looks_init(struct tp_usage_looks *usage, struct tp_arena *arena);

/* One look at some of those that have run since, in turns; `text`: room for a file. */
void tp_usage_looks_look(struct tp_usage_looks *usage, struct tp_outside_tree *tree, struct tp_buf *text,
                         int64_t time_ns);

#endif
