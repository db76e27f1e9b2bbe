/* What the parts of a TensorBoard event file share, and the functions of the parts. Each part adds its records to the
 * buffer of the run. */
#ifndef TP_WEBREPORT_EXPORT_TFEVENTS_TFEVENTS_RUN_H
#define TP_WEBREPORT_EXPORT_TFEVENTS_TFEVENTS_RUN_H

#include "webreport/export/export_formats.h"
#include "writer/tfevents.h"

struct tp_tf_columns;

/* An export in progress. Everything but the two buffers is in the profile's arena. */
struct tp_tf_run {
    const struct tp_export *export;
    struct tp_tfevents *events;
    struct tp_tf_columns *columns;     /* scalars of each step */
    struct tp_buf *text;               /* scratch text; each user clears it first */
    int64_t base_ns;                   /* offset from a time of the trace to ns since 1970 */
    uint32_t step_count;               /* steps that are exported: at most TP_MAX_EXPORT_STEPS of the model's */
    /* numbers of their names when these ascend ("ProfilerStep#12"), else 0, 1, 2 .. */
    int64_t *step_numbers;
    struct tp_tfevents_at first, last; /* the start of the first step and the end of the last one */
};

/* Returns a time of the trace in seconds since 1970. */
double tp_tf_seconds(const struct tp_tf_run *run, int64_t time_ns);

/* Returns the end of a step, as time and step number. */
struct tp_tfevents_at tp_tf_step_end(const struct tp_tf_run *run, uint32_t step);

/* Returns `text` as a part of a tag, in the arena: at most 64 bytes of letters, digits and _.:- */
const char *tp_tf_tag_part(struct tp_arena *arena, struct tp_str text);

/* Add the scalars and the histograms of each step (tfevents_steps.c, tfevents_kernels.c). */
void tp_tf_add_steps(const struct tp_tf_run *run);
/* Data that all profiles of one call of `export` share, in the job's arena, whose guard is set. */
struct tp_tf_job {
    struct tp_strings names; /* names of runs and workers */
    struct tp_vec cycles;    /* see tfevents_cycles.c */
    struct tp_vec samples;   /* see tfevents_ranks.c */
};
struct tp_tf_job *tp_tf_job_of(struct tp_export_job *job);

/* The folder of a profile's event file: the worker's own, or "WORKER.2" and so on for a capture whose step numbers do
 * not continue those of the previous capture (tfevents_cycles.c). */
struct tp_tf_folder {
    char path[4096];
    uint32_t number;   /* 1: the worker's own */
    bool is_continued; /* it has the files of earlier cycles, which must remain */
};

/* Finds and makes the folder; once for each profile. Returns 0, TP_EIO, TP_ELIMIT or TP_ENOMEM. */
int tp_tf_find_folder(const struct tp_tf_run *run, struct tp_tf_folder *folder, struct tp_error *err);

/* Keeps the data that the comparison of ranks needs, in the job's arena (tfevents_ranks.c). Returns 0 or TP_ENOMEM. */
int tp_tf_keep_ranks(const struct tp_tf_run *run);
/* Writes the records as the event file of a folder. It then removes the files of earlier exports, unless the folder
 * continues them. host: safe as a part of a name. */
int tp_tf_write_file(const struct tp_buf *records, const struct tp_tf_folder *folder, const char *host, double wall_s,
                     struct tp_error *err);

/* Add the parts that a file has once: texts (tfevents_texts.c), the row of HParams (tfevents_hparams.c), figures and
 * charts (tfevents_summary.c), the graph (tfevents_tree.c). */
void tp_tf_add_texts(const struct tp_tf_run *run);
void tp_tf_add_hparams(const struct tp_tf_run *run, const struct tp_tf_metric *metrics, size_t metric_count);
void tp_tf_add_summary(const struct tp_tf_run *run);
void tp_tf_add_graph(const struct tp_tf_run *run);

/* Returns the step that contains a time, TP_NO_ID: none. */
uint32_t tp_tf_step_of(const struct tp_tf_run *run, int64_t time_ns);

/* Returns a number that the program recorded as a fact about the run ("batch_size": 64 or "64"); NaN: none. */
double tp_tf_user_number(const struct tp_tf_run *run, const char *key);

/* Returns the bytes of a device over time (enum tp_curve_column): the curve of the view, or in a trace without totals
 * the running sum of the records. */
struct tp_table tp_tf_memory_curve(const struct tp_tf_run *run, uint32_t device);

/* ---- columns: a tag with a value for each step ---- */

struct tp_tf_column {
    const char *tag, *description;
    double *values; /* by step; NaN: none */
    bool is_flat;   /* zero in every step: not written */
};

struct tp_tf_columns {
    struct tp_arena *arena;
    uint32_t step_count;
    struct tp_vec items; /* struct tp_tf_column */
};

/* Adds a column and returns its values, all NaN. tag: unique. description: a borrowed text. */
double *tp_tf_column_new(struct tp_tf_columns *columns, const char *tag, const char *description);

/* Returns the first column whose tag has this begin and end; NULL: none. with_flat: also a column that is zero in every
 * step. */
const struct tp_tf_column *tp_tf_column_find(const struct tp_tf_columns *columns, const char *begin, const char *end,
                                             bool with_flat);

/* The begin of the tags of the program's counters. */
#define TP_TF_COUNTERS "profile_counters/"

/* Adds the columns and histograms that need a walk over events: kernels, launches and operators
 * (tfevents_kernels.c). */
void tp_tf_add_kernel_columns(const struct tp_tf_run *run, struct tp_tf_columns *columns);
void tp_tf_add_histograms(const struct tp_tf_run *run);
#endif
