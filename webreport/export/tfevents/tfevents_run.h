/* Declares data and functions that the parts of a TensorBoard event file share. Each part adds its records to the
 * buffer of the run. */
#ifndef TP_WEBREPORT_EXPORT_TFEVENTS_TFEVENTS_RUN_H
#define TP_WEBREPORT_EXPORT_TFEVENTS_TFEVENTS_RUN_H

#include "webreport/export/export_formats.h"
#include "writer/tfevents.h"

struct tp_tf_columns;

/* Data of the export of one profile. Only the two buffers are outside the profile's arena. */
struct tp_tf_run {
    const struct tp_export *export;
    struct tp_tfevents *events;
    struct tp_tf_columns *columns; /* scalars of each step */
    struct tp_buf *text;           /* scratch text; each function clears it before use */
    int64_t base_ns;               /* offset from times of the trace to ns since 1970, ns */
    uint32_t step_count;           /* number of exported steps, at most TP_MAX_EXPORT_STEPS */
    /* for each step: the number in its name ("ProfilerStep#12") if these numbers ascend; otherwise 0, 1, 2 .. */
    int64_t *step_numbers;
    struct tp_tfevents_at first, last; /* first: start of the first step; last: end of the last step */
};

/* Converts a time of the trace to seconds since 1970. */
double tp_tf_seconds(const struct tp_tf_run *run, int64_t time_ns);

/* Returns the end of a step as time and step number. */
struct tp_tfevents_at tp_tf_position_of_step_end(const struct tp_tf_run *run, uint32_t step);

/* Returns `text` in a form that is allowed in tags, in the arena: at most 64 bytes of letters, digits and _.:- */
const char *tp_tf_tag_part(struct tp_arena *arena, struct tp_str text);

/* Adds the scalars and histograms of each step (tfevents_steps.c, tfevents_kernels.c). */
void tp_tf_add_steps(const struct tp_tf_run *run);
/* Data that all profiles of one command `export` share, in the arena of struct tp_export_job. */
struct tp_tf_job {
    struct tp_strings names; /* names of runs and workers */
    struct tp_vec cycles;    /* elements: struct cycle; earlier traces of each worker (tfevents_cycles.c) */
    struct tp_vec samples;   /* elements: struct sample; values by which ranks are compared (tfevents_ranks.c) */
};
struct tp_tf_job *tp_tf_job_get(struct tp_export_job *job);

/* Folder of a profile's event file. It is the folder of the worker, or "WORKER.2" and so on if the step numbers do not
 * continue those of the worker's previous trace (tfevents_cycles.c). */
struct tp_tf_folder {
    char path[4096];
    uint32_t number;                  /* 1: the folder of the worker; n > 1: the folder "WORKER.n" */
    bool has_files_of_earlier_cycles; /* true: the folder has the files of earlier cycles, which must not be removed */
};

/* Chooses and creates the folder of a profile. Call it once for each profile. Returns 0, TP_EIO, TP_ELIMIT or
 * TP_ENOMEM. */
int tp_tf_find_folder(const struct tp_tf_run *run, struct tp_tf_folder *folder, struct tp_error *err);

/* Stores in the job's arena the values by which ranks are compared (tfevents_ranks.c). Returns 0 or TP_ENOMEM. */
int tp_tf_store_rank_samples(const struct tp_tf_run *run);
/* Writes the records as the event file of a folder. Then removes the files of earlier exports from the folder, unless
 * folder->has_files_of_earlier_cycles is true. host: a name that is safe as a part of a file name. */
int tp_tf_write_file(const struct tp_buf *records, const struct tp_tf_folder *folder, const char *host, double wall_s,
                     struct tp_error *err);

/* The functions tp_tf_add_* add the parts that a file has only once: texts (tfevents_texts.c), the row of HParams
 * (tfevents_hparams.c), figures and charts (tfevents_summary.c), and the graph (tfevents_tree.c). */
void tp_tf_add_texts(const struct tp_tf_run *run);
void tp_tf_add_hparams(const struct tp_tf_run *run, const struct tp_tf_metric *metrics, size_t metric_count);
void tp_tf_add_summary(const struct tp_tf_run *run);
void tp_tf_add_graph(const struct tp_tf_run *run);

/* Returns the step that contains a time of the trace, or TP_NO_ID. */
uint32_t tp_tf_step_of_time(const struct tp_tf_run *run, int64_t time_ns);

/* Returns a fact about the run that the program recorded as a number ("batch_size": 64 or "64"), or NaN. */
double tp_tf_user_number(const struct tp_tf_run *run, const char *key);

/* Returns the allocated bytes of a device over time (enum tp_curve_column), as the report shows them. If the trace has
 * no totals, returns the running sum of the memory records. */
struct tp_table tp_tf_memory_curve(const struct tp_tf_run *run, uint32_t device);

/* ---- columns: a tag with a value for each step ---- */

struct tp_tf_column {
    const char *tag, *description;
    double *values; /* for each step: value; NaN if unknown */
    bool is_flat;   /* true: the value is 0 in every step, and the column is not written */
};

struct tp_tf_columns {
    struct tp_arena *arena;
    uint32_t step_count;
    struct tp_vec items; /* all columns; elements: struct tp_tf_column */
};

/* Adds a column and returns its values, one for each step, all NaN. tag: must be unique. description: must live as long
 * as the columns. */
double *tp_tf_column_new(struct tp_tf_columns *columns, const char *tag, const char *description);

/* Returns the first column whose tag starts with `begin` and ends with `end`, or NULL. with_flat: includes columns that
 * are 0 in every step. */
const struct tp_tf_column *tp_tf_column_find(const struct tp_tf_columns *columns, const char *begin, const char *end,
                                             bool with_flat);

/* prefix of the tags of counters that the program recorded */
#define TP_TF_COUNTERS "profile_counters/"

/* Adds the columns and histograms that are computed from single events: kernels, launches and operators
 * (tfevents_kernels.c). */
void tp_tf_add_kernel_columns(const struct tp_tf_run *run, struct tp_tf_columns *columns);
void tp_tf_add_histograms(const struct tp_tf_run *run);
#endif
