/* The report job: see run_report.h.
 *
 * One profile is in memory at a time: read, ordered, viewed, handed to the outputs, dropped. What must outlive it is a
 * small summary per rank (for the comparison over ranks) and what the outputs keep. The advice is computed on a second
 * thread beside the views when the trace is large: both only read the trace and its order. */
#include "webreport/cli/run_report.h"

#include <string.h>

#include "webreport/cli/cmd.h"
#include "webreport/session/comparison.h"
#include "webreport/session/inputs.h"
#include "webreport/session/stored_history.h"
#include "webreport/session/trace_analysis.h"
#include "writer/base/sort.h"

struct job {
    const struct tp_report_job *options;
    struct tp_console *console;
    struct tp_arena arena; /* of the whole job: runs, rank summaries */
    struct tp_runs runs;
    struct tp_outputs outputs;
    size_t usable_count, done_count, file_count;
    bool hit_limit;
    struct tp_comparison comparison; /* when options->baseline */
    struct tp_error err;
};

/* ---- one profile ---- */

/* A profile on its way to the outputs. */
struct shown {
    struct tp_outputs *outputs;
    struct tp_profile profile;
};

static void start_outputs(void *context)
{
    struct shown *shown = context;
    tp_outputs_start_profile(shown->outputs, &shown->profile);
}

/* The verdict, where somebody watches; of many inputs the page has them. */
static void say_verdict(struct job *job, const struct tp_run_file *file, const struct tp_trace_verdict *verdict)
{
    enum { SAID_INPUTS = 4 };
    if (job->file_count <= SAID_INPUTS)
        tp_console_result(job->console, "%s: %s. %.*s", file->base, tp_verdict_class_text(verdict->class),
                          (int)verdict->headline.len, verdict->headline.ptr);
}

/* Builds everything of a trace that was read and hands it to the outputs. */
static int finish_profile(struct job *job, const struct tp_run *run, const struct tp_run_file *file,
                          struct tp_analysis *a, struct tp_rank_summary *rank)
{
    struct shown shown = {.outputs = &job->outputs,
                          .profile = {.run = run->name,
                                      .worker = file->worker,
                                      .beside = file->beside,
                                      .span = file->span ? (int64_t)file->span : TP_NULL_INT,
                                      .file = tp_str_of(file->base),
                                      .sha256 = tp_str_of(a->trace.reading.file_sha256),
                                      .trace = &a->trace,
                                      .order = &a->order,
                                      .model = &a->model,
                                      .views = &a->views,
                                      .advice = &a->advice}};
    tp_analysis_build(a, start_outputs, &shown);
    if (job->options->baseline && tp_comparison_add(&job->comparison, file, a, &job->err) < 0)
        return job->err.code;
    tp_inputs_say_notices(job->console, file->path, &a->trace.reading);
    say_verdict(job, file, &a->advice.verdict);
    tp_rank_summary_build(rank, file->worker, &a->model, &a->views.overview, &job->arena);
    return tp_outputs_profile(&job->outputs, file, &shown.profile, &job->err);
}

/* An input that cannot be used: said, listed, and not fatal. */
static int fail_profile(struct job *job, const struct tp_run *run, const struct tp_run_file *file,
                        const struct tp_error *why)
{
    tp_console_error(job->console, "%s: %s", file->path, why->text);
    job->hit_limit |= why->code == TP_ELIMIT || why->code == TP_ENOMEM;
    return tp_outputs_failed(&job->outputs, run->name, file, why->text, &job->err);
}

/* One input on its way. */
struct reading {
    struct job *job;
    const struct tp_run *run;
    const struct tp_run_file *file;
    struct tp_rank_summary *rank;
    struct tp_analysis *analysis;
    bool is_usable;
};

static int read_profile(void *context, struct tp_error *err)
{
    struct reading *r = context;
    struct tp_analysis *a = r->analysis;
    struct tp_error why = {0};
    (void)err; /* the job has it */
    r->is_usable = tp_trace_read(&a->trace, &a->arena, r->file->path, &r->job->options->read, &why) == TP_OK;
    return r->is_usable ? finish_profile(r->job, r->run, r->file, a, r->rank)
                        : fail_profile(r->job, r->run, r->file, &why);
}

/* Reads, analyses and writes one input; *is_usable and the rank's summary tell whether it could be used. */
static int run_profile(struct job *job, const struct tp_run *run, const struct tp_run_file *file,
                       struct tp_rank_summary *rank, bool *is_usable)
{
    struct tp_analysis analysis;
    struct reading reading = {job, run, file, rank, &analysis, false};
    tp_analysis_open(&analysis, &job->options->rules);
    tp_console_progress(job->console, "reading %zu of %zu: %s", job->done_count + 1, job->file_count, file->base);
    int code = tp_arena_run_both(&analysis.arena, &job->arena, read_profile, &reading, &job->err);
    *is_usable = reading.is_usable;
    tp_analysis_close(&analysis);
    tp_arena_pass_on(&job->arena);
    return code;
}

