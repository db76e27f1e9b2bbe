/* Reads memory and I/O of the processes of a tree periodically. One thread; all memory is in the arena, whose guard the
 * caller sets. */
#ifndef TP_COLLECTOR_OUTSIDE_TREE_USAGE_LOOKS_H
#define TP_COLLECTOR_OUTSIDE_TREE_USAGE_LOOKS_H

#include "collector/outside/tree/outside_tree.h"
#include "writer/base/buf.h"

/* Resident memory at one poll. */
struct tp_outside_look {
    int64_t time_ns;
    uint32_t process;
    int64_t resident_bytes;
};

struct tp_usage_looks {
    struct tp_vec looks; /* struct tp_outside_look */
    struct tp_vec alive; /* numbers of processes */
    size_t next_alive;   /* index of the process that is polled next */
    uint32_t known_processes;
    int64_t time_ns; /* of the last poll */
};

void tp_usage_looks_init(struct tp_usage_looks *usage, struct tp_arena *arena);

/* Polls some of the processes that ran since their last poll, in turn. text: buffer for a file. */
void tp_usage_looks_look(struct tp_usage_looks *usage, struct tp_outside_tree *tree, struct tp_buf *text,
                         int64_t time_ns);

#endif
