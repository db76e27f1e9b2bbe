/* What an export format receives, the row that describes it, and the functions of all formats. */
#ifndef TP_WEBREPORT_EXPORT_EXPORT_FORMATS_H
#define TP_WEBREPORT_EXPORT_EXPORT_FORMATS_H

#include "webreport/export/filter.h"
#include "webreport/measure/result/profile.h"
#include "webreport/model/policy_torch.h"
#include "writer/base/arena.h"
#include "writer/base/error.h"

/* --color-by: what shapes of a picture are coloured by. */
enum tp_export_colour { TP_EXPORT_BY_LIFETIME, TP_EXPORT_BY_OPERATOR, TP_EXPORT_BY_MODULE };
#define TP_EXPORT_COLOURS "lifetime|operator|module" /* the same as choices of an option */

/* All profiles of one call of `export`, for what a format says about them together. */
struct tp_export_job {
    const char *out;        /* the folder named by -o */
    struct tp_arena *arena; /* of the whole job; its guard is set outside of `write` */
    void *kept;             /* the format's own, NULL at first; in `arena` */
    char written[1024];     /* names of the first written files: "a.csv, b.csv" */
    size_t named_count;     /* files in `written` */
    size_t written_count;   /* all written files */
};

/* What a format looks at; nothing beyond it is computed. */
enum tp_export_need {
    TP_EXPORT_NEEDS_ALL,
    TP_EXPORT_NEEDS_MODEL, /* trace, order, model */
    TP_EXPORT_NEEDS_TRACE,
    TP_EXPORT_NEEDS_NOTHING /* it reads export->path itself: profile->trace is empty, export->reading is to be filled */
};

/* One profile to write; everything is borrowed for the call. Names are safe as parts of a path: letters, digits and
 * ._- only, never empty, never starting with a dot. Both folders exist. */
struct tp_export {
    const struct tp_profile *profile;    /* trace, order, model, views, advice, and where they came from */
    const char *out;                     /* the folder named by -o */
    const char *path;                    /* of the trace, which can be read again as often as wanted */
    const struct tp_trace_options *read; /* how it was read */
    struct tp_reading *reading;          /* what the file had to say of itself */
    const char *folder;                  /* `out`, or a folder in it when several profiles are exported:
                                            out[/RUN][/WORKER[.SPAN]] with the parts that tell them apart */
    const char *run, *worker;            /* safe forms of profile->run and profile->worker */
    const char *metric;                  /* --metric, for formats that show one number; NULL: their own choice */
    const struct tp_trace *baseline;     /* --baseline, for formats that show a difference; NULL: none */
    const struct tp_filter *filter;      /* --step and the like, for formats that take a part; NULL: everything */
    enum tp_export_colour colour;        /* --color-by, for pictures that have a choice */
    bool is_slim;                        /* --slim, for formats that have a small form */
    enum tp_torch_rules rules;           /* --torch, for formats that equal what torch writes */
    struct tp_export_job *job;           /* NULL: there is only this profile */
    struct tp_arena *arena;              /* of this profile; its guard is set: own nothing else while allocating */
};

struct tp_export_format {
    const char *name;
    /* Returns 0, TP_EIO (names the path), TP_ENOMEM, TP_ELIMIT, TP_ENOTFOUND (says what the trace lacks: it counts as
     * one that cannot be used); or leaves through the arena's guard. Files appear whole or not at all. */
    int (*write)(const struct tp_export *export, struct tp_error *err);
    /* After the last profile, with the job's guard set; NULL: nothing is left to do. */
    int (*finish)(const struct tp_export_job *job, struct tp_error *err);
    bool (*check_metric)(const char *metric); /* whether it knows the metric; NULL: it takes none */
    /* What is needed of the profile where options decide (filter, read and is_slim are set); NULL: `needs`. */
    enum tp_export_need (*asks)(const struct tp_export *export);
    bool reads_text;           /* it reads export->path again */
    bool has_slim;             /* it knows --slim */
    bool has_own_folders;      /* it names what it needs in `out` itself: `folder` is not made for it */
    bool joins_cycles;         /* captures of one worker share `folder`, which ends in no SPAN */
    bool keeps_ends;           /* the trace itself: events keep the ends of the file, also those that cannot be */
    bool reads_frame_stacks;   /* the trace is read with keeps_frame_stacks */
    bool has_baseline;         /* it can show the difference to another trace */
    bool has_filter;           /* it can export a part */
    bool has_colours;          /* it knows --color-by */
    enum tp_export_need needs; /* of the profile */
};

/* ---- the functions of the table in export.c ---- */

/* A TensorBoard event file: scalars and histograms of each step, texts, HParams, Custom Scalars, graph
 * (export_tfevents.c). */
int tp_export_tfevents(const struct tp_export *export, struct tp_error *err);

/* For each run of several ranks: least, median and greatest value of each step over them, in OUT[/RUN]/over_ranks
 * (tfevents_ranks.c). */
int tp_export_tfevents_ranks(const struct tp_export_job *job, struct tp_error *err);

/* A session for XProf: plugins/profile/RUN[.TIME]/WORKER.xplane.pb in export->out (export_xplane.c). */
int tp_export_xplane(const struct tp_export *export, struct tp_error *err);

/* WORKER.METRIC.folded: a line per call stack (export_folded.c). export->metric: see webreport/measure/charts/folded_stacks.h.
 */
bool tp_export_folded_knows(const char *metric);
int tp_export_folded(const struct tp_export *export, struct tp_error *err);

/* WORKER.METRIC.svg, or WORKER.METRIC.diff.svg beside a baseline (export_flamegraph.c). export->metric: ours of folded.h. */
bool tp_export_flamegraph_knows(const char *metric);
int tp_export_flamegraph(const struct tp_export *export, struct tp_error *err);

/* WORKER.DEVICE.memory.svg for each device with memory records (export_memory_flow.c). */
int tp_export_memory_flow(const struct tp_export *export, struct tp_error *err);

/* WORKER.trace.json.gz (chrome_export.c): the trace as it is, or a part of it (chrome_raw.c); with is_slim cleaned
 * (chrome_slim.c). TP_EUSAGE when that file is the input. */
enum tp_export_need tp_export_chrome_asks(const struct tp_export *export);
/* In the head of a trace that was exported: it can be made again, and a later export replaces it. */
#define TP_EXPORT_MARK "tracepress export"
int tp_export_chrome(const struct tp_export *export, struct tp_error *err);
int tp_export_chrome_raw(const struct tp_export *export, const char *path, struct tp_error *err);
int tp_export_chrome_slim(const struct tp_export *export, const char *path, struct tp_error *err);

/* WORKER.TABLE.csv for each table of export_rows.h (export_csv.c); all of them in WORKER.sqlite (sqlite.c). */
int tp_export_csv(const struct tp_export *export, struct tp_error *err);
int tp_export_sqlite(const struct tp_export *export, struct tp_error *err);

/* WORKER.firefox.json.gz: samples and states by thread, for the Firefox Profiler (export_firefox.c). */
int tp_export_firefox(const struct tp_export *export, struct tp_error *err);

/* WORKER.pb.gz: samples, and waits by stack, for pprof (export_pprof.c). */
int tp_export_pprof(const struct tp_export *export, struct tp_error *err);

/* WORKER.speedscope.json: samples and states by thread, for speedscope (export_speedscope.c). */
int tp_export_speedscope(const struct tp_export *export, struct tp_error *err);

/* WORKER.pstats: Python functions as cProfile counts them (pstats.c). */
int tp_export_pstats(const struct tp_export *export, struct tp_error *err);

#endif
