/* Inputs of any kind -> summaries: traces are analysed, `.tps` files unpacked. What `diff`, `check` and the job page
 * start from. */
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
    struct tp_trace_options read;          /* is_strict: an input that cannot be used, or any repair, ends it */
    const struct tp_rule_overrides *rules; /* NULL: the defaults */
    struct tp_console *console;            /* says what could not be used and what was repaired */
    struct tp_str job;                     /* of the keys of traces; "" is none */
    int64_t rank;                          /* of the keys of traces; TP_NULL_INT: what the trace says */
    enum tp_summary_extent extent;         /* of summaries of traces; the default is the whole */
    bool wants_program; /* traces of a run get what its program from outside tells (summary_programs.h) */
    /* Called for each usable trace, in the order of the summaries, when its model and views are there; the advice may
     * still be at work on another thread, so it must return. NULL: not. Summaries of traces stand before those of
     * files. */
    void (*analysed)(void *context, const struct tp_analysis *analysis);
    void *context;
};

#define TP_SUMMARIES_OPTIONS ((struct tp_summaries_options){.job = {"", 0}, .rank = TP_NULL_INT})

struct tp_summaries {
    struct tp_summary *items; /* in the order of the inputs; in a folder by run, worker, span; in a file by key */
    size_t count, failed_count;
    bool is_one_trace; /* the only path is a trace itself, neither a folder nor a file of summaries */
    bool hit_limit;    /* a limit is why one of the failed ones failed */
};

/* Loads everything into `arena`, whose guard is the caller's. A folder is searched for *.pt.trace.json[.gz]; one that
 * holds none, for *.tps. Inputs that cannot be used are said, counted and skipped. Returns 0; TP_ENOTFOUND without any
 * usable input, or with one that is not and is_strict; TP_ELIMIT when that is due to a limit. */
int tp_summaries_load(struct tp_summaries *out, struct tp_arena *arena, const struct tp_summaries_options *options,
                      struct tp_error *err);

/* What the summary of an analysed trace is made from. Borrows both. */
struct tp_summary_source tp_summaries_source(const struct tp_run_file *file, const struct tp_analysis *analysis);

/* The summary of one trace, in `arena`. Repairs are said. Returns 0 or why it cannot be used (tp_trace_read). */
int tp_summaries_trace(struct tp_summary *summary, struct tp_arena *arena, const struct tp_run_file *file,
                       const struct tp_summaries_options *options, struct tp_error *err);

#endif
