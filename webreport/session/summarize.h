/* Runs `tracepress summarize`, `tracepress merge` and a process of tracepress-mpi. Turns inputs into packed summaries
 * of their processes, in one file or in one file per input. */
#ifndef TP_WEBREPORT_SESSION_SUMMARIZE_H
#define TP_WEBREPORT_SESSION_SUMMARIZE_H

#include "webreport/measure/summary/summary_file.h"
#include "webreport/session/summaries.h"

/* Functions that write a set as JSON, part by part. Each runs with the guard of `arena` set. */
struct tp_summary_printer {
    void (*begin)(struct tp_json *json);
    void (*process)(struct tp_json *json, const struct tp_summary *summary, struct tp_arena *arena);
    void (*end)(struct tp_json *json, const struct tp_summary_ranks *ranks, struct tp_arena *arena);
};

struct tp_summarize_job {
    /* paths: traces, summaries and folders; missing files are printed and skipped */
    struct tp_summaries_options load;
    /* file with one path per line; "-" for standard input; NULL without a list */
    const char *files_from;
    const char *out;                          /* a file, "-", or a folder, which gets one `.tps` file per input */
    const struct tp_summary_printer *printer; /* writes the set in another format; NULL writes a `.tps` file */
    /* use only the inputs shard, shard + shard_count .. in the order of their paths; 0 and 1 use all */
    uint64_t shard, shard_count;
    bool skips_existing; /* for a folder as output: skip inputs whose summary exists already */
    bool only_merges;    /* traces are not allowed, and folders are searched only for *.tps */
};

/* Runs the job. Returns an exit code (enum tp_exit). Prints all errors. */
int tp_summarize_run(const struct tp_summarize_job *job);

/* Numbers of inputs: in the set, and left out because they cannot be used, which was printed. */
struct tp_summarize_counts {
    size_t usable, failed;
};

/* Adds the processes of the job's inputs, or of its shard, to the set, whose guard the caller sets. Nothing is written,
 * so `out`, `printer` and `skips_existing` are ignored. Returns 0, or the status if the inputs could not be found. */
int tp_summarize_collect(struct tp_summary_set *set, const struct tp_summarize_job *job,
                         struct tp_summarize_counts *counts, struct tp_error *err);

#endif
