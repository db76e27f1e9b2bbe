/* Tracks which processes belong to the recording when events cover whole CPUs. These are the processes that were added,
 * and their descendants. Only one thread may use this module. Memory is in the arena, whose guard the caller sets in
 * all calls. */
#ifndef TP_COLLECTOR_OUTSIDE_TREE_WATCHED_PROCESSES_H
#define TP_COLLECTOR_OUTSIDE_TREE_WATCHED_PROCESSES_H

#include <linux/perf_event.h>

#include "writer/base/id_map.h"

struct tp_watched_processes {
    struct tp_id_map numbers; /* key: process id; value: index in `items` of the last process with this id */
    struct tp_vec items;
    struct tp_vec forks; /* forks that were collected but not applied yet; elements: struct fork */
};

void tp_watched_processes_init(struct tp_watched_processes *watched, struct tp_arena *arena);

/* Adds a process that exists at time_ns. */
void tp_watched_processes_add(struct tp_watched_processes *watched, uint32_t pid, int64_t time_ns);

bool tp_watched_processes_has(const struct tp_watched_processes *watched, uint32_t pid);

/* Collects a FORK record of any process. Passing a record more than once is harmless. watched: a struct
 * tp_watched_processes. */
void tp_watched_processes_store_fork(void *watched, const struct perf_event_header *head);

/* Applies the collected forks in the order of time. */
void tp_watched_processes_add_forks(struct tp_watched_processes *watched);

#endif
