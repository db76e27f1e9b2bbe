/* Compares the ranks of a run. Writes an additional run with the smallest, median and largest value over all ranks at
 * each step. Its charts show the median as a line and the range as a band. Each rank also has a run with its own
 * scalars. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/export/export_formats.h"
#include "webreport/export/tfevents/tfevents_run.h"
#include "writer/base/fs.h"
#include "writer/base/limits.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

/* The columns to compare. Each rank uses its first column whose tag starts with `begin` and ends with `end`. */
static const struct {
    const char *name, *title, *begin, *end;
} compared[] = {
    {"step_time_ms", "Step time (ms)", "profile_step/", "time_ms"},
    {"kernel_ms", "Kernels (ms)", "profile_breakdown_ms/", "kernel"},
    {"communication_ms", "Communication (ms)", "profile_comm/", "busy_ms"},
    {"exposed_communication_ms", "Exposed communication (ms)", "profile_comm/", "exposed_ms"},
    {"dataloader_ms", "Waiting for input (ms)", "profile_breakdown_ms/", "dataloader"},
    {"gpu_utilization_pct", "GPU utilization (%)", "profile_gpu", "/utilization_pct"},
    {"allocated_peak_mib", "Peak memory (MiB)", "profile_memory_mib/GPU", "_allocated_peak"},
};
enum { COMPARED = sizeof compared / sizeof *compared, PARTS = 3 };

/* Values of one rank in one step. */
struct sample {
    uint32_t run, worker; /* run: id of the run's name; worker: id of the worker's name */
    struct tp_tfevents_at at;
    double values[COMPARED];
};

/* ---- storing the values of a profile ---- */

static int store_samples(void *context, struct tp_error *err)
{
    const struct tp_tf_run *run = *(const struct tp_tf_run *const *)context;
    struct tp_tf_job *job = tp_tf_job_get(run->export->job);
    const struct tp_tf_column *columns[COMPARED];
    (void)err;
    if (!job->samples.arena)
        job->samples = TP_VEC(run->export->job->arena, struct sample);
    for (size_t k = 0; k < COMPARED; k++)
        columns[k] = tp_tf_column_find(run->columns, compared[k].begin, compared[k].end, true);
    uint32_t id = tp_strings_add(&job->names, tp_str_of(run->export->run));
    uint32_t worker = tp_strings_add(&job->names, tp_str_of(run->export->worker));
    for (uint32_t i = 0; i < run->step_count; i++) {
        struct sample *sample = tp_vec_push(&job->samples);
        *sample = (struct sample){.run = id, .worker = worker, .at = tp_tf_position_of_step_end(run, i)};
        for (size_t k = 0; k < COMPARED; k++)
            sample->values[k] = columns[k] ? columns[k]->values[i] : NAN;
    }
    return TP_OK;
}

int tp_tf_store_rank_samples(const struct tp_tf_run *run)
{
    bool is_rank = run->export->job && !run->export->profile->is_helper;
    return is_rank ? tp_arena_run(run->export->job->arena, store_samples, &run, NULL) : TP_OK;
}

/* ---- comparing the ranks of a run ---- */

static int compare_by_run_and_step(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    if (x->at.step != y->at.step)
        return x->at.step < y->at.step ? -1 : 1;
    return (x->worker > y->worker) - (x->worker < y->worker);
}

struct band {
    struct tp_arena *arena;
    struct tp_tfevents *events;
    const char *tags[COMPARED][PARTS]; /* for each compared column: tags of the smallest, median and largest value */
    /* is_described: a description of the tags was written; is_flat: the column is omitted, because it is 0 in all steps
     * of all ranks */
    bool is_described[COMPARED], is_flat[COMPARED];
    double *sorted; /* scratch memory with room for one value of each sample */
};

static void make_tags(struct band *band)
{
    static const char *const parts[PARTS] = {"min", "median", "max"};
    for (size_t k = 0; k < COMPARED; k++)
        for (size_t p = 0; p < PARTS; p++)
            band->tags[k][p] = tp_text_printf(band->arena, "profile_ranks/%s_%s", compared[k].name, parts[p]);
}

/* Writes the smallest, median and largest value over the ranks in one step. samples: values of all ranks in this
 * step. */
