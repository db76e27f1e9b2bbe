/* Runs `tracepress summarize`, `tracepress merge` and the processes of tracepress-mpi. Writes packed summaries of
 * the processes in the inputs, to one file or to one file per input. */
#ifndef TP_WEBREPORT_SESSION_SUMMARIZE_H
#define TP_WEBREPORT_SESSION_SUMMARIZE_H

#include "webreport/measure/summary/summary_file.h"
#include "webreport/session/summaries.h"

/* Functions that write a set of summaries as JSON, part by part. The guard of `arena` is set during each call. */
struct tp_summary_printer {
    void (*begin)(struct tp_json *json);
    void (*process)(struct tp_json *json, const struct tp_summary *summary, struct tp_arena *arena);
    void (*end)(struct tp_json *json, const struct tp_summary_ranks *ranks, struct tp_arena *arena);
};

struct tp_summarize_job {
    /* load.paths: traces, summaries and folders; files that do not exist are printed and skipped */
    struct tp_summaries_options load;
    /* file with one input path per line; "-" for standard input; NULL for none */
    const char *files_from;
    const char *out;                          /* output: a file, "-", or a folder that gets one `.tps` file per input */
    const struct tp_summary_printer *printer; /* writes the set in another format; NULL: writes a `.tps` file */
    /* use only every shard_count-th input from number `shard` on, sorted by path; 0 and 1 for all inputs */
    uint64_t shard, shard_count;
    bool skips_existing; /* true: skip an input whose summary is already in the output folder */
    bool only_merges;    /* true: refuse traces, and search folders only for *.tps */
};

/* Does the work of one command and prints all errors. Returns an exit code (enum tp_exit). */
int tp_summarize_run(const struct tp_summarize_job *job);

/* Numbers of inputs that are in the set, and of inputs that are unusable. A message about each unusable input was
 * printed. */
struct tp_summarize_counts {
    size_t usable, failed;
};

/* Adds the processes of the job's inputs, or of its shard, to the set, whose guard the caller sets. Writes no file,
 * so `out`, `printer` and `skips_existing` are ignored. Returns 0, or a negative tp_status if the inputs could not
 * be found. */
int tp_summarize_collect(struct tp_summary_set *set, const struct tp_summarize_job *job,
                         struct tp_summarize_counts *counts, struct tp_error *err);

#endif
