/* Measures how long cgroup limits of processor time stopped a program. Reads cpu.stat of the program's cgroup and its
 * parents, versions 1 and 2. Only one thread may use the same struct. Files are closed after each read. */
#ifndef TP_COLLECTOR_OUTSIDE_PROCESSES_THROTTLING_H
#define TP_COLLECTOR_OUTSIDE_PROCESSES_THROTTLING_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/buf.h"

/* Sums over several cgroups since their creation. */
struct tp_throttling {
    int64_t time_ns;
    int64_t period_count; /* count of periods in which the limit stopped a process */
};

/* State from the start of a program to its end; a zeroed struct has no data. */
struct tp_throttling_span {
    char groups[2048]; /* contents of /proc/PID/cgroup */
    struct tp_throttling before;
    bool is_known;
};

/* Starts to measure process `pid`. text: scratch buffer. */
void tp_throttling_begin(struct tp_throttling_span *span, uint32_t pid, struct tp_buf *text);

/* Fills *since with the throttled time and periods since the start. Returns false if nothing could be read, if no
 * cgroup measures throttled time, or if the cgroups no longer exist. */
bool tp_throttling_end(const struct tp_throttling_span *span, struct tp_throttling *since);

/* Adds up the throttled time of the cgroups listed in `groups`, whose folders are below `root`. groups: contents of
 * /proc/PID/cgroup. Returns false if none of these cgroups measures throttled time. */
bool tp_throttling_sum_groups(struct tp_throttling *throttling, const char *groups, const char *root);

#endif
