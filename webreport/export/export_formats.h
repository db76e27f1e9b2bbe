/* What an export format receives, the row that describes it, and the functions of all formats. */
#ifndef TP_WEBREPORT_EXPORT_EXPORT_FORMATS_H
#define TP_WEBREPORT_EXPORT_EXPORT_FORMATS_H

#include "webreport/export/filter.h"
#include "webreport/measure/result/profile.h"
#include "webreport/model/policy_torch.h"
#include "writer/base/arena.h"
#include "writer/base/error.h"

/* --color-by: what the colors of a picture show. */
enum tp_export_colour { TP_EXPORT_BY_LIFETIME, TP_EXPORT_BY_OPERATOR, TP_EXPORT_BY_MODULE };
#define TP_EXPORT_COLOURS "lifetime|operator|module" /* the same, as the choices of an option */

/* All profiles of one call of `export`, for a format that also writes about them together. */
struct tp_export_job {
    const char *out;        /* the folder named by -o */
    struct tp_arena *arena; /* lives for the whole call; its guard is not set inside `write` */
    void *kept;             /* data of the format, NULL at first; in `arena` */
    char written[1024];     /* names of the first written files: "a.csv, b.csv" */
    size_t named_count;     /* files in `written` */
    size_t written_count;   /* all written files */
};

/* The parts of a profile that a format needs; no others are computed. */
enum tp_export_need {
    TP_EXPORT_NEEDS_ALL,
    TP_EXPORT_NEEDS_MODEL, /* trace, order, model */
    TP_EXPORT_NEEDS_TRACE,
    /* the format reads export->path itself: profile->trace is empty, and it fills export->reading */
    TP_EXPORT_NEEDS_NOTHING
};

/* One profile to write; everything is borrowed for the call. Names are safe as parts of a path: only letters, digits
 * and ._-, never empty, never with a dot first. Both folders exist. */
struct tp_export {
    const struct tp_profile *profile;    /* trace, order, model, views, advice, and their source */
    const char *out;                     /* the folder named by -o */
    const char *path;                    /* path of the trace, which can be read again at any time */
    const struct tp_trace_options *read; /* the options it was read with */
    struct tp_reading *reading;          /* counters of the reading */
    const char *folder;                  /* `out`, or a folder in it when several profiles are exported:
                                            out[/RUN][/WORKER[.SPAN]] with the parts that tell them apart */
    const char *run, *worker;            /* profile->run and profile->worker as safe names */
    const char *metric;                  /* --metric, for formats that show one number; NULL: their default */
    const struct tp_trace *baseline;     /* --baseline, for formats that show a difference; NULL: none */
    /* --step and similar options, for formats that can export a part; NULL: everything */
    const struct tp_filter *filter;
    enum tp_export_colour colour;        /* --color-by, for pictures */
    bool is_slim;                        /* --slim, for formats with a small form */
    enum tp_torch_rules rules;           /* --torch, for formats that reproduce files of torch */
    struct tp_export_job *job;           /* NULL: there is only this profile */
    /* arena of this profile, with its guard set: hold no other resource while allocating */
    struct tp_arena *arena;
};

struct tp_export_format {
    const char *name;
    /* Writes one profile. Returns 0, TP_EIO (names the path), TP_ENOMEM, TP_ELIMIT, or TP_ENOTFOUND (says what the
     * trace lacks; the trace counts as unusable); or leaves through the arena's guard. Files appear whole or not at
     * all. */
    int (*write)(const struct tp_export *export, struct tp_error *err);
    /* Runs after the last profile, with the job's guard set; NULL: nothing to do. */
    int (*finish)(const struct tp_export_job *job, struct tp_error *err);
    /* returns whether it knows the metric; NULL: the format takes no metric */
    bool (*check_metric)(const char *metric);
    /* Returns the need when options decide it (filter, read and is_slim are set); NULL: always `needs`. */
    enum tp_export_need (*asks)(const struct tp_export *export);
    bool reads_text;           /* it reads export->path again */
    bool has_slim;             /* it knows --slim */
    bool has_own_folders;      /* it makes its own folders in `out`: `folder` is not made */
    bool joins_cycles;         /* captures of one worker share `folder`, whose name has no SPAN */
    bool keeps_ends;           /* it exports the trace itself: events keep the ends of the file, even impossible ones */
    bool reads_frame_stacks;   /* the trace is read with keeps_frame_stacks */
    bool has_baseline;         /* it can show the difference from another trace */
    bool has_filter;           /* it can export a part */
    bool has_colours;          /* it knows --color-by */
    enum tp_export_need needs; /* parts of the profile */
};

