/* Sorts records by time before they are processed, because the rings of several CPUs are read one after the other. Only
 * one thread may use a list. The list has its own memory. */
#ifndef TP_COLLECTOR_OUTSIDE_TREE_PENDING_H
#define TP_COLLECTOR_OUTSIDE_TREE_PENDING_H

#include "collector/outside/tree/outside_tree.h"

struct tp_pending_record {
    int64_t time_ns;
    uint64_t number;      /* number of the record in the order of reading */
    uint32_t at;          /* position of the record in the list's bytes, in units of 8 bytes */
    uint32_t note;        /* index of the record's note; TP_NO_ID: none */
    uint32_t python;      /* node of the Python stack of a sample; 0: none */
    int64_t wait_read_ns; /* time at which the stack was read during the wait, ns; 0: the stack was not read so */
};

struct tp_pending {
    struct tp_buf bytes;
    struct tp_pending_record *records;
    size_t count, room;
    uint64_t next;
};

void tp_pending_init(struct tp_pending *pending);
void tp_pending_release(struct tp_pending *pending);

/* Adds a copy of a record. Returns the entry, which is valid until the next call, or NULL if there is no room. */
struct tp_pending_record *tp_pending_add_record(struct tp_pending *pending, const struct perf_event_header *head,
                                                int64_t time_ns);

/* Sorts all records by time. */
void tp_pending_sort_records(struct tp_pending *pending);

/* Removes the first `count` records. */
void tp_pending_remove_first_records(struct tp_pending *pending, size_t count);

static inline const struct perf_event_header *tp_pending_header_at(const struct tp_pending *pending, uint32_t at)
{
    return (const void *)(pending->bytes.data + (size_t)at * 8);
}

#endif
