/* Loads summaries from inputs of any type: analyzes traces and unpacks `.tps` files. Used by `diff`, `check` and the
 * page of a job. */
#ifndef TP_WEBREPORT_SESSION_SUMMARIES_H
#define TP_WEBREPORT_SESSION_SUMMARIES_H

#include "webreport/measure/rules/rules.h"
#include "webreport/measure/summary/summary.h"
#include "webreport/measure/summary/summary_build.h"
#include "webreport/session/capture_maps.h"
#include "webreport/session/console.h"
#include "webreport/session/trace_analysis.h"
#include "webreport/trace/rundir.h"
#include "webreport/trace/trace.h"
#include "writer/base/error.h"

/* Options for loading. Initialize them with TP_SUMMARIES_OPTIONS. */
struct tp_summaries_options {
    const char *const
        *paths; /* inputs: trace files of any name, "-", `.tps` files, and folders of traces or `.tps` files */
    size_t path_count;
    /* is_strict: true makes an unusable input or any repair an error */
    struct tp_trace_options read;
    const struct tp_rule_overrides *rules; /* changes to rules by the option --rule; NULL for the default rules */
    struct tp_console *console;            /* console for messages about unusable inputs and repairs */
    struct tp_str job; /* name of the job, stored in the key of each trace's summary; "" without a job */
    int64_t rank; /* rank, stored in the key of each trace's summary; TP_NULL_INT: the rank that the trace contains */
    enum tp_summary_extent extent; /* amount of data in the summaries that are made from traces; complete by default */
    /* true: add data of the program that was recorded from outside in the same run to the summaries of traces
     * (summary_programs.h) */
    bool needs_program;
    /* changes to price in traces, for metrics of the critical path; NULL: no metric needs a replay of the traces */
    const struct tp_asked_changes *asked;
    /* Called for each usable trace after its model and views are built, in the order of the summaries; may be NULL.
     * Must not jump to a guard, because another thread may still build the advice. Summaries of traces come before
     * those of files. */
    void (*analysed)(void *context, const struct tp_analysis *analysis);
    /* Called for each usable trace after its whole advice is built, in the same order, under the guards of the analysis
     * and of the summaries; NULL: the whole advice is not needed. */
    void (*advised)(void *context, const struct tp_run_file *file, const struct tp_analysis *analysis);
    void *context;                /* argument of both functions */
    struct tp_capture_maps *maps; /* capture traces of the command; NULL: each trace searches its own */
    bool skips_maps;              /* true: make no summary of a trace that is only a capture trace */
};

#define TP_SUMMARIES_OPTIONS ((struct tp_summaries_options){.job = {"", 0}, .rank = TP_NULL_INT})

struct tp_summaries {
    /* the summaries in the order of inputs; those of a folder are sorted by run, worker and recording, those of a file
     * by key */
    struct tp_summary *items;
    size_t count, failed_count;
    bool is_one_trace; /* true if the only path is a trace, not a folder or a file of summaries */
    bool hit_limit;    /* true if a limit made an input unusable */
};

/* Loads all inputs. In a folder, loads *.pt.trace.json[.gz], or *.tps if the folder has no traces. Prints, counts and
 * skips unusable inputs. Allocates from `arena`, whose guard the caller sets. Returns 0. Returns TP_ENOTFOUND if no
 * input is usable, or with is_strict if at least one is unusable; TP_ELIMIT if the cause is a limit. */
int tp_summaries_load(struct tp_summaries *out, struct tp_arena *arena, const struct tp_summaries_options *options,
                      struct tp_error *err);

/* Returns the data from which the summary of an analyzed trace is made. Both arguments must outlive the result. */
struct tp_summary_source tp_summaries_make_source(const struct tp_run_file *file, const struct tp_analysis *analysis);

/* Makes the summary of one trace, in `arena`. Prints notices about repairs. Returns 0, or the result of
 * tp_trace_read if the trace is unusable. Returns 1, without a summary, for a capture trace if skips_maps is set. */
int tp_summaries_read_trace(struct tp_summary *summary, struct tp_arena *arena, const struct tp_run_file *file,
                            const struct tp_summaries_options *options, struct tp_error *err);

#endif
