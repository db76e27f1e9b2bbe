/* Defines the data that an export format gets, the properties of a format, and the functions of all formats. */
#ifndef TP_WEBREPORT_EXPORT_EXPORT_FORMATS_H
#define TP_WEBREPORT_EXPORT_EXPORT_FORMATS_H

#include "webreport/export/filter.h"
#include "webreport/measure/result/profile.h"
#include "webreport/measure/snapshot/snapshot_result.h"
#include "webreport/model/policy_torch.h"
#include "writer/base/arena.h"
#include "writer/base/error.h"

/* Values of the option --color-by: what the colors of a picture show. */
enum tp_export_colour {
    TP_EXPORT_BY_LIFETIME,
    TP_EXPORT_BY_OPERATOR, /* only for traces */
    TP_EXPORT_BY_MODULE,
    TP_EXPORT_BY_LINE, /* this one and the next ones: only for memory snapshots */
    TP_EXPORT_BY_CATEGORY,
    TP_EXPORT_BY_STREAM
};
#define TP_EXPORT_COLOURS "lifetime|operator|module|line|category|stream" /* the values of --color-by as text */

/* Data of one run of the command `export`, for formats that also write files about all profiles together. */
struct tp_export_job {
    const char *out;        /* folder given by -o */
    const char *file;       /* name of the file in `out`, if -o ends in a file name of the format; otherwise NULL */
    struct tp_arena *arena; /* memory for the whole command; its guard is not set while tp_export_format.write runs */
    void *kept;             /* private data that the format stores in `arena`; initially NULL */
    char written[1024];     /* names of the first written files, as text: "a.csv, b.csv" */
    size_t named_count;     /* number of file names in `written` */
    size_t written_count;   /* number of all written files */
};

/* Parts of a profile that a format needs. Other parts are not computed. */
enum tp_export_need {
    TP_EXPORT_NEEDS_ALL,
    TP_EXPORT_NEEDS_MODEL, /* the trace, the order of its events, and the model */
    TP_EXPORT_NEEDS_TRACE,
    /* the format reads export->path itself; profile->trace is empty, and the format fills export->reading */
    TP_EXPORT_NEEDS_NOTHING
};

/* One profile to export. All pointers are borrowed for the call. `run` and `worker` are safe as parts of a path: only
 * letters, digits and ._-, at least one character, and no dot at the start. The folders `out` and `folder` exist. */
struct tp_export {
    const struct tp_profile *profile; /* profile to export: trace, order of its events, model, views, advice */
    /* memory snapshot to export, for formats that take snapshots; then `profile` is NULL. NULL for a trace */
    const struct tp_snapshot_result *snapshot;
    const char *out;  /* folder given by -o */
    const char *path; /* path of the trace file, for formats that read the file again */
    bool is_part;     /* true if the file is a merged trace in JSON, of which `profile` is one rank */
    const struct tp_trace_options *read; /* the options with which the trace was read */
    struct tp_reading *reading;          /* numbers of elements that were read, skipped and repaired */
    /* folder for the files. It is `out` for a single profile. With several profiles, each profile has a folder
     * out[/RUN][/WORKER[.SPAN]], with only the parts in which the profiles differ. */
    const char *folder;
    const char *run, *worker;    /* profile->run and profile->worker as names that are safe in a path */
    const char *wanted_operator; /* value of --operator, for formats that show one operator; otherwise NULL */
    /* value of --metric, for formats that show one number; NULL selects their default */
    const char *metric;
    /* trace given by --baseline, for formats that show a difference; NULL without a baseline */
    const struct tp_trace *baseline;
    const struct tp_model *baseline_model; /* model of this trace; NULL if the format does not need models */
    const struct tp_snapshot_result *snapshot_baseline; /* the same for a memory snapshot */
    enum tp_snapshot_when when;                         /* value of --at: the moment of a memory snapshot to show */
    /* filter given by --step and similar options, for formats that can export a part of the trace; NULL exports
     * everything */
    const struct tp_filter *filter;
    enum tp_export_colour colour; /* value of --color-by, for pictures */
    bool is_slim;                 /* true: the option --slim is set, for formats that have a reduced form */
    enum tp_torch_rules rules;    /* value of --torch, for formats that reproduce files of torch */
    struct tp_export_job *job;    /* data for all profiles; NULL if this is the only profile */
    /* arena of this profile, whose guard is set; a failed allocation does not return, so do not allocate while a file
     * or another resource is open */
    struct tp_arena *arena;
};

