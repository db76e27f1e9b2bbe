/* The functions of the table in export.c, one per format. */
#ifndef TP_WEBREPORT_EXPORT_EXPORT_FORMATS_H
#define TP_WEBREPORT_EXPORT_EXPORT_FORMATS_H

#include "webreport/export/export.h"

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

/* WORKER.METRIC.svg, or WORKER.METRIC.diff.svg beside a baseline (flamegraph.c). export->metric: ours of folded.h. */
bool tp_export_flamegraph_knows(const char *metric);
int tp_export_flamegraph(const struct tp_export *export, struct tp_error *err);

/* WORKER.DEVICE.memory.svg for each device with memory records (memory_flow.c). */
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
