/* Records that wait for their turn: rings of several CPUs are read one after the other, states are cut in the order of
 * time. One thread; memory is the list's own. */
#ifndef TP_COLLECTOR_OUTSIDE_TREE_PENDING_H
#define TP_COLLECTOR_OUTSIDE_TREE_PENDING_H

#include "collector/outside/tree/outside_tree.h"

struct tp_pending_record {
    int64_t time_ns;
    uint64_t number; /* in the order of reading */
    uint32_t at;     /* in 8 bytes, in the list's bytes */
    uint32_t note;   /* TP_NO_ID: none */
    uint32_t python; /* of a sample: node of Python's stack; 0: none */
    int64_t still_ns; /* of a stack that was read while its thread waited: when that was done; else 0 */
};

struct tp_pending {
    struct tp_buf bytes;
    struct tp_pending_record *records;
    size_t count, room;
    uint64_t next;
};

void tp_pending_init(struct tp_pending *pending);
void tp_pending_release(struct tp_pending *pending);

/* Adds a copy. Returns it, until the next call, or NULL when there is no room. */
struct tp_pending_record *tp_pending_add(struct tp_pending *pending, const struct perf_event_header *head,
                                         int64_t time_ns);

/* Brings all in the order of time. */
void tp_pending_sort(struct tp_pending *pending);

/* The first `count` are done with. */
void tp_pending_drop(struct tp_pending *pending, size_t count);

static inline const struct perf_event_header *tp_pending_head(const struct tp_pending *pending, uint32_t at)
{
    return (const void *)(pending->bytes.data + (size_t)at * 8);
}

#endif
