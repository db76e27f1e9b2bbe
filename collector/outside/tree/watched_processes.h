/* Which processes are of the recording, where events tell of all that whole CPUs run: those that were added, and what
 * they begin. One thread; memory is the arena's, whose guard the caller sets in all calls. */
#ifndef TP_COLLECTOR_OUTSIDE_TREE_WATCHED_PROCESSES_H
#define TP_COLLECTOR_OUTSIDE_TREE_WATCHED_PROCESSES_H

#include <linux/perf_event.h>

#include "writer/base/id_map.h"

struct tp_watched_processes {
    struct tp_id_map numbers; /* process: its place in items, the last one of its number */
    struct tp_vec items;
    struct tp_vec forks; /* gathered, until they are applied */
};

void tp_watched_processes_init(struct tp_watched_processes *watched, struct tp_arena *arena);

/* A process that is there at time_ns. */
void tp_watched_processes_add(struct tp_watched_processes *watched, uint32_t pid, int64_t time_ns);

bool tp_watched_processes_has(const struct tp_watched_processes *watched, uint32_t pid);

/* Takes a FORK record of any process; `watched` is a struct tp_watched_processes. A record may come more than once. */
void tp_watched_processes_gather(void *watched, const struct perf_event_header *head);

/* Brings the processes up to date by the forks gathered, in the order of time. */
void tp_watched_processes_apply(struct tp_watched_processes *watched);

#endif
