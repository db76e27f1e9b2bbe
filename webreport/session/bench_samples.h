/* Reads the levels and counts of one run of `bench` from its traces. */
#ifndef TP_WEBREPORT_SESSION_BENCH_SAMPLES_H
#define TP_WEBREPORT_SESSION_BENCH_SAMPLES_H

#include "webreport/compare/bench/bench.h"
#include "webreport/session/console.h"
#include "writer/base/error.h"

/* The place of a run's traces. */
struct tp_bench_source {
    const char *folder;
    int64_t since_ns; /* wall clock: traces that were changed earlier are ignored */
    struct tp_console *console;
};

/* Fills the counts of the run and its levels, except those of the whole program, from its traces. Allocates from
 * `arena`, whose guard the caller sets. Several processes give the mean of their levels and the sum of their calls.
 * Prints why a trace cannot be used. *trace_count: number of traces used; 0: the run has no levels and no counts.
 * Returns 0, TP_ENOMEM, TP_ELIMIT. */
int tp_bench_samples_load(struct tp_bench_run *run, size_t *trace_count, const struct tp_bench_source *source,
                          struct tp_arena *arena, struct tp_error *err);

#endif
