/* The traces of one run of `bench` -> what is compared of it. */
#ifndef TP_WEBREPORT_SESSION_BENCH_SAMPLES_H
#define TP_WEBREPORT_SESSION_BENCH_SAMPLES_H

#include "webreport/compare/bench/bench.h"
#include "webreport/session/console.h"
#include "writer/base/error.h"

/* Where the traces of a run are. */
struct tp_bench_source {
    const char *folder;
    int64_t since_ns; /* wall clock: only those that were changed then or later */
    struct tp_console *console;
};

/* Fills levels (but those of the whole program) and counts of the run from its traces, in `arena`, whose guard is the
 * caller's. Of several processes the levels' mean counts, and the sum of their calls. Traces that cannot be used are
 * said. *trace_count: of those that were used; with none the run has no levels and no counts. Returns 0, TP_ENOMEM,
 * TP_ELIMIT. */
int tp_bench_samples_load(struct tp_bench_run *run, size_t *trace_count, const struct tp_bench_source *source,
                          struct tp_arena *arena, struct tp_error *err);

#endif