/* ---- the functions of the table in export.c ---- */

/* Writes a TensorBoard event file: scalars and histograms of each step, texts, HParams, Custom Scalars, graph
 * (export_tfevents.c). */
int tp_export_tfevents(const struct tp_export *export, struct tp_error *err);

/* Writes, for each run of several ranks, the least, median and greatest value over the ranks at each step, in
 * OUT[/RUN]/over_ranks (tfevents_ranks.c). */
int tp_export_tfevents_ranks(const struct tp_export_job *job, struct tp_error *err);

/* Writes a session for XProf: plugins/profile/RUN[.TIME]/WORKER.xplane.pb in export->out (export_xplane.c). */
int tp_export_xplane(const struct tp_export *export, struct tp_error *err);

/* Writes WORKER.METRIC.folded, a line for each call stack (export_folded.c). For export->metric see
 * webreport/measure/charts/folded_stacks.h. */
bool tp_export_folded_knows(const char *metric);
int tp_export_folded(const struct tp_export *export, struct tp_error *err);

/* WORKER.METRIC.svg, or WORKER.METRIC.diff.svg beside a baseline (export_flamegraph.c). export->metric: ours of
 * folded.h. */
bool tp_export_flamegraph_knows(const char *metric);
int tp_export_flamegraph(const struct tp_export *export, struct tp_error *err);

/* WORKER.DEVICE.memory.svg for each device with memory records (export_memory_flow.c). */
int tp_export_memory_flow(const struct tp_export *export, struct tp_error *err);

/* Writes WORKER.trace.json.gz (chrome_export.c): the trace or a part of it unchanged (chrome_raw.c), or with is_slim a
 * cleaned trace (chrome_slim.c). TP_EUSAGE when that file is the input. */
enum tp_export_need tp_export_chrome_asks(const struct tp_export *export);
/* The mark of an exported trace in its gzip header. A later export may replace such a file. */
#define TP_EXPORT_MARK "tracepress export"
int tp_export_chrome(const struct tp_export *export, struct tp_error *err);
int tp_export_chrome_raw(const struct tp_export *export, const char *path, struct tp_error *err);
int tp_export_chrome_slim(const struct tp_export *export, const char *path, struct tp_error *err);

/* Write each table of export_rows.h as WORKER.TABLE.csv (export_csv.c), or all of them into WORKER.sqlite
 * (sqlite.c). */
int tp_export_csv(const struct tp_export *export, struct tp_error *err);
int tp_export_sqlite(const struct tp_export *export, struct tp_error *err);

/* Writes WORKER.firefox.json.gz: samples and states by thread, for the Firefox Profiler (export_firefox.c). */
int tp_export_firefox(const struct tp_export *export, struct tp_error *err);

/* Writes WORKER.pb.gz: samples, and waits by stack, for pprof (export_pprof.c). */
int tp_export_pprof(const struct tp_export *export, struct tp_error *err);

/* Writes WORKER.speedscope.json: samples and states by thread, for speedscope (export_speedscope.c). */
int tp_export_speedscope(const struct tp_export *export, struct tp_error *err);

/* Writes WORKER.pstats: Python functions as cProfile counts them (pstats.c). */
int tp_export_pstats(const struct tp_export *export, struct tp_error *err);

#endif
