/* The table job: see run_table.h. */
#include "webreport/cli/run_table.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "webreport/cli/cmd.h"
#include "webreport/measure/python_calls.h"
#include "webreport/print/plain_table.h"
#include "webreport/session/inputs.h"
#include "writer/base/fs.h"
#include "writer/text/markdown_escape.h"

struct job {
    const struct tp_table_job *options;
    struct tp_console *console;
    struct tp_arena arena; /* of the whole job */
    struct tp_runs runs;
    struct tp_outfile *file;
    struct tp_buf text; /* not yet written */
    struct tp_json json;
    size_t usable_count, done_count, file_count;
    bool hit_limit;
    struct tp_error err;
};

/* ---- output ---- */

static bool is_input(const struct job *job, const char *path)
{
    struct stat out, in;
    if (strcmp(path, "-") == 0 || stat(path, &out) < 0 || !S_ISREG(out.st_mode))
        return false;
    for (size_t i = 0; i < job->runs.count; i++)
        for (size_t k = 0; k < job->runs.items[i].file_count; k++)
            if (stat(job->runs.items[i].files[k].path, &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
                return true;
    return false;
}

static int flush(struct job *job)
{
    int code = job->text.failed
                   ? tp_error_set(&job->err, job->text.failed, 0, "out of memory")
                   : tp_outfile_write(job->file, job->text.data ? job->text.data : "", job->text.size, &job->err);
    tp_buf_clear(&job->text);
    return code;
}

/* Opens the output once there is something to write. */
static int begin(struct job *job)
{
    if (job->file)
        return TP_OK;
    int code = tp_outfile_open(&job->file, job->options->out, &job->err);
    if (code < 0)
        return code;
    tp_json_init(&job->json, &job->text);
    if (job->options->format == TP_TABLE_CSV && job->options->kind == TP_TABLE_FUNCTIONS)
        tp_plain_csv_head(&job->text, tp_calls_columns, TP_CALLS_COLUMNS);
    else if (job->options->format == TP_TABLE_CSV && job->options->kind == TP_TABLE_OPERATORS)
        tp_plain_csv_head(&job->text, tp_operator_columns, TP_OPERATOR_COLUMNS);
    else if (job->options->format == TP_TABLE_CSV)
        tp_key_table_csv_head(&job->text);
    if (job->options->format == TP_TABLE_JSON) {
        tp_json_object(&job->json);
        tp_json_member_text(&job->json, "schema", "tracepress-table");
        tp_json_member_int(&job->json, "schema_version", 1);
        tp_json_key(&job->json, "profiles");
        tp_json_array(&job->json);
    }
    return TP_OK;
}

static int end(struct job *job)
{
    if (job->options->format == TP_TABLE_JSON) {
        tp_json_array_end(&job->json);
        tp_json_object_end(&job->json);
        tp_buf_putc(&job->text, '\n');
    }
    int code = flush(job);
    return code < 0 ? code : tp_outfile_commit(&job->file, &job->err);
}

/* ---- one profile ---- */

/* What tells a profile apart from the others: RUN/WORKER, with its span when the file's name has one. */
static struct tp_str label_of(const struct job *job, const struct tp_run *run, const struct tp_run_file *file,
                              struct tp_arena *arena)
{
    bool has_run = job->runs.count > 1;
    size_t size = run->name.len + file->worker.len + 32;
    char *text = tp_arena_alloc(arena, size);
    int n = snprintf(text, size, "%.*s%s%.*s", has_run ? (int)run->name.len : 0, run->name.ptr, has_run ? "/" : "",
                     (int)file->worker.len, file->worker.ptr);
    if (file->span && n > 0)
        n += snprintf(text + n, size - (size_t)n, " (%llu)", (unsigned long long)file->span);
    return (struct tp_str){text, n > 0 ? (size_t)n : 0};
}

static bool has_device_time(const struct tp_key_averages *averages)
{
    for (uint32_t i = 0; i < averages->count; i++)
        if (averages->rows[i].self_device.ns > 0)
            return true;
    return false;
}

/* One profile's rows in the format wanted; what is NULL belongs to the other kind of table. */
struct printed {
    struct tp_str label;
    const struct tp_run_file *file;
    const struct tp_key_averages *averages;
    const uint32_t *order;
    const struct tp_calls *calls;
    const struct tp_operator_calls *operators;
    struct tp_table_slice slice;
};

static void print_text(struct job *job, const struct printed *p)
{
    const struct tp_key_table_options *style = &job->options->style;
    if (job->file_count > 1)
        tp_buf_printf(&job->text, "%s%s\n", job->usable_count ? "\n" : "", p->file->base);
    if (p->averages)
        tp_key_table_text(&job->text, p->averages, p->order, style);
    else if (p->operators)
        tp_operator_calls_text(&job->text, p->operators);
    else
        tp_calls_text(&job->text, p->calls, p->order, job->options->sort_by, style->row_limit);
}

static void print_csv(struct job *job, const struct printed *p)
{
    if (p->averages)
        tp_key_table_csv(&job->text, p->averages, p->order, &job->options->style, p->label);
    else
        tp_plain_csv(&job->text, &p->slice, p->label);
}

static void print_json(struct job *job, const struct printed *p)
{
    tp_json_object(&job->json);
    tp_json_member_str(&job->json, "profile", p->label);
    tp_json_member_text(&job->json, "file", p->file->base);
    if (p->averages)
        tp_key_table_json(&job->json, p->averages, p->order, &job->options->style);
    if (p->operators) {
        tp_json_member_bool(&job->json, "is_device_time", p->operators->is_device);
        tp_json_member_int(&job->json, "call_count", p->operators->call_count);
        tp_json_member_us(&job->json, "self_time_us", p->operators->time_ns);
        tp_json_member_us(&job->json, "self_time_with_computation_us", p->operators->covered_ns);
        tp_json_member_us(&job->json, "copy_time_us", p->operators->copy_ns);
        tp_json_member_int(&job->json, "copy_count", p->operators->copy_count);
    }
    if (!p->averages)
        tp_plain_json(&job->json, &p->slice);
    tp_json_object_end(&job->json);
}

static void print_markdown(struct job *job, const struct printed *p)
{
    if (job->file_count > 1) {
        tp_buf_puts(&job->text, job->usable_count ? "\n### " : "### ");
        tp_markdown_escape(&job->text, p->label);
        tp_buf_puts(&job->text, "\n\n");
    }
    if (p->averages)
        tp_key_table_markdown(&job->text, p->averages, p->order, &job->options->style);
    else
        tp_plain_markdown(&job->text, &p->slice);
}

static int print(struct job *job, const struct printed *p)
{
    static void (*const formats[])(struct job * job, const struct printed *p) = {
        [TP_TABLE_TEXT] = print_text,
        [TP_TABLE_CSV] = print_csv,
        [TP_TABLE_JSON] = print_json,
        [TP_TABLE_MARKDOWN] = print_markdown,
    };
    int code = begin(job);
    if (code < 0)
        return code;
    formats[job->options->format](job, p);
    job->usable_count++;
    return flush(job);
}

static void build_keys(const struct job *job, struct printed *p, const struct tp_trace *trace, struct tp_arena *arena)
{
    struct tp_key_averages *averages = tp_arena_alloc(arena, sizeof *averages);
    const char *sort_by = job->options->sort_by;
    tp_key_averages_build(averages, trace, &job->options->keys, arena);
    if (!sort_by)
        sort_by = has_device_time(averages) ? "self_device_time_total" : "self_cpu_time_total";
    p->averages = averages;
    p->order = tp_key_averages_sort(averages, sort_by, arena);
}

static void build_functions(const struct job *job, struct printed *p, const struct tp_trace *trace,
                            struct tp_arena *arena)
{
    struct tp_calls *calls = tp_arena_alloc(arena, sizeof *calls);
    int64_t limit = job->options->style.row_limit;
    tp_calls_build(calls, trace, arena);
    p->calls = calls;
    p->order = tp_calls_sort(calls, job->options->sort_by, arena);
    p->slice = (struct tp_table_slice){.table = tp_calls_table(calls, arena),
                                       .order = p->order,
                                       .count = limit < 0 || limit > calls->count ? calls->count : (size_t)limit};
}

static void build_operators(const struct job *job, struct printed *p, const struct tp_trace *trace,
                            struct tp_arena *arena)
{
    struct tp_operator_calls *calls = tp_arena_alloc(arena, sizeof *calls);
    tp_operator_calls_build(calls, trace, &job->options->operators, arena);
    uint32_t *order = tp_arena_array(arena, calls->table.row_count, sizeof *order);
    for (size_t i = 0; i < calls->table.row_count; i++)
        order[i] = (uint32_t)i;
    p->operators = calls;
    p->slice = (struct tp_table_slice){&calls->table, order, calls->table.row_count};
}

static int table_of(struct job *job, const struct tp_run *run, const struct tp_run_file *file, struct tp_trace *trace,
                    struct tp_arena *arena)
{
    struct printed printed = {.file = file};
    if (job->options->kind == TP_TABLE_FUNCTIONS)
        build_functions(job, &printed, trace, arena);
    else if (job->options->kind == TP_TABLE_OPERATORS)
        build_operators(job, &printed, trace, arena);
    else
        build_keys(job, &printed, trace, arena);
    printed.label = label_of(job, run, file, arena);
    tp_inputs_say_notices(job->console, file->path, &trace->reading);
    return print(job, &printed);
}

/* One input while it is read and printed. */
struct reading {
    struct job *job;
    const struct tp_run *run;
    const struct tp_run_file *file;
    struct tp_arena *arena;
};

static int read_and_print(void *context, struct tp_error *err)
{
    const struct reading *r = context;
    struct job *job = r->job;
    struct tp_trace *trace = tp_arena_alloc(r->arena, sizeof *trace);
    struct tp_error why = {0};
    (void)err;
    if (tp_trace_read(trace, r->arena, r->file->path, &job->options->read, &why) == TP_OK)
        return table_of(job, r->run, r->file, trace, r->arena);
    tp_console_error(job->console, "%s: %s", r->file->path, why.text);
    job->hit_limit |= why.code == TP_ELIMIT || why.code == TP_ENOMEM;
    return TP_OK;
}

/* Reads and prints one input. An input that cannot be used is said and counted; it is not fatal. */
static int run_profile(struct job *job, const struct tp_run *run, const struct tp_run_file *file)
{
    struct tp_arena memory;
    struct tp_error why = {0};
    tp_arena_init(&memory, 0);
    tp_console_progress(job->console, "reading %zu of %zu: %s", job->done_count + 1, job->file_count, file->base);
    int code = tp_arena_run(&memory, read_and_print, &(struct reading){job, run, file, &memory}, &why);
    if (memory.code)
        tp_error_set(&job->err, code, 0, "%s: %s", file->base, why.text);
    tp_arena_release(&memory);
    job->done_count++;
    return code;
}

/* ---- all ---- */

static int run_job(void *context, struct tp_error *err)
{
    struct job *job = context;
    (void)err; /* the job has it */
    const struct tp_run_search search = {job->options->inputs, job->options->input_count, job->options->read.include};
    int code = tp_inputs_find(&job->runs, &job->file_count, &job->arena, &search, job->console, &job->err);
    if (code == TP_OK && is_input(job, job->options->out))
        code = tp_error_set(&job->err, TP_EUSAGE, 0, "table: the output would overwrite an input");
    for (size_t i = 0; code == TP_OK && i < job->runs.count; i++)
        for (size_t k = 0; code == TP_OK && k < job->runs.items[i].file_count; k++)
            code = run_profile(job, &job->runs.items[i], &job->runs.items[i].files[k]);
    if (code < 0)
        return code;
    if (job->usable_count == 0) /* every input has been named with its reason */
        return tp_error_set(&job->err, job->hit_limit ? TP_ELIMIT : TP_ENOTFOUND, 0, "no usable input");
    if (job->options->read.is_strict && job->usable_count < job->file_count)
        return tp_error_set(&job->err, TP_ENOTFOUND, 0, "--strict: %zu of %zu inputs could not be used",
                            job->file_count - job->usable_count, job->file_count);
    return end(job);
}

int tp_table_run(const struct tp_table_job *options)
{
    struct job job = {.options = options, .console = options->console};
    tp_arena_init(&job.arena, 0);
    tp_buf_init(&job.text, 0);
    int code = tp_arena_run(&job.arena, run_job, &job, &job.err);
    tp_console_progress_end(job.console);
    if (code < 0)
        tp_console_error(job.console, "%s", job.err.text);
    tp_outfile_discard(&job.file);
    tp_buf_release(&job.text);
    tp_arena_release(&job.arena);
    return tp_inputs_exit_code(code);
}
