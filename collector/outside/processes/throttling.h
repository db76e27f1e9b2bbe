/* How long a program was held back because the processor time of its group of control (cgroup) was used up: by cpu.stat of
 * its group and of those around it, versions 1 and 2. One thread; nothing is kept open. */
#ifndef TP_COLLECTOR_OUTSIDE_PROCESSES_THROTTLING_H
#define TP_COLLECTOR_OUTSIDE_PROCESSES_THROTTLING_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/buf.h"

/* Since its groups were made, all of them together. */
struct tp_throttling {
    int64_t time_ns;
    int64_t period_count; /* in which it was held back */
};

/* What is kept from the begin of a program to its end; zeroed: nothing is known. */
struct tp_throttling_span {
    char groups[2048]; /* as /proc/PID/cgroup has them */
    struct tp_throttling before;
    bool is_known;
};

/* Process `pid` begins to be watched; `text` is room for what is read of it. */
void tp_throttling_begin(struct tp_throttling_span *span, uint32_t pid, struct tp_buf *text);

/* How much came since. False: nothing could be read, nobody counts there, or the groups are gone. */
bool tp_throttling_end(const struct tp_throttling_span *span, struct tp_throttling *since);

/* Adds up the groups that such a text names, which are in folder `root`. False: none counts. */
bool tp_throttling_of(struct tp_throttling *throttling, const char *groups, const char *root);

#endif
