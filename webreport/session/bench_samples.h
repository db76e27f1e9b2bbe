/* Reads the measurements and call counts of one run of `bench` from its traces. */
#ifndef TP_WEBREPORT_SESSION_BENCH_SAMPLES_H
#define TP_WEBREPORT_SESSION_BENCH_SAMPLES_H

#include "webreport/compare/bench/bench.h"
#include "webreport/session/console.h"
#include "writer/base/error.h"

/* The folder with the traces of a run. */
struct tp_bench_source {
    const char *folder;
    int64_t since_ns; /* start of the run, ns since 1970; older traces are ignored */
    struct tp_console *console;
};

/* Fills the counts and the measured quantities (levels) of a run from its traces, but not the levels of the whole
 * program. Levels are means over the processes, and counts are sums. Prints why a trace cannot be used. *trace_count:
 * number of used traces; if 0, the run has no levels and no counts. Allocates from `arena`, whose guard the caller
 * sets. Returns 0, TP_ENOMEM or TP_ELIMIT. */
int tp_bench_samples_load(struct tp_bench_run *run, size_t *trace_count, const struct tp_bench_source *source,
                          struct tp_arena *arena, struct tp_error *err);

#endif
