/* Chooses the folder for each cycle of the profiler's schedule. A schedule that repeats writes one trace for each
 * cycle. TensorBoard shows these traces as one run if their event files share a folder. If the step numbers of a trace
 * do not continue those of the previous one, the program was restarted. Such a trace gets a separate folder, because
 * its points would overlap. */
#include <stdio.h>

#include "webreport/export/tfevents/tfevents_run.h"
#include "writer/base/fs.h"

/* A folder, and the last step of the worker's traces that are already in this folder. */
struct cycle {
    uint32_t run, worker; /* run: id of the run's name; worker: id of the worker's name */
    uint32_t folder;      /* 1: the folder of the worker; n > 1: the folder "WORKER.n" */
    int64_t last_step;
};

struct tp_tf_job *tp_tf_job_get(struct tp_export_job *job)
{
    struct tp_tf_job *own = job->kept;
    if (!own) {
        job->kept = own = tp_arena_alloc(job->arena, sizeof *own);
        *own = (struct tp_tf_job){.cycles = TP_VEC(job->arena, struct cycle)};
        tp_strings_init(&own->names, job->arena, 0);
    }
    return own;
}

/* Arguments and result of find_folder_in_job. */
struct place {
    const struct tp_tf_run *run;
    struct tp_tf_folder *found;
};

static int find_folder_in_job(void *context, struct tp_error *err)
{
    const struct place *place = context;
    const struct tp_export *export = place->run->export;
    struct tp_tf_job *job = tp_tf_job_get(export->job);
    uint32_t run = tp_strings_add(&job->names, tp_str_of(export->run)), folders = 0;
    uint32_t worker = tp_strings_add(&job->names, tp_str_of(export->worker));
    struct cycle *last = NULL;
    (void)err;
    for (size_t i = 0; i < job->cycles.count; i++) {
        struct cycle *cycle = TP_AT(&job->cycles, struct cycle, i);
        if (cycle->run == run && cycle->worker == worker) {
            last = cycle;
            folders++;
        }
    }
    bool goes_on = last && place->run->first.step > last->last_step;
    if (!goes_on) {
        last = tp_vec_push(&job->cycles);
        *last = (struct cycle){.run = run, .worker = worker, .folder = folders + 1};
    }
    last->last_step = place->run->last.step;
    place->found->number = last->folder;
    place->found->has_files_of_earlier_cycles = goes_on;
    return TP_OK;
}

int tp_tf_find_folder(const struct tp_tf_run *run, struct tp_tf_folder *folder, struct tp_error *err)
{
    struct place place = {run, folder};
    int n;
    folder->number = 1;
    folder->has_files_of_earlier_cycles = false;
    if (run->export->job) {
        int code = tp_arena_run(run->export->job->arena, find_folder_in_job, &place, err);
        if (code < 0)
            return code;
    }
    if (folder->number == 1)
        n = snprintf(folder->path, sizeof folder->path, "%s", run->export->folder);
    else
        n = snprintf(folder->path, sizeof folder->path, "%s.%u", run->export->folder, folder->number);
    if (n < 0 || (size_t)n >= sizeof folder->path)
        return tp_error_set(err, TP_ELIMIT, 0, "%.200s: the name of the folder is too long", run->export->folder);
    return tp_folder_make(folder->path, err);
}
