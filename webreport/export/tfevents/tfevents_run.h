/* What the parts of a TensorBoard event file share, and the functions of the parts. Each part adds its records to the
 * buffer of the run. */
#ifndef TP_WEBREPORT_EXPORT_TFEVENTS_TFEVENTS_RUN_H
#define TP_WEBREPORT_EXPORT_TFEVENTS_TFEVENTS_RUN_H

#include "webreport/export/export_formats.h"
#include "writer/tfevents.h"

struct tp_tf_columns;

/* An export on its way. Everything but the two buffers lives in the profile's arena. */
struct tp_tf_run {
    const struct tp_export *export;
    struct tp_tfevents *events;
    struct tp_tf_columns *columns;     /* scalars of each step */
    struct tp_buf *text;               /* for texts that grow; cleared by who uses it */
    int64_t base_ns;                   /* added to a time of the trace it gives ns since 1970 */
    uint32_t step_count;               /* of the model's steps, at most TP_MAX_EXPORT_STEPS are shown */
    int64_t *step_numbers;             /* of the names where they grow ("ProfilerStep#12"), else 0, 1, 2 .. */
    struct tp_tfevents_at first, last; /* start of the first step, end of the last one */
};

/* A time of the trace in s since 1970. */
double tp_tf_seconds(const struct tp_tf_run *run, int64_t time_ns);

/* End of a step as time and number. */
struct tp_tfevents_at tp_tf_step_end(const struct tp_tf_run *run, uint32_t step);

/* `text` as a part of a tag in the arena: at most 64 bytes of letters, digits and _.:- */
const char *tp_tf_tag_part(struct tp_arena *arena, struct tp_str text);

/* Scalars of each step, histograms of each step (tfevents_steps.c, tfevents_kernels.c). */
void tp_tf_add_steps(const struct tp_tf_run *run);
/* What all profiles of one call of `export` share, in the job's arena, whose guard is set. */
struct tp_tf_job {
    struct tp_strings names; /* of runs and workers */
    struct tp_vec cycles;    /* tfevents_cycles.c */
    struct tp_vec samples;   /* tfevents_ranks.c */
};
struct tp_tf_job *tp_tf_job_of(struct tp_export_job *job);

/* The folder of a profile's event file: the worker's own; "WORKER.2" and so on for a capture whose steps do not go on
 * where those before it ended (tfevents_cycles.c). */
struct tp_tf_folder {
    char path[4096];
    uint32_t number;   /* 1: the worker's own */
    bool is_continued; /* it has the files of earlier cycles, which stay */
};

/* Once per profile; makes the folder. 0, TP_EIO, TP_ELIMIT, TP_ENOMEM. */
int tp_tf_find_folder(const struct tp_tf_run *run, struct tp_tf_folder *folder, struct tp_error *err);

/* Remembers what the comparison of ranks needs, in the job's arena (tfevents_ranks.c). 0 or TP_ENOMEM. */
int tp_tf_keep_ranks(const struct tp_tf_run *run);
/* Writes the records as the event file of a folder; the new file is there before the older ones go, which earlier
 * exports made, unless it continues them. host: safe as a part of a name. */
int tp_tf_write_file(const struct tp_buf *records, const struct tp_tf_folder *folder, const char *host, double wall_s,
                     struct tp_error *err);

/* What stands once: texts (tfevents_texts.c), the row of HParams (tfevents_hparams.c), figures and charts
 * (tfevents_summary.c), the graph (tfevents_tree.c). */
void tp_tf_add_texts(const struct tp_tf_run *run);
void tp_tf_add_hparams(const struct tp_tf_run *run, const struct tp_tf_metric *metrics, size_t metric_count);
void tp_tf_add_summary(const struct tp_tf_run *run);
void tp_tf_add_graph(const struct tp_tf_run *run);

/* The step in which a time lies, TP_NO_ID for none. */
uint32_t tp_tf_step_of(const struct tp_tf_run *run, int64_t time_ns);

/* A number that the program told as a fact about the run ("batch_size": 64 or "64"); NaN when it did not. */
double tp_tf_user_number(const struct tp_tf_run *run, const char *key);

/* Bytes over time of a device (enum tp_curve_column): the view's, or the sum of the records of a trace without totals.
 */
struct tp_table tp_tf_memory_curve(const struct tp_tf_run *run, uint32_t device);

/* ---- columns: a tag with a value per step ---- */

struct tp_tf_column {
    const char *tag, *description;
    double *values; /* by step; NaN: none */
    bool is_flat;   /* zero in every step: no series of this file */
};

struct tp_tf_columns {
    struct tp_arena *arena;
    uint32_t step_count;
    struct tp_vec items; /* struct tp_tf_column */
};

/* Values of a new column, all NaN. tag: unique. description: a borrowed text. */
double *tp_tf_column_new(struct tp_tf_columns *columns, const char *tag, const char *description);

/* The first column whose tag begins and ends so; NULL: none. with_flat: also one that is zero in every step. */
const struct tp_tf_column *tp_tf_column_find(const struct tp_tf_columns *columns, const char *begin, const char *end,
                                             bool with_flat);

/* Where the tags of the program's counters begin. */
#define TP_TF_COUNTERS "profile_counters/"

/* Columns of kernels, launches and operators, and their histograms: what needs a walk over events
 * (tfevents_kernels.c). */
void tp_tf_add_kernel_columns(const struct tp_tf_run *run, struct tp_tf_columns *columns);
void tp_tf_add_histograms(const struct tp_tf_run *run);
#endif
