/* Makes and merges summaries: see summarize.h. */
#include "webreport/session/summarize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "webreport/document/words/reason_words.h"
#include "webreport/session/exit.h"
#include "webreport/session/inputs.h"
#include "webreport/session/summary_inputs.h"
#include "writer/base/fs.h"
#include "writer/base/sort.h"
#include "writer/base/utf8.h"

struct job {
    const struct tp_summarize_job *options;
    struct tp_console *console;
    struct tp_arena arena; /* memory for the whole command, such as paths and packed summaries */
    struct tp_summary_inputs inputs;
    struct tp_summary_set set;
    struct tp_outfile *file;
    struct tp_buf text; /* text that is not yet written to the output file */
    bool is_folder, hit_limit;
    bool ignores_missing_files; /* true: another shard (MPI process) prints which named files are missing */
    size_t taken_count, usable_count, skipped_count, failed_count, written_count;
    struct tp_error err;
};

static void report_failed_input(struct job *job, const char *path, const struct tp_error *why)
{
    tp_console_input_error(job->console, path, why->text);
    job->hit_limit |= why->code == TP_ELIMIT || why->code == TP_ENOMEM;
    job->failed_count++;
}

/* ---- writing of outputs ---- */

static int write_shard_output(struct job *job)
{
    int code = job->text.failed
                   ? tp_error_set(&job->err, job->text.failed, 0, "out of memory")
                   : tp_outfile_write(job->file, job->text.data ? job->text.data : "", job->text.size, &job->err);
    tp_buf_clear(&job->text);
    return code;
}

static int write_file(struct job *job, const struct tp_summary_set *set)
{
    enum { FLUSH = 1 << 20 };
    int code = TP_OK;
    tp_summary_file_begin(&job->text, set);
    for (size_t i = 0; i < set->count && code == TP_OK; i++) {
        tp_summary_file_add(&job->text, &set->records[i]);
        if (job->text.size > FLUSH)
            code = write_shard_output(job);
    }
    return code;
}

struct process {
    const struct tp_summarize_job *options;
    const struct tp_summary_record *record;
    struct tp_json *json;
    struct tp_arena arena;
};

static int print_process(void *context, struct tp_error *err)
{
    struct process *process = context;
    struct tp_summary summary;
    int code = tp_summary_unpack(&summary, process->record, &process->arena, err);
    if (code < 0)
        return code;
    tp_fill_metric_texts(summary.metrics);
    process->options->printer->process(process->json, &summary, &process->arena);
    return TP_OK;
}

/* Writes the summary of one process as JSON, then releases the memory of the summary. */
static int write_process(struct job *job, const struct tp_summary_record *record, struct tp_json *json)
{
    struct process process = {.options = job->options, .record = record, .json = json};
    struct tp_error why = {0};
    tp_arena_init(&process.arena, 0);
    int code = tp_arena_run(&process.arena, print_process, &process, &why);
    tp_arena_release(&process.arena);
    if (code < 0)
        report_failed_input(job, "a process", &why);
    return code < 0 ? TP_OK : write_shard_output(job);
}

static int write_json(struct job *job, const struct tp_summary_set *set)
{
    const struct tp_summary_printer *printer = job->options->printer;
    struct tp_summary_ranks ranks;
    struct tp_json json;
    int code = TP_OK;
    tp_json_init(&json, &job->text);
    printer->begin(&json);
    for (size_t i = 0; i < set->count && code == TP_OK; i++)
        code = write_process(job, &set->records[i], &json);
    tp_summary_set_count_ranks(&ranks, set);
    printer->end(&json, &ranks, &job->arena);
    tp_buf_putc(&job->text, '\n');
    return code;
}

static int write_set_to_file(struct job *job, const struct tp_summary_set *set, const char *path)
{
    int code = tp_outfile_open(&job->file, path, &job->err);
    if (code == TP_OK)
        code = job->options->printer ? write_json(job, set) : write_file(job, set);
    if (code == TP_OK)
        code = write_shard_output(job);
    code = code < 0 ? code : tp_outfile_commit(&job->file, &job->err);
    job->written_count += code == TP_OK;
    return code;
}

static void print_written(struct job *job)
{
    if (job->is_folder && job->written_count)
        tp_console_notice(job->console, "wrote %zu summar%s into %s", job->written_count,
                          job->written_count == 1 ? "y" : "ies", job->options->out);
    else if (job->written_count)
        tp_console_print_written(job->console, &job->options->out, 1);
}

/* ---- work on one input ---- */

/* Returns the path of a summary in the output folder: "FOLDER/rank-3.NAME-1a2b3c4d.tps". A hash of the input's whole
 * path gives inputs with equal names different paths. A long name is cut, so that the other parts fit. */
