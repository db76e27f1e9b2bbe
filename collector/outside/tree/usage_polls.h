/* Reads memory and I/O of the processes of a tree periodically. Only one thread may use this module. All memory is in
 * the arena, whose guard the caller sets. */
#ifndef TP_COLLECTOR_OUTSIDE_TREE_USAGE_POLLS_H
#define TP_COLLECTOR_OUTSIDE_TREE_USAGE_POLLS_H

#include "collector/outside/tree/outside_tree.h"
#include "writer/base/buf.h"

/* Resident memory of a process at one poll. */
struct tp_usage_poll {
    int64_t time_ns;
    uint32_t process;
    int64_t resident_bytes;
};

struct tp_usage_polls {
    struct tp_vec looks;      /* results of the polls; elements: struct tp_usage_poll */
    struct tp_vec alive;      /* numbers of the living processes in the tree; elements: uint32_t */
    size_t next_polled_index; /* index of the process that is polled next */
    uint32_t known_processes;
    int64_t time_ns; /* time of the last poll, ns */
};

void tp_usage_polls_init(struct tp_usage_polls *usage, struct tp_arena *arena);

/* Polls some of the processes that ran since their last poll. Later calls continue with the next processes. text:
 * scratch buffer. */
void tp_usage_polls_read(struct tp_usage_polls *usage, struct tp_outside_tree *tree, struct tp_buf *text,
                         int64_t time_ns);

#endif
