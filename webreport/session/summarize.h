/* Runs `tracepress summarize`, `tracepress merge` and the processes of tracepress-mpi. Writes a packed summary of each
 * process in the inputs, all to one file or to one file per input. */
#ifndef TP_WEBREPORT_SESSION_SUMMARIZE_H
#define TP_WEBREPORT_SESSION_SUMMARIZE_H

#include "webreport/measure/summary/summary_file.h"
#include "webreport/session/summaries.h"

/* Functions that write a set of summaries as JSON: its start, each process, and its end. The guard of `arena` is set
 * during each call. */
struct tp_summary_printer {
    void (*begin)(struct tp_json *json);
    void (*process)(struct tp_json *json, const struct tp_summary *summary, struct tp_arena *arena);
    void (*end)(struct tp_json *json, const struct tp_summary_ranks *ranks, struct tp_arena *arena);
};

struct tp_summarize_job {
    /* load.paths: traces, summaries and folders; missing files are reported and skipped */
    struct tp_summaries_options load;
    /* file with one input path per line; "-" for standard input; NULL for none */
    const char *files_from;
    const char *out;                          /* output: a file, "-", or a folder that gets one `.tps` file per input */
    const struct tp_summary_printer *printer; /* writes the set as JSON; NULL: write a `.tps` file */
    /* use only the inputs `shard`, `shard` + shard_count and so on, after sorting by path; 0 and 1: use all inputs */
    uint64_t shard, shard_count;
    bool skips_existing; /* true: skip an input whose summary is already in the output folder */
    bool only_merges;    /* true: reject traces, and search folders only for *.tps */
};

/* Does the work of one command and prints all errors. Returns an exit code (enum tp_exit). */
int tp_summarize_run(const struct tp_summarize_job *job);

/* Counts of the inputs that were added to the set, and of the unusable inputs. A message was printed for each unusable
 * input. */
struct tp_summarize_counts {
    size_t usable, failed;
};

/* Adds summaries of the processes in the job's inputs, or in its shard, to `set`. The caller sets the guard of the
 * set's arena. Writes no file, so `out`, `printer` and `skips_existing` are ignored. Returns 0, or a negative tp_status
 * if the inputs could not be found. */
int tp_summarize_collect(struct tp_summary_set *set, const struct tp_summarize_job *job,
                         struct tp_summarize_counts *counts, struct tp_error *err);

#endif