/* ---- runs ---- */

struct rank {
    uint64_t span;
    struct tp_rank_summary summary;
};

static int by_span(const void *x, const void *y, const void *context)
{
    const struct rank *a = x, *b = y;
    (void)context;
    return (a->span > b->span) - (a->span < b->span);
}

/* The comparison of each span's ranks. */
static int compare_ranks(struct job *job, const struct tp_run *run, struct rank *ranks, size_t count)
{
    struct tp_rank_summary *span = tp_arena_array(&job->arena, count, sizeof *span);
    int code = TP_OK;
    /* stable: ranks of a span stay in the order of their workers */
    tp_merge_sort(&job->arena, ranks, count, sizeof *ranks, by_span, NULL);
    for (size_t first = 0, end; first < count && code == TP_OK; first = end) {
        struct tp_distributed view;
        for (end = first; end < count && ranks[end].span == ranks[first].span; end++)
            span[end - first] = ranks[end].summary;
        int64_t number = ranks[first].span ? (int64_t)ranks[first].span : TP_NULL_INT;
        tp_distributed_build(&view, number, span, (uint32_t)(end - first), &job->arena);
        code = tp_outputs_distributed(&job->outputs, run->name, &view, &job->err);
    }
    return code;
}

static int run_run(struct job *job, const struct tp_run *run)
{
    struct rank *ranks = tp_arena_array(&job->arena, run->file_count, sizeof *ranks);
    size_t count = 0, usable = 0;
    tp_outputs_begin_run(&job->outputs, run->name);
    for (size_t i = 0; i < run->file_count; i++) {
        bool is_usable = false;
        int code = run_profile(job, run, &run->files[i], &ranks[count].summary, &is_usable);
        if (code < 0)
            return code;
        job->done_count++;
        usable += is_usable;
        if (is_usable && !run->files[i].beside.len) /* else it is no rank of its own */
            ranks[count++].span = run->files[i].span;
    }
    job->usable_count += usable;
    tp_outputs_end_profiles(&job->outputs);
    int code = compare_ranks(job, run, ranks, count);
    return code < 0 ? code : tp_outputs_end_run(&job->outputs, &job->err);
}

static int add_history(struct job *job)
{
    struct tp_stored_history history;
    int code = tp_stored_history_load(&history, job->options->history, &job->arena, job->console, &job->err);
    return code < 0 ? code : tp_outputs_history(&job->outputs, history.runs, history.count, &job->err);
}

static int open_baseline(struct job *job)
{
    const struct tp_report_job *options = job->options;
    struct tp_diff_read how = {
        .read = options->read, .rules = &options->rules, .console = job->console, .has_trees = true};
    const char *name = tp_inputs_shown_name(&job->arena, options->inputs[0]);
    tp_outputs_reserve(&job->outputs);
    return tp_comparison_open_base(&job->comparison, options->baseline, name, &how, &job->err);
}

static int run_job(void *context, struct tp_error *err)
{
    struct job *job = context;
    (void)err; /* the job has it */
    int code = tp_inputs_find(&job->runs, &job->file_count, &job->arena, job->options->inputs,
                              job->options->input_count, &job->err);
    code = code < 0 ? code : tp_outputs_open(&job->outputs, &job->options->outputs, job->file_count, &job->err);
    if (code == TP_OK && job->options->history)
        code = add_history(job);
    if (code == TP_OK && job->options->baseline)
        code = open_baseline(job);
    for (size_t i = 0; code == TP_OK && i < job->runs.count; i++)
        code = run_run(job, &job->runs.items[i]);
    if (code < 0)
        return code;
    if (job->usable_count == 0) /* every input has been named with its reason */
        return tp_error_set(&job->err, job->hit_limit ? TP_ELIMIT : TP_ENOTFOUND, 0, "no usable input");
    if (job->options->read.is_strict && job->usable_count < job->file_count)
        return tp_error_set(&job->err, TP_ENOTFOUND, 0, "--strict: %zu of %zu inputs could not be used",
                            job->file_count - job->usable_count, job->file_count);
    if (job->options->baseline) {
        tp_comparison_build(&job->comparison, &(struct tp_compare_options){0}, &job->arena);
        code = tp_outputs_comparison(&job->outputs, &job->comparison.compare, &job->err);
    }
    return code < 0 ? code : tp_outputs_commit(&job->outputs, &job->err);
}

int tp_report_run(const struct tp_report_job *options)
{
    struct job job = {.options = options, .console = options->console};
    tp_arena_init(&job.arena, 0);
    int code = tp_arena_run(&job.arena, run_job, &job, &job.err);
    if (code < 0)
        tp_console_error(job.console, "%s", job.err.text);
    tp_outputs_close(&job.outputs);
    tp_console_progress_end(job.console);
    tp_comparison_close(&job.comparison);
    tp_arena_release(&job.arena);
    return tp_inputs_exit_code(code);
}