struct tp_export_format {
    const char *name;
    /* Writes one profile. Returns 0, TP_EIO (the error names the path), TP_ENOMEM or TP_ELIMIT. Returns TP_ENOTFOUND if
     * the trace lacks data for the format; the error names the data, and the command reports the trace as unusable.
     * Returns TP_EUSAGE if the profile needs a file of its own, and -o names one file for several profiles. A failed
     * allocation may jump to the arena's guard. A file gets its name only after it is complete. */
    int (*write)(const struct tp_export *export, struct tp_error *err);
    /* Writes the files about all profiles. Runs after the last profile, with the guard of the job's arena set. NULL if
     * the format has no such files. */
    int (*finish)(const struct tp_export_job *job, struct tp_error *err);
    /* Returns whether the format supports the metric. NULL if the format does not have the option --metric. */
    bool (*check_metric)(const char *metric);
    /* Returns the parts of the profile that the options in `export` need; filter, read, is_slim and metric must be set.
     * NULL if the format always needs the same parts (member `needs`). */
    enum tp_export_need (*choose_needs)(const struct tp_export *export);
    /* endings of file names that -o may have, separated by spaces; NULL if -o is always a folder */
    const char *file_endings;
    bool rereads_trace;   /* true: the format reads export->path again */
    bool supports_slim;   /* true: the format supports --slim */
    bool has_own_folders; /* true: the format makes its own folders in `out`, and the caller does not make `folder` */
    bool uses_one_folder_per_worker; /* true: all captures of one worker use the same `folder`, whose name therefore has
                                        no SPAN */
    /* true: events keep the end times of the file, even impossible ones, because the format exports the trace itself */
    bool keeps_ends;
    bool reads_frame_stacks;   /* true: the trace must be read with the option keeps_frame_stacks */
    bool has_baseline;         /* true: the format can show the difference from another trace */
    bool has_filter;           /* true: the format can export a part of the trace */
    bool has_operator;         /* true: the format shows one operator and needs --operator */
    bool has_colours;          /* true: the format supports --color-by */
    bool takes_snapshots;      /* true: the format can export memory snapshots */
    bool shows_moment;         /* true: the format shows one moment of a memory snapshot (--at) */
    enum tp_export_need needs; /* parts of the profile that the format needs */
};

/* ---- functions to which the table in export.c refers ---- */

/* Writes a TensorBoard event file with scalars and histograms of each step, texts, HParams, Custom Scalars and a graph
 * (export_tfevents.c). */
int tp_export_tfevents(const struct tp_export *export, struct tp_error *err);

/* Compares the ranks of each run with several ranks: writes the smallest, median and largest value at each step to
 * OUT[/RUN]/over_ranks (tfevents_ranks.c). */
int tp_export_tfevents_ranks(const struct tp_export_job *job, struct tp_error *err);

/* Writes a session for XProf: the file plugins/profile/RUN[.TIME]/WORKER.xplane.pb in export->out (export_xplane.c). */
int tp_export_xplane(const struct tp_export *export, struct tp_error *err);

/* tp_export_folded_has_metric returns whether the metric exists (webreport/measure/charts/folded_stacks.h).
 * tp_export_folded writes WORKER.METRIC.folded, with a line for each call stack (export_folded.c). */
bool tp_export_folded_has_metric(const char *metric);
int tp_export_folded(const struct tp_export *export, struct tp_error *err);

/* Returns the parts of the profile that the stacks of export->metric need (stacks/trace_stacks.c). */
enum tp_export_need tp_export_stacks_needs(const struct tp_export *export);

/* tp_export_flamegraph_has_metric returns whether tracepress defines the metric, not torch. tp_export_flamegraph writes
 * WORKER.METRIC.svg, or WORKER.METRIC.diff.svg with a baseline (export_flamegraph.c). */
bool tp_export_flamegraph_has_metric(const char *metric);
int tp_export_flamegraph(const struct tp_export *export, struct tp_error *err);

/* Writes WORKER.DEVICE.memory.svg for each device that has memory records (export_memory_flow.c). */
int tp_export_memory_flow(const struct tp_export *export, struct tp_error *err);

/* tp_export_chrome_needs returns the parts of the profile that the options need. tp_export_chrome writes
 * WORKER.trace.json.gz: without is_slim the unchanged trace or a part of it (chrome_raw.c), with is_slim a cleaned
 * trace (chrome_slim.c). It returns TP_EUSAGE if this path is also the input. */
enum tp_export_need tp_export_chrome_needs(const struct tp_export *export);
/* Comment in the gzip header of an exported trace. A later export is allowed to overwrite files with this comment. */
#define TP_EXPORT_MARK "tracepress export"
int tp_export_chrome(const struct tp_export *export, struct tp_error *err);
int tp_export_chrome_raw(const struct tp_export *export, const char *path, struct tp_error *err);
int tp_export_chrome_slim(const struct tp_export *export, const char *path, struct tp_error *err);

/* tp_export_csv writes one file WORKER.TABLE.csv for each table of export_rows.h (export_csv.c). tp_export_sqlite
 * writes WORKER.sqlite with all tables (sqlite.c). */
int tp_export_csv(const struct tp_export *export, struct tp_error *err);
int tp_export_sqlite(const struct tp_export *export, struct tp_error *err);

/* Writes WORKER.firefox.json.gz for the Firefox Profiler: samples and states of each thread (export_firefox.c). */
int tp_export_firefox(const struct tp_export *export, struct tp_error *err);

/* Writes WORKER.pb.gz for pprof: samples, and waits by stack (export_pprof.c). */
int tp_export_pprof(const struct tp_export *export, struct tp_error *err);

/* Writes WORKER.speedscope.json for speedscope: samples and states of each thread (export_speedscope.c). */
int tp_export_speedscope(const struct tp_export *export, struct tp_error *err);

/* tp_export_perfetto writes WORKER.pftrace, or the file that -o names, for Perfetto. With several profiles,
 * tp_export_perfetto_job writes one file with all of them (export_perfetto.c). */
int tp_export_perfetto(const struct tp_export *export, struct tp_error *err);
int tp_export_perfetto_job(const struct tp_export_job *job, struct tp_error *err);

/* Writes WORKER.pstats: calls of Python functions, with the same definitions as in cProfile (pstats.c). */
int tp_export_pstats(const struct tp_export *export, struct tp_error *err);

/* Writes a Python script, named after the worker or by -o, that calls the operator export->wanted_operator with its
 * recorded arguments (repro/export_repro.c). Returns TP_ENOTFOUND if the call cannot be built. */
int tp_export_repro(const struct tp_export *export, struct tp_error *err);

#endif
