/* Writes the trace of a run that was recorded from outside: one file with all its processes. */
#ifndef TP_COLLECTOR_OUTSIDE_TRACE_OUTSIDE_TRACE_H
#define TP_COLLECTOR_OUTSIDE_TRACE_OUTSIDE_TRACE_H

#include "collector/outside/tree/usage_polls.h"

struct tp_outside_trace {
    const struct tp_outside_tree *tree; /* processes and threads of the run; tp_outside_tree_end must have been
                                         * called */
    const struct tp_vec *looks;         /* resident memory at polls; elements: struct tp_usage_poll */
    int64_t clock_ns;                   /* wall clock minus the tree's clock, ns */
    int64_t begin_ns, end_ns;           /* start and end of the recording on the tree's clock, ns */
    struct tp_str name;                 /* name of the program */
    struct tp_str seen;                 /* JSON object with the counts of recorded and missed data */
};

/* Writes the trace, compressed with gzip. Returns 0, TP_EIO or TP_ENOMEM. */
int tp_outside_trace_write(const struct tp_outside_trace *trace, const char *path, struct tp_error *err);

#endif
