/* What `tracepress summarize` and `tracepress merge` do, and each process of tracepress-mpi: inputs to packed summaries
 * of their processes, in one file or one for each input. */
#ifndef TP_WEBREPORT_SESSION_SUMMARIZE_H
#define TP_WEBREPORT_SESSION_SUMMARIZE_H

#include "webreport/measure/summary/summary_file.h"
#include "webreport/session/summaries.h"

/* A set as JSON, part by part, each within the guard of `arena`. */
struct tp_summary_printer {
    void (*begin)(struct tp_json *json);
    void (*process)(struct tp_json *json, const struct tp_summary *summary, struct tp_arena *arena);
    void (*end)(struct tp_json *json, const struct tp_summary_ranks *ranks, struct tp_arena *arena);
};

struct tp_summarize_job {
    struct tp_summaries_options load;         /* paths: traces, summaries, folders; missing ones are said and skipped */
    const char *files_from;                   /* a file of paths, a line each; "-": standard input; NULL: none */
    const char *out;                          /* a file, "-", or a folder, which gets a `.tps` per input */
    const struct tp_summary_printer *printer; /* how the set is written instead of packed; NULL: a `.tps` file */
    uint64_t shard, shard_count;              /* take the inputs shard, shard + shard_count .. by path; 0 of 1: all */
    bool skips_existing;                      /* in a folder: inputs whose summary is there already */
    bool only_merges;                         /* traces are no input; folders are searched for *.tps alone */
};

/* Runs it. Returns an exit code (enum tp_exit); everything that went wrong has been said. */
int tp_summarize_run(const struct tp_summarize_job *job);

/* How many inputs became a part of the set, and how many were said and left out. */
struct tp_summarize_counts {
    size_t usable, failed;
};

/* Adds the processes of the job's inputs, or of its shard of them, to the set, whose guard is set, instead of writing
 * them; `out`, `printer` and `skips_existing` are not looked at. 0, or why the inputs could not be found. */
int tp_summarize_collect(struct tp_summary_set *set, const struct tp_summarize_job *job,
                         struct tp_summarize_counts *counts, struct tp_error *err);

#endif
