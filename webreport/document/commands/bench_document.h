/* Makes the document of `bench`: the verdict, the change of each quantity, changed counts, and every run. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_BENCH_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_BENCH_DOCUMENT_H

#include "webreport/compare/bench/bench.h"
#include "webreport/document/block.h"

/* Reason why `bench` made no more runs: the result is certain, or a limit of runs or of time was reached. */
enum tp_bench_stop { TP_BENCH_STOP_DECIDED, TP_BENCH_STOP_RUNS, TP_BENCH_STOP_TIME };

struct tp_bench_report {
    const struct tp_bench *bench;
    const char *names[TP_BENCH_SIDES];    /* names of the sides: "A" and "B", or revisions */
    const char *commands[TP_BENCH_SIDES]; /* command of each side, as the user wrote it */
    enum tp_bench_stop stop;
    uint64_t seed;
};

/* Makes the document in `arena` (guard set by the caller). The document borrows all data of `report`. */
void tp_bench_document(struct tp_document *document, const struct tp_bench_report *report, struct tp_arena *arena);

/* Returns the progress line, such as "step +1.2 % (-0.3 to +2.7), 4 more runs of each", in the arena. */
const char *tp_bench_progress_text(const struct tp_bench *bench, struct tp_arena *arena);

#endif
