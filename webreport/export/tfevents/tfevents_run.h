/* Declares data and functions that the parts of a TensorBoard event file share. Each part adds its records to the
 * buffer of the run. */
#ifndef TP_WEBREPORT_EXPORT_TFEVENTS_TFEVENTS_RUN_H
#define TP_WEBREPORT_EXPORT_TFEVENTS_TFEVENTS_RUN_H

#include "webreport/export/export_formats.h"
#include "writer/tfevents.h"

struct tp_tf_columns;

/* An export in progress. Only the two buffers are outside of the profile's arena. */
struct tp_tf_run {
    const struct tp_export *export;
    struct tp_tfevents *events;
    struct tp_tf_columns *columns; /* scalars of each step */
    struct tp_buf *text;           /* scratch text; each function that uses it clears it first */
    int64_t base_ns;               /* difference between ns since 1970 and a time of the trace, ns */
    uint32_t step_count;           /* number of exported steps, at most TP_MAX_EXPORT_STEPS */
    /* for each step: the number in its name ("ProfilerStep#12") if the numbers of all steps ascend; otherwise 0, 1, 2
     * .. */
    int64_t *step_numbers;
    struct tp_tfevents_at first, last; /* first: start of the first step; last: end of the last step */
};

/* Converts a time of the trace to seconds since 1970. */
double tp_tf_seconds(const struct tp_tf_run *run, int64_t time_ns);

/* Returns the end of a step as time and step number. */
struct tp_tfevents_at tp_tf_step_end(const struct tp_tf_run *run, uint32_t step);

/* Returns `text` as a part of a tag, in the arena: at most 64 bytes of letters, digits and _.:- */
const char *tp_tf_tag_part(struct tp_arena *arena, struct tp_str text);

/* Adds the scalars and histograms of each step (tfevents_steps.c, tfevents_kernels.c). */
void tp_tf_add_steps(const struct tp_tf_run *run);
/* Data that all profiles of one call of `export` share. It is in the job's arena, whose guard is set. */
struct tp_tf_job {
    struct tp_strings names; /* names of runs and workers */
    struct tp_vec cycles;    /* data of tfevents_cycles.c */
    struct tp_vec samples;   /* data of tfevents_ranks.c */
};
struct tp_tf_job *tp_tf_job_get(struct tp_export_job *job);

/* Folder of a profile's event file. It is the worker's own folder. For a capture whose step numbers do not continue
 * those of the previous capture, it is "WORKER.2" and so on (tfevents_cycles.c). */
struct tp_tf_folder {
    char path[4096];
    uint32_t number;   /* 1: the worker's own folder; n > 1: the folder "WORKER.n" */
    bool is_continued; /* true if the folder has the files of earlier cycles, which must not be removed */
};

/* Finds and makes the folder of a profile. Call it once for each profile. Returns 0, TP_EIO, TP_ELIMIT or TP_ENOMEM. */
int tp_tf_find_folder(const struct tp_tf_run *run, struct tp_tf_folder *folder, struct tp_error *err);

/* Stores the data that the comparison of ranks needs in the job's arena (tfevents_ranks.c). Returns 0 or TP_ENOMEM. */
int tp_tf_store_rank_samples(const struct tp_tf_run *run);
/* Writes the records as the event file of a folder. Then removes the files of earlier exports from the folder, unless
 * folder->is_continued. host: a name that is safe as a part of a file name. */
int tp_tf_write_file(const struct tp_buf *records, const struct tp_tf_folder *folder, const char *host, double wall_s,
                     struct tp_error *err);

/* tp_tf_add_* add parts that a file has only once: texts (tfevents_texts.c), the row of HParams (tfevents_hparams.c),
 * figures and charts (tfevents_summary.c), and the graph (tfevents_tree.c). */
void tp_tf_add_texts(const struct tp_tf_run *run);
void tp_tf_add_hparams(const struct tp_tf_run *run, const struct tp_tf_metric *metrics, size_t metric_count);
void tp_tf_add_summary(const struct tp_tf_run *run);
void tp_tf_add_graph(const struct tp_tf_run *run);

/* Returns the step that contains a time of the trace, or TP_NO_ID. */
uint32_t tp_tf_step_at(const struct tp_tf_run *run, int64_t time_ns);

/* Returns a number that the program recorded as a fact about the run ("batch_size": 64 or "64"), or NaN. */
double tp_tf_user_number(const struct tp_tf_run *run, const char *key);

/* Returns the allocated bytes of a device over time (enum tp_curve_column), as in the view. If the trace has no
 * totals, returns the running sum of the records. */
struct tp_table tp_tf_memory_curve(const struct tp_tf_run *run, uint32_t device);

/* ---- columns: a tag with a value for each step ---- */

struct tp_tf_column {
    const char *tag, *description;
    double *values; /* for each step: its value; NaN if unknown */
    bool is_flat;   /* true if the column is zero in every step; such a column is not written */
};

struct tp_tf_columns {
    struct tp_arena *arena;
    uint32_t step_count;
    struct tp_vec items; /* all columns; items: struct tp_tf_column */
};

/* Adds a column and returns its values, which are all NaN. tag: must be unique. description: must be valid as long as
 * the columns. */
double *tp_tf_column_new(struct tp_tf_columns *columns, const char *tag, const char *description);

/* Returns the first column whose tag has this beginning and this end, or NULL. with_flat: columns that are zero in
 * every step are searched too. */
const struct tp_tf_column *tp_tf_column_find(const struct tp_tf_columns *columns, const char *begin, const char *end,
                                             bool with_flat);

/* beginning of the tags of the program's counters */
#define TP_TF_COUNTERS "profile_counters/"

/* Adds the columns and histograms that require a walk over events: kernels, launches and operators
 * (tfevents_kernels.c). */
void tp_tf_add_kernel_columns(const struct tp_tf_run *run, struct tp_tf_columns *columns);
void tp_tf_add_histograms(const struct tp_tf_run *run);
#endif
