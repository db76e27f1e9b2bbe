/* The check job: see run_check.h. */
#include "webreport/cli/run_check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "webreport/cli/cmd.h"
#include "webreport/cli/text_outputs.h"
#include "webreport/document/check_document.h"
#include "webreport/measure/summary_file.h"
#include "webreport/print/print.h"
#include "webreport/session/inputs.h"
#include "webreport/session/summaries.h"
#include "writer/base/fs.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

struct job {
    const struct tp_check_job *options;
    struct tp_arena arena;
    struct tp_budget budget;
    struct tp_summaries sides[2]; /* baseline, run */
    struct tp_check_input input;
    struct tp_check check;
    struct tp_text_output outputs[TP_CHECK_OUTPUTS];
    struct tp_error err;
};

enum { BASE, RUN };

/* ---- budget ---- */

static int read_budget(struct job *job)
{
    const char *path = job->options->budget;
    if (!path) {
        tp_budget_default(&job->budget, job->options->baseline != NULL, &job->arena);
        return TP_OK;
    }
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rbe");
    if (!file)
        return tp_error_set(&job->err, errno == ENOMEM ? TP_ENOMEM : TP_EUSAGE, 0, "%.200s: %s", path, strerror(errno));
    char *bytes = tp_arena_alloc(&job->arena, TP_MAX_BUDGET_BYTES + 1);
    size_t size = fread(bytes, 1, TP_MAX_BUDGET_BYTES + 1, file);
    bool is_read = !ferror(file);
    if (file != stdin)
        fclose(file);
    if (!is_read)
        return tp_error_set(&job->err, TP_EUSAGE, 0, "%.200s: cannot be read", path);
    return tp_budget_parse(&job->budget, path, bytes, size, &job->arena, &job->err);
}

/* ---- sides ---- */

