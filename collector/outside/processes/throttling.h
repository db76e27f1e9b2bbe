/* Measures how long cgroup limits of processor time stopped a program. Reads cpu.stat of its cgroup and the parents,
 * versions 1 and 2. One thread; no files stay open. */
#ifndef TP_COLLECTOR_OUTSIDE_PROCESSES_THROTTLING_H
#define TP_COLLECTOR_OUTSIDE_PROCESSES_THROTTLING_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/buf.h"

/* Sums over all cgroups since they were created. */
struct tp_throttling {
    int64_t time_ns;
    int64_t period_count; /* number of periods with a stop */
};

/* State from the start of a program to its end; zeroed: nothing is known. */
struct tp_throttling_span {
    char groups[2048]; /* contents of /proc/PID/cgroup */
    struct tp_throttling before;
    bool is_known;
};

/* Starts to measure process `pid`. text: scratch buffer. */
void tp_throttling_begin(struct tp_throttling_span *span, uint32_t pid, struct tp_buf *text);

/* Fills the difference since the start. Returns false if nothing could be read, no cgroup counts, or the cgroups are
 * gone. */
bool tp_throttling_end(const struct tp_throttling_span *span, struct tp_throttling *since);

/* Adds up the cgroups in such a text, below folder `root`. Returns false if none of them counts. */
bool tp_throttling_of(struct tp_throttling *throttling, const char *groups, const char *root);

#endif
