/* Loads summaries from inputs of any kind: analyzes traces and unpacks `.tps` files. `diff`, `check` and the job page
 * use it. */
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

/* Start from TP_SUMMARIES_OPTIONS. */
struct tp_summaries_options {
    const char *const *paths; /* trace files of any name, "-", `.tps` files, folders of either */
    size_t path_count;
    struct tp_trace_options read;          /* is_strict: an input that cannot be used, or any repair, is an error */
    const struct tp_rule_overrides *rules; /* NULL: the defaults */
    struct tp_console *console;            /* prints what could not be used and what was repaired */
    struct tp_str job;                     /* job in the keys of traces; "": none */
    int64_t rank;                          /* rank in the keys of traces; TP_NULL_INT: the rank in the trace */
    enum tp_summary_extent extent;         /* extent of the summaries of traces; the default is the whole */
    bool wants_program; /* traces of a run get the data of its program recorded from outside (summary_programs.h) */
    /* Called for each usable trace, in the order of the summaries, when its model and views exist. It must return, as
     * another thread may still build the advice. NULL: no call. Summaries of traces precede those of files. */
    void (*analysed)(void *context, const struct tp_analysis *analysis);
    void *context;
};

#define TP_SUMMARIES_OPTIONS ((struct tp_summaries_options){.job = {"", 0}, .rank = TP_NULL_INT})

struct tp_summaries {
    struct tp_summary *items; /* in the order of the inputs; in a folder by run, worker, span; in a file by key */
    size_t count, failed_count;
    bool is_one_trace; /* the only path is a trace itself, neither a folder nor a file of summaries */
    bool hit_limit;    /* an input failed because of a limit */
};

/* Loads all inputs into `arena` (guard set by the caller). A folder is searched for *.pt.trace.json[.gz]; if it has no
 * such file, for *.tps. Prints, counts and skips inputs that cannot be used. Returns 0; TP_ENOTFOUND without a usable
 * input, or with is_strict when any input cannot be used; TP_ELIMIT when a limit is the cause. */
int tp_summaries_load(struct tp_summaries *out, struct tp_arena *arena, const struct tp_summaries_options *options,
                      struct tp_error *err);

/* Returns the source from which the summary of an analyzed trace is made. Borrows both. */
struct tp_summary_source tp_summaries_source(const struct tp_run_file *file, const struct tp_analysis *analysis);

/* Makes the summary of one trace, in `arena`. Prints repairs. Returns 0, or why it cannot be used (tp_trace_read). */
int tp_summaries_trace(struct tp_summary *summary, struct tp_arena *arena, const struct tp_run_file *file,
                       const struct tp_summaries_options *options, struct tp_error *err);

#endif