/* Oldest first. Runs without a wall time keep the order of their names. */
static int by_start(const void *x, const void *y, const void *context)
{
    const struct tp_summary *a = x, *b = y;
    (void)context;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static int load(struct job *job, int side, const char *const *paths, size_t count)
{
    const struct tp_check_job *o = job->options;
    struct tp_check_side *out = side == BASE ? &job->input.base : &job->input.run;
    struct tp_summaries_options how = TP_SUMMARIES_OPTIONS;
    how.paths = paths;
    how.path_count = count;
    how.read = o->read;
    how.rules = &o->rules;
    how.console = o->console;
    how.extent = o->updates_baseline ? TP_SUMMARY_WHOLE : o->baseline ? TP_SUMMARY_COMPARED : TP_SUMMARY_JUDGED;
    how.read.skips_hash = !o->updates_baseline; /* only a new baseline has it */
    int code = tp_summaries_load(&job->sides[side], &job->arena, &how, &job->err);
    if (code < 0)
        return code;
    tp_merge_sort(&job->arena, job->sides[side].items, job->sides[side].count, sizeof(struct tp_summary), by_start,
                  NULL);
    *out = (struct tp_check_side){count == 1 ? tp_inputs_shown_name(&job->arena, paths[0]) : "inputs",
                                  job->sides[side].items, job->sides[side].count, job->sides[side].is_one_trace};
    return TP_OK;
}

/* A baseline that is to be made by this run need not be there. */
static bool is_new_baseline(const struct tp_check_job *o)
{
    return o->updates_baseline && access(o->baseline, F_OK) != 0 && errno == ENOENT;
}

static int load_sides(struct job *job)
{
    const struct tp_check_job *o = job->options;
    int code = load(job, RUN, o->inputs, o->input_count);
    if (code < 0 || !o->baseline || is_new_baseline(o))
        return code;
    return load(job, BASE, &o->baseline, 1);
}

/* ---- outputs ---- */

/* By tp_check_output. */
static tp_print *const printers[TP_CHECK_OUTPUTS] = {
    [TP_CHECK_TEXT] = tp_print_text,   [TP_CHECK_JSON] = tp_print_json,         [TP_CHECK_JUNIT] = tp_print_junit,
    [TP_CHECK_SARIF] = tp_print_sarif, [TP_CHECK_MARKDOWN] = tp_print_markdown, [TP_CHECK_BADGE] = tp_print_badge};

static int write_outputs(struct job *job)
{
    const struct tp_check_job *o = job->options;
    struct tp_document document;
    struct tp_print_options options = {.source_root = o->source_root,
                                       .has_color = o->console->has_color && tp_is_stdout(o->paths[TP_CHECK_TEXT]) &&
                                                    isatty(STDOUT_FILENO)};
    tp_check_document(&document, &job->check, &job->arena);
    int code = TP_OK;
    for (int i = 0; i < TP_CHECK_OUTPUTS && code == TP_OK; i++)
        if (o->paths[i])
            code = printers[i](&job->outputs[i].text, &document, &options, &job->err);
    return code < 0 ? code : tp_text_outputs_write(job->outputs, TP_CHECK_OUTPUTS, &job->err);
}

/* ---- the new baseline ---- */

/* The label, or the name of the input without what says that it is a trace or summary. */
static const char *label_of(struct job *job)
{
    struct tp_str name = tp_inputs_bare_name(tp_str_of(job->input.run.name), 0);
    if (job->options->label)
        return job->options->label;
    return name.len && strcmp(job->input.run.name, "-") != 0 ? tp_arena_copy(&job->arena, name.ptr, name.len) : "run";
}

/* Writes the runs as a .tps file: PATH, or LABEL.tps in the folder PATH. */
static int update_baseline(struct job *job)
{
    const char *path = job->options->baseline;
    struct tp_summary_set set;
    struct tp_text_output file = {NULL, {0}};
    int code = TP_OK;
    if (tp_inputs_is_folder(path)) {
        code = tp_folder_make(path, &job->err);
        path = tp_text_printf(&job->arena, "%s/%s.tps", path, label_of(job));
    }
    tp_summary_set_open(&set, &job->arena);
    for (size_t i = 0; i < job->input.run.count && code == TP_OK; i++)
        code = tp_summary_set_add(&set, &job->input.run.items[i], &job->err);
    file.path = path;
    tp_buf_init(&file.text, 0);
    code = code < 0 ? code : tp_summary_set_write(&set, &file.text, &job->err);
    code = code < 0 ? code : tp_text_outputs_write(&file, 1, &job->err);
    tp_buf_release(&file.text);
    return code;
}

/* ---- all ---- */

static int run_job(void *context, struct tp_error *err)
{
    struct job *job = context;
    (void)err; /* the job has it */
    int code = read_budget(job);
    code = code < 0 ? code : load_sides(job);
    if (code < 0)
        return code;
    job->input.budget = &job->budget;
    tp_check_build(&job->check, &job->input, &job->arena);
    code = write_outputs(job);
    if (code < 0 || !job->options->updates_baseline)
        return code;
    if (job->check.verdict != TP_CHECK_FAIL && !job->check.is_damaged)
        return update_baseline(job);
    tp_console_notice(job->options->console, "%s: the baseline stays as it is",
                      job->check.is_damaged ? "the input is damaged or incomplete" : "a limit is broken");
    return TP_OK;
}

static int exit_code(const struct job *job, int code)
{
    enum tp_check_status verdict = job->check.verdict;
    if (code < 0)
        return code == TP_EUSAGE ? TP_EXIT_USAGE : tp_inputs_exit_code(code);
    if (job->check.is_damaged)
        return TP_EXIT_DAMAGED;
    bool is_bad = verdict == TP_CHECK_FAIL || (verdict == TP_CHECK_INCONCLUSIVE && job->options->fails_inconclusive);
    return is_bad ? TP_EXIT_FOUND : TP_EXIT_DONE;
}

int tp_check_run(const struct tp_check_job *options)
{
    struct job job = {.options = options};
    tp_arena_init(&job.arena, 0);
    for (int i = 0; i < TP_CHECK_OUTPUTS; i++) {
        tp_buf_init(&job.outputs[i].text, 0);
        job.outputs[i].path = options->paths[i];
    }
    int code = tp_arena_run(&job.arena, run_job, &job, &job.err);
    tp_console_progress_end(options->console);
    if (code < 0)
        tp_console_error(options->console, "%s", job.err.text);
    for (int i = 0; i < TP_CHECK_OUTPUTS; i++)
        tp_buf_release(&job.outputs[i].text);
    int result = exit_code(&job, code);
    tp_arena_release(&job.arena);
    return result;
}