static void write_step_of_band(struct band *band, const struct sample *samples, size_t count)
{
    static const char *const texts[PARTS] = {"The least over the ranks.", "The median over the ranks.",
                                             "The greatest over the ranks."};
    struct tp_tf_scalar scalars[COMPARED * PARTS];
    struct tp_tfevents_at at = samples[0].at;
    size_t used = 0;
    for (size_t i = 1; i < count; i++)
        at.wall_s = fmax(at.wall_s, samples[i].at.wall_s);
    for (size_t k = 0; k < COMPARED; k++) {
        size_t known = 0;
        for (size_t i = 0; i < count; i++)
            if (!isnan(samples[i].values[k]))
                band->sorted[known++] = samples[i].values[k];
        if (known < 2 || band->is_flat[k])
            continue;
        tp_sort_reals(band->sorted, known);
        const double values[PARTS] = {band->sorted[0], tp_sorted_median(band->sorted, known), band->sorted[known - 1]};
        for (size_t p = 0; p < PARTS; p++)
            scalars[used++] = (struct tp_tf_scalar){band->tags[k][p], texts[p], values[p], !band->is_described[k]};
        band->is_described[k] = true;
    }
    tp_tfevents_put_scalars(band->events, at, scalars, used);
}

static void write_band_charts(const struct band *band, struct tp_tfevents_at at)
{
    struct tp_tf_chart charts[COMPARED];
    size_t count = 0;
    for (size_t k = 0; k < COMPARED; k++)
        if (band->is_described[k])
            charts[count++] = (struct tp_tf_chart){.category = "Over ranks: median, least to greatest",
                                                   .title = compared[k].title,
                                                   .low = band->tags[k][0],
                                                   .middle = band->tags[k][1],
                                                   .high = band->tags[k][2]};
    if (count)
        tp_tfevents_put_layout(band->events, at, charts, count);
}

/* Writes the records of one run. samples: sorted by step. Omits steps that only one rank has. */
static void build_run(struct band *band, const struct sample *samples, size_t count)
{
    tp_tfevents_begin(band->events, samples[0].at.wall_s);
    for (size_t k = 0; k < COMPARED; k++) {
        band->is_flat[k] = true;
        for (size_t i = 0; i < count; i++)
            band->is_flat[k] &= samples[i].values[k] == 0 || isnan(samples[i].values[k]);
    }
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && samples[end].at.step == samples[i].at.step;)
            end++;
        if (samples[end - 1].worker != samples[i].worker)
            write_step_of_band(band, samples + i, end - i);
    }
    write_band_charts(band, samples[0].at);
}

static bool has_ranks(const struct sample *samples, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (samples[i].worker != samples[0].worker)
            return true;
    return false;
}

static int write_run(const struct tp_export_job *job, const struct band *band, const char *run, double wall_s,
                     struct tp_error *err)
{
    struct tp_tf_folder folder = {.number = 1};
    int n = snprintf(folder.path, sizeof folder.path, "%s%s%s/over_ranks", job->out, *run ? "/" : "", run);
    if (n < 0 || (size_t)n >= sizeof folder.path)
        return tp_error_set(err, TP_ELIMIT, 0, "%s: the path is too long", job->out);
    if (band->events->out.failed)
        return tp_error_set(err, band->events->out.failed, 0, "%s: %s", folder.path,
                            band->events->out.failed == TP_ELIMIT ? "the event file would be larger than 256 MiB"
                                                                  : "out of memory");
    int code = tp_folder_make(folder.path, err);
    return code < 0 ? code : tp_tf_write_file(&band->events->out, &folder, "ranks", wall_s, err);
}

int tp_export_tfevents_ranks(const struct tp_export_job *job, struct tp_error *err)
{
    const struct tp_tf_job *kept = job->kept;
    struct sample *samples = kept ? kept->samples.data : NULL;
    size_t count = kept ? kept->samples.count : 0;
    int code = TP_OK;
    if (!count)
        return TP_OK;
    qsort(samples, count, sizeof *samples, compare_by_run_and_step);
    bool has_runs = samples[0].run != samples[count - 1].run;
    double *sorted = tp_arena_array(job->arena, count, sizeof *sorted);
    for (size_t i = 0, end; i < count && code == TP_OK; i = end) {
        struct tp_tfevents events;
        struct band band = {.arena = job->arena, .events = &events, .sorted = sorted};
        struct tp_str run = tp_strings_get(&kept->names, samples[i].run);
        for (end = i + 1; end < count && samples[end].run == samples[i].run;)
            end++;
        if (!has_ranks(samples + i, end - i))
            continue;
        make_tags(&band);
        const char *name = has_runs ? tp_arena_copy(job->arena, run.ptr, run.len) : "";
        tp_tfevents_init(&events, TP_MAX_EVENT_FILE_BYTES);
        build_run(&band, samples + i, end - i);
        code = write_run(job, &band, name, samples[i].at.wall_s, err);
        tp_tfevents_release(&events);
    }
    return code;
}
