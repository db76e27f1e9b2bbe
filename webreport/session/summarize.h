/* Runs `tracepress summarize` and `tracepress merge`, and a process of tracepress-mpi: turns inputs into packed
 * summaries of their processes, in one file or in one file per input. */
#ifndef TP_WEBREPORT_SESSION_SUMMARIZE_H
#define TP_WEBREPORT_SESSION_SUMMARIZE_H

#include "webreport/measure/summary/summary_file.h"
#include "webreport/session/summaries.h"

/* Functions that write a set as JSON, part by part; each runs within the guard of `arena`. */
struct tp_summary_printer {
    void (*begin)(struct tp_json *json);
    void (*process)(struct tp_json *json, const struct tp_summary *summary, struct tp_arena *arena);
    void (*end)(struct tp_json *json, const struct tp_summary_ranks *ranks, struct tp_arena *arena);
};

struct tp_summarize_job {
    /* paths: traces, summaries, folders; missing ones are printed and skipped */
    struct tp_summaries_options load;
    const char *files_from;                   /* a file of paths, one per line; "-": standard input; NULL: none */
    const char *out;                          /* a file, "-", or a folder, which gets one `.tps` per input */
    const struct tp_summary_printer *printer; /* writes the set in another format; NULL: a `.tps` file */
    uint64_t shard, shard_count;              /* use the inputs shard, shard + shard_count .. by path; 0 of 1: all */
    bool skips_existing;                      /* only for a folder: skip inputs whose summary exists already */
    bool only_merges;                         /* traces are not allowed; folders are searched only for *.tps */
};

/* Runs the job. Returns an exit code (enum tp_exit). Prints all errors. */
int tp_summarize_run(const struct tp_summarize_job *job);

/* The numbers of inputs in the set, and of inputs that were printed as unusable and left out. */
struct tp_summarize_counts {
    size_t usable, failed;
};

/* Adds the processes of the job's inputs, or of its shard, to the set (guard set by the caller) instead of writing
 * them; ignores `out`, `printer` and `skips_existing`. Returns 0, or why the inputs could not be found. */
int tp_summarize_collect(struct tp_summary_set *set, const struct tp_summarize_job *job,
                         struct tp_summarize_counts *counts, struct tp_error *err);

#endif