static const char *path_in_folder(struct job *job, const struct tp_summary_input *input)
{
    enum { LONGEST = 180 };
    struct tp_str name = tp_inputs_name_without_endings(tp_str_of(input->base), 1);
    name.len = tp_utf8_fitting_bytes(name.ptr, name.len, LONGEST);
    char *real = realpath(input->path, NULL);
    struct tp_str whole = tp_str_of(real ? real : input->path);
    unsigned hash = (unsigned)tp_hash_bytes(whole.ptr, whole.len);
    free(real);
    char rank[40] = "";
    if (job->options->load.rank != TP_NULL_INT)
        snprintf(rank, sizeof rank, "rank-%lld.", (long long)job->options->load.rank);
    size_t size = strlen(job->options->out) + name.len + sizeof rank + 32;
    char *path = tp_arena_alloc(&job->arena, size);
    snprintf(path, size, "%s/%s%.*s-%08x.tps", job->options->out, rank, (int)name.len, name.ptr, hash);
    return path;
}

struct addition {
    struct tp_summary_set *set;
    const struct tp_run_file *file;
    const struct tp_summaries_options *load;
    struct tp_arena arena;
};

static int summarize_and_add(void *context, struct tp_error *err)
{
    struct addition *addition = context;
    struct tp_summary summary;
    int code = tp_summaries_read_trace(&summary, &addition->arena, addition->file, addition->load, err);
    return code < 0 ? code : tp_summary_set_add(addition->set, &summary, err);
}

/* Makes the summary of a trace and adds the packed summary to the set. Then releases the trace and the unpacked
 * summary. */
static int add_trace(struct job *job, struct tp_summary_set *set, const struct tp_run_file *file, struct tp_error *why)
{
    struct addition addition = {.set = set, .file = file, .load = &job->options->load};
    tp_arena_init(&addition.arena, 0);
    int code = tp_arena_run_both(&addition.arena, set->arena, summarize_and_add, &addition, why);
    tp_arena_release(&addition.arena);
    tp_arena_fail_with_stored_code(set->arena);
    return code;
}

static int add_input(struct job *job, const struct tp_summary_input *input)
{
    struct tp_summary_set own, *set = &job->set;
    struct tp_error why = {0};
    const char *path = job->is_folder ? path_in_folder(job, input) : NULL;
    struct stat info;
    job->taken_count++;
    if (path && job->options->skips_existing && stat(path, &info) == 0) {
        job->skipped_count++;
        return TP_OK;
    }
    tp_console_progress(job->console, "reading %zu of %zu: %s", job->taken_count, job->inputs.count, input->base);
    if (path)
        tp_summary_set_init(set = &own, &job->arena);
    int code = input->trace ? add_trace(job, set, input->trace, &why) : tp_summary_inputs_read(set, input->path, &why);
    if (code < 0) {
        report_failed_input(job, input->path, &why);
        return TP_OK;
    }
    job->usable_count++;
    return path ? write_set_to_file(job, set, path) : TP_OK;
}

/* ---- work on all inputs ---- */

static int compare_by_path(const void *x, const void *y, const void *context)
{
    const struct tp_summary_input *a = x, *b = y;
    (void)context;
    return strcmp(a->path, b->path);
}

/* Finds the inputs that the command line and the list of files name. */
static int find_inputs(struct job *job)
{
    const struct tp_summaries_options *load = &job->options->load;
    struct tp_vec paths = TP_VEC(&job->arena, const char *);
    for (size_t i = 0; i < load->path_count; i++)
        *(const char **)tp_vec_push(&paths) = load->paths[i];
    int code =
        job->options->files_from ? tp_summary_inputs_read_list(&paths, job->options->files_from, &job->err) : TP_OK;
    if (code == TP_OK)
        code = tp_summary_inputs_find(
            &job->inputs, &job->arena,
            &(struct tp_run_search){paths.data, paths.count, load->read.include, load->read.process, false},
            job->options->only_merges ? TP_INPUTS_SUMMARIES : TP_INPUTS_MAY_BE_MISSING, &job->err);
    if (code < 0)
        return code == TP_EIO ? job->err.code = TP_ENOTFOUND : code;
    tp_inputs_print_found(job->console, &job->inputs.runs);
    for (size_t i = 0; i < job->inputs.missing.count && !job->ignores_missing_files; i++) {
        struct tp_error why = {.code = TP_ENOTFOUND, .text = "not there"};
        report_failed_input(job, *TP_AT(&job->inputs.missing, const char *, i), &why);
    }
    tp_merge_sort(&job->arena, job->inputs.items, job->inputs.count, sizeof *job->inputs.items, compare_by_path, NULL);
    return TP_OK;
}

/* Returns true if the path is one of the input traces, which must not be overwritten. An input summary may be
 * overwritten, because the output includes its content. */
static bool is_listed_trace(const struct job *job, const char *path)
{
    if (strcmp(path, "-") == 0)
        return false;
    for (size_t i = 0; i < job->inputs.count; i++)
        if (job->inputs.items[i].trace && tp_inputs_are_same_file(path, job->inputs.items[i].path))
            return true;
    return false;
}

