/* Loads summaries from inputs of any kind: analyses traces, and unpacks `.tps` files. `diff`, `check` and the page of a
 * job use this module. */
#ifndef TP_WEBREPORT_SESSION_SUMMARIES_H
#define TP_WEBREPORT_SESSION_SUMMARIES_H

#include "webreport/measure/rules/rules.h"
#include "webreport/measure/summary/summary.h"
#include "webreport/measure/summary/summary_build.h"
#include "webreport/session/console.h"
#include "webreport/session/trace_analysis.h"
#include "webreport/trace/rundir.h"
#include "webreport/trace/trace.h"
#include "writer/base/error.h"

/* Options of loading. Initialize them with TP_SUMMARIES_OPTIONS. */
struct tp_summaries_options {
    const char *const *paths; /* trace files of any name, "-", `.tps` files, and folders of either */
    size_t path_count;
    /* with is_strict, an input that cannot be used, or any repair, is an error */
    struct tp_trace_options read;
    const struct tp_rule_overrides *rules; /* overrides of --rule; NULL selects the defaults */
    struct tp_console *console;            /* gets messages about inputs that cannot be used, and about repairs */
    struct tp_str job;                     /* name of the job in the keys of traces; "" without a job */
    int64_t rank;                          /* rank in the keys of traces; TP_NULL_INT selects the rank in the trace */
    enum tp_summary_extent extent;         /* extent of the summaries of traces; by default, they are complete */
    /* summaries of traces get the data of the run's program that was recorded from outside (summary_programs.h) */
    bool wants_program;
    /* Called for each usable trace after its model and views were built, in the order of the summaries. Must return
     * (not leave through a guard), because another thread may still build the advice. NULL for no call. Summaries of
     * traces come before summaries of files. */
    void (*analysed)(void *context, const struct tp_analysis *analysis);
    void *context;
};

#define TP_SUMMARIES_OPTIONS ((struct tp_summaries_options){.job = {"", 0}, .rank = TP_NULL_INT})

struct tp_summaries {
    /* in the order of the inputs; within a folder by run, worker and span; within a file by key */
    struct tp_summary *items;
    size_t count, failed_count;
    bool is_one_trace; /* the only path is a trace, not a folder or a file of summaries */
    bool hit_limit;    /* an input could not be used because of a limit */
};

/* Loads all inputs. A folder is searched for *.pt.trace.json[.gz], and for *.tps if it has no such file. Prints, counts
 * and skips inputs that cannot be used. Allocates from `arena`, whose guard the caller sets. Returns 0. Returns
 * TP_ENOTFOUND if no input can be used, or with is_strict if some input cannot be used. Returns TP_ELIMIT if a limit is
 * the cause. */
int tp_summaries_load(struct tp_summaries *out, struct tp_arena *arena, const struct tp_summaries_options *options,
                      struct tp_error *err);

/* Returns the source from which the summary of an analysed trace is made. Both arguments must outlive the source. */
struct tp_summary_source tp_summaries_source(const struct tp_run_file *file, const struct tp_analysis *analysis);

/* Makes the summary of one trace, in `arena`. Prints repairs. Returns 0, or the status of tp_trace_read if the trace
 * cannot be used. */
int tp_summaries_trace(struct tp_summary *summary, struct tp_arena *arena, const struct tp_run_file *file,
                       const struct tp_summaries_options *options, struct tp_error *err);

#endif
