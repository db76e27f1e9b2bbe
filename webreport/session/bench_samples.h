/* Reads the levels and counts of one run of `bench` from its traces. */
#ifndef TP_WEBREPORT_SESSION_BENCH_SAMPLES_H
#define TP_WEBREPORT_SESSION_BENCH_SAMPLES_H

#include "webreport/compare/bench/bench.h"
#include "webreport/session/console.h"
#include "writer/base/error.h"

/* Where to find the traces of a run. */
struct tp_bench_source {
    const char *folder;
    int64_t since_ns; /* wall clock, ns; traces that were last changed earlier are ignored */
    struct tp_console *console;
};

/* Fills the counts of the run and its levels, except the levels of the whole program, from its traces. Several
 * processes give the mean of their levels and the sum of their calls. Prints why a trace cannot be used. *trace_count:
 * number of used traces; if it is 0, the run has no levels and no counts. Allocates from `arena`, whose guard the
 * caller sets. Returns 0, TP_ENOMEM or TP_ELIMIT. */
int tp_bench_samples_load(struct tp_bench_run *run, size_t *trace_count, const struct tp_bench_source *source,
                          struct tp_arena *arena, struct tp_error *err);

#endif