static void print_duplicates(struct job *job)
{
    if (job->set.repeated_record_count)
        tp_console_notice(job->console, "%zu processes were given more than once, with equal records",
                          job->set.repeated_record_count);
    if (job->set.other_count)
        tp_console_notice(
            job->console,
            "%zu processes have different records; the record with more events was kept (set --job or --rank if they "
            "are different processes)",
            job->set.other_count);
}

/* For `merge`, prints which ranks of the job have no summary. */
static void print_missing_ranks(struct job *job)
{
    enum { SHOWN_RUNS = 4 };
    struct tp_summary_ranks ranks;
    tp_summary_set_count_ranks(&ranks, &job->set);
    if (job->options->only_merges && ranks.present && ranks.missing.count)
        tp_console_notice(job->console, "%lld of %lld ranks of the job have a summary; missing: %s",
                          (long long)ranks.present, (long long)ranks.expected,
                          tp_rank_set_text(&job->arena, &ranks.missing, SHOWN_RUNS));
}

static int summarize_shard(struct job *job)
{
    int code = TP_OK;
    for (size_t i = (size_t)job->options->shard; i < job->inputs.count && code == TP_OK; i += job->options->shard_count)
        code = add_input(job, &job->inputs.items[i]);
    return code;
}

static int run_job(void *context, struct tp_error *err)
{
    struct job *job = context;
    (void)err; /* ignored, because errors are written to job->err */
    const struct tp_summarize_job *options = job->options;
    int code = find_inputs(job);
    if (code == TP_OK && is_listed_trace(job, options->out))
        return tp_error_set(&job->err, TP_EUSAGE, 0, "summarize: the output would overwrite an input");
    job->is_folder = tp_inputs_is_folder(options->out);
    if (code == TP_OK && job->is_folder)
        code = tp_folder_make(options->out, &job->err);
    if (code == TP_OK)
        code = summarize_shard(job);
    if (code < 0)
        return code;
    if (job->taken_count == 0 && job->inputs.count && !job->failed_count) {
        tp_console_notice(job->console, "shard %llu of %llu has no input: nothing to do",
                          (unsigned long long)options->shard + 1, (unsigned long long)options->shard_count);
        return job->is_folder ? TP_OK : write_set_to_file(job, &job->set, options->out);
    }
    if (job->inputs.count + job->inputs.missing.count == 0 && !options->only_merges)
        return tp_inputs_set_not_found_error(&job->inputs.runs,
                                             &(struct tp_run_search){options->load.paths, options->load.path_count,
                                                                     options->load.read.include,
                                                                     options->load.read.process, false},
                                             "traces or summaries (*.tps)", &job->arena, &job->err);
    /* the reason why each input is unusable is already printed */
    if (job->usable_count + job->skipped_count == 0)
        return tp_error_set(&job->err, job->hit_limit ? TP_ELIMIT : TP_ENOTFOUND, 0, "no usable input");
    if (options->load.read.is_strict && job->failed_count)
        return tp_error_set(&job->err, TP_ENOTFOUND, 0, "--strict: %zu of %zu inputs could not be used",
                            job->failed_count, job->taken_count + job->inputs.missing.count);
    print_duplicates(job);
    print_missing_ranks(job);
    return job->is_folder ? TP_OK : write_set_to_file(job, &job->set, options->out);
}

static int collect_in_guard(void *context, struct tp_error *err)
{
    struct job *job = context;
    (void)err; /* ignored, because errors are written to job->err */
    int code = find_inputs(job);
    return code < 0 ? code : summarize_shard(job);
}

int tp_summarize_collect(struct tp_summary_set *set, const struct tp_summarize_job *options,
                         struct tp_summarize_counts *counts, struct tp_error *err)
{
    struct job job = {
        .options = options, .console = options->load.console, .set = *set, .ignores_missing_files = options->shard > 0};
    tp_arena_init(&job.arena, 0);
    int code = tp_arena_run_both(&job.arena, set->arena, collect_in_guard, &job, &job.err);
    tp_console_progress_end(job.console);
    *set = job.set;
    *counts = (struct tp_summarize_counts){job.usable_count, job.failed_count};
    if (code < 0 && err)
        *err = job.err;
    tp_arena_release(&job.arena); /* the paths in this arena are not needed after the call */
    tp_arena_fail_with_stored_code(set->arena);
    return code;
}

int tp_summarize_run(const struct tp_summarize_job *options)
{
    struct job job = {.options = options, .console = options->load.console};
    tp_arena_init(&job.arena, 0);
    tp_buf_init(&job.text, 0);
    tp_summary_set_init(&job.set, &job.arena);
    int code = tp_arena_run(&job.arena, run_job, &job, &job.err);
    tp_console_progress_end(job.console);
    if (code < 0)
        tp_console_error(job.console, "%s", job.err.text);
    else
        print_written(&job);
    tp_outfile_discard(&job.file);
    tp_buf_release(&job.text);
    tp_arena_release(&job.arena);
    return tp_inputs_exit_code(code);
}
