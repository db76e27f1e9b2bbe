/* Runs `tracepress export` for memory snapshots: see export_snapshots.h. */
#include "webreport/cli/export_snapshots.h"

#include <stdio.h>

#include "webreport/cli/cmd.h"
#include "webreport/session/inputs.h"
#include "webreport/session/output_names.h"
#include "webreport/session/snapshot_files.h"
#include "writer/base/fs.h"
#include "writer/text/format.h"

struct job {
    const struct tp_export_snapshots *options;
    struct tp_snapshot_files walk;
    struct tp_output_name *names; /* output name of each snapshot, in the order of the snapshots */
    struct tp_export_job all;
    const struct tp_snapshot_result *baseline; /* snapshot given by --baseline; NULL without the option */
    struct tp_cmd_work work;
};

static int make_output_names(void *context, struct tp_error *err)
{
    struct job *job = context;
    (void)err;
    job->names = tp_output_names_make(&(struct tp_runs){.items = &job->walk.run, .count = 1}, false, &job->work.arena);
    return TP_OK;
}

static int write_snapshot(void *context, const struct tp_walked_snapshot *walked, struct tp_error *err)
{
    struct job *job = context;
    const struct tp_output_name *name = &job->names[walked->number];
    const char *out = job->options->out;
    struct tp_export export = {.snapshot = walked->result,
                               .snapshot_baseline = job->baseline,
                               .when = job->options->when,
                               .colour = job->options->colour,
                               .filter = job->options->filter,
                               .path = walked->file->path,
                               .out = out,
                               .run = name->run,
                               .worker = name->worker,
                               .folder =
                                   *name->folder ? tp_text_printf(walked->arena, "%s/%s", out, name->folder) : out,
                               .job = &job->all,
                               .arena = walked->arena};
    int code = tp_folder_make(export.folder, err);
    return code < 0 ? code : job->options->format->write(&export, err);
}

/* Reads the snapshot given by --baseline; called once for all snapshots. */
static int read_baseline(struct job *job, struct tp_error *err)
{
    struct tp_snapshot_result *result = tp_arena_alloc(&job->work.arena, sizeof *result);
    const char *path = job->options->baseline;
    struct tp_error why = {0};
    if (!path)
        return TP_OK;
    int code = tp_snapshot_result_read(result, &job->work.arena, path, job->options->session.max_input_bytes, &why);
    if (code < 0)
        return tp_error_set(err, code == TP_ELIMIT || code == TP_ENOMEM ? code : TP_ENOTFOUND, 0, "--baseline: %s: %s",
                            path, why.text);
    job->baseline = result;
    return TP_OK;
}

static int run(void *context, struct tp_error *err)
{
    struct job *job = context;
    (void)err; /* the parameter is unused, because errors are reported through job->work.err */
    int code = read_baseline(job, &job->work.err);
    return code < 0 ? code : tp_snapshot_files_walk(&job->walk, &job->work.err);
}

void tp_export_print_written(struct tp_console *console, const struct tp_export_job *job, const char *out)
{
    size_t more = job->written_count - job->named_count;
    char others[48] = "";
    if (more)
        snprintf(others, sizeof others, " and %zu more", more);
    tp_console_notice(console, "wrote %s%s", *job->written ? job->written : out, others);
}

/* Prints that the format is only for traces, and the formats for snapshots. */
static int refuse_format(const struct tp_export_snapshots *options)
{
    char names[400] = "";
    size_t size = 0;
    for (const struct tp_export_format *format = tp_export_formats; format->name; format++)
        if (format->takes_snapshots)
            size += (size_t)snprintf(names + size, sizeof names - size, "%s%s", size ? ", " : "", format->name);
    tp_console_error(options->session.console, "export: --to %s needs a trace; the formats for memory snapshots are %s",
                     options->format->name, names);
    return TP_EXIT_NO_INPUT;
}

int tp_export_snapshots(const struct tp_export_snapshots *options)
{
    struct job job = {.options = options, .work = {.console = options->session.console}};
    if (!options->format->takes_snapshots)
        return refuse_format(options);
    job.walk = (struct tp_snapshot_files){.session = options->session,
                                          .arena = &job.work.arena,
                                          .found = make_output_names,
                                          .use = write_snapshot,
                                          .context = &job};
    job.all = (struct tp_export_job){.out = options->out, .arena = &job.work.arena};
    int code = tp_cmd_run_in_arena(&job.work, run, &job);
    if (code == TP_OK)
        tp_export_print_written(options->session.console, &job.all, options->out);
    tp_cmd_release(&job.work);
    return tp_inputs_exit_code(code);
}
