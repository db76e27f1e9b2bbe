/* Runs `tracepress export INPUT... --to FORMAT`: parses the options, and calls the function of the format for each
 * profile. */
#include <stdio.h>
#include <string.h>

#include "webreport/cli/cmd.h"
#include "webreport/cli/export_snapshots.h"
#include "webreport/export/export.h"
#include "webreport/session/capture_maps.h"
#include "webreport/session/inputs.h"
#include "webreport/session/opt.h"
#include "webreport/session/output_names.h"
#include "webreport/session/trace_walk.h"
#include "writer/base/fs.h"
#include "writer/base/path.h"
#include "writer/text/nearest.h"

struct options {
    struct tp_opt_common common;
    struct tp_trace_options read;
    const char *to, *out, *wanted_operator, *metric, *baseline, *steps, *from, *until;
    struct tp_opt_list threads, categories;
    int rules, colour, when; /* colour: -1 without --color-by; when: -1 without --at */
    bool is_slim;
};

#define AT(field) offsetof(struct options, field)

static const struct tp_opt table[] = {
    {"to", 0, TP_OPT_TEXT, AT(to), NULL},
    {"output", 'o', TP_OPT_PATH, AT(out), NULL},
    {"operator", 0, TP_OPT_TEXT, AT(wanted_operator), NULL},
    {"metric", 0, TP_OPT_TEXT, AT(metric), NULL},
    {"baseline", 0, TP_OPT_PATH, AT(baseline), NULL},
    {"torch", 0, TP_OPT_CHOICE, AT(rules), TP_TORCH_RULES},
    {"at", 0, TP_OPT_CHOICE, AT(when), TP_SNAPSHOT_WHEN},
    {"color-by", 0, TP_OPT_CHOICE, AT(colour), TP_EXPORT_COLOURS},
    {"slim", 0, TP_OPT_FLAG, AT(is_slim), NULL},
    {"step", 0, TP_OPT_TEXT, AT(steps), NULL},
    {"from", 0, TP_OPT_TEXT, AT(from), NULL},
    {"until", 0, TP_OPT_TEXT, AT(until), NULL},
    {"thread", 0, TP_OPT_LIST, AT(threads), NULL},
    {"category", 0, TP_OPT_LIST, AT(categories), NULL},
    TP_OPT_READING(struct options),
    TP_OPT_MAP(struct options),
    TP_OPT_COMPILE(struct options),
    TP_OPT_PARTS(struct options),
    TP_OPT_COMMON(struct options),
};

struct job {
    const struct options *options;
    const struct tp_export_format *format;
    struct tp_console *console;
    struct tp_arena arena; /* memory for the whole command */
    struct tp_trace_walk walk;
    struct tp_output_name *names; /* output name of each profile, in the order of the profiles */
    struct tp_export_job all;
    const char *out, *file; /* folder of the outputs; name of the file if -o names a file, otherwise NULL */
    struct tp_filter filter;
    enum tp_export_need needs;
    struct tp_analysis *baseline; /* trace given by --baseline; NULL without the option */
    struct tp_capture_maps baseline_maps;
};

/* ---- one profile ---- */

/* Returns the output folder of a profile: the folder of the job, with `part` appended. The text is in the arena. */
static const char *output_folder_of_profile(const struct job *job, const char *part, struct tp_arena *arena)
{
    size_t size = strlen(job->out) + strlen(part) + 2;
    char *path = tp_arena_alloc(arena, size);
    snprintf(path, size, "%s%s%s", job->out, *part ? "/" : "", part);
    return path;
}

/* Makes the names of the outputs. Called when all traces are known. */
static int make_output_names(void *context, struct tp_error *err)
{
    struct job *job = context;
    (void)err;
    job->names = tp_output_names_make(&job->walk.runs, job->format->uses_one_folder_per_worker, &job->arena);
    return TP_OK;
}

/* Analyses a trace as far as the format needs, and writes it. Returns TP_ENOTFOUND if the trace lacks the data of the
 * format. */
static int write_profile(void *context, const struct tp_walked *walked, struct tp_error *err)
{
    struct job *job = context;
    const struct tp_output_name *name = &job->names[job->walk.done_count];
    struct tp_analysis *a = walked->analysis;
    struct tp_profile profile = tp_walked_profile(walked);
    struct tp_export export = {
        .profile = &profile,
        .path = walked->path,
        .is_part = walked->file->part && walked->file->part->rows,
        .read = &job->options->read,
        .reading = &a->trace.reading,
        .is_slim = job->options->is_slim,
        .out = job->out,
        .run = name->run,
        .worker = name->worker,
        .folder = output_folder_of_profile(job, name->folder, &a->arena),
        .wanted_operator = job->options->wanted_operator,
        .metric = job->options->metric,
        .filter = &job->filter,
        .baseline = job->baseline ? &job->baseline->trace : NULL,
        .baseline_model = job->baseline && job->needs == TP_EXPORT_NEEDS_MODEL ? &job->baseline->model : NULL,
        .colour = job->options->colour < 0 ? TP_EXPORT_BY_LIFETIME : (enum tp_export_colour)job->options->colour,
        .rules = (enum tp_torch_rules)job->options->rules,
        .job = &job->all,
        .arena = &a->arena};
    if (job->needs == TP_EXPORT_NEEDS_ALL)
        tp_analysis_build(a, NULL, NULL);
    if (job->needs == TP_EXPORT_NEEDS_MODEL)
        tp_analysis_build_model(a);
    if (job->needs != TP_EXPORT_NEEDS_NOTHING)
        tp_inputs_print_notices(job->console, walked->file->path, &a->trace);
    int code = tp_folder_make(job->format->has_own_folders ? export.out : export.folder, err);
    code = code < 0 ? code : job->format->write(&export, err);
    if (code == TP_OK && job->needs == TP_EXPORT_NEEDS_NOTHING)
        tp_inputs_print_notices(job->console, walked->file->path, &a->trace);
    return code;
}

/* ---- all profiles ---- */

/* Reads the trace given by --baseline, with the capture traces that belong to it. Builds the model if the format needs
 * the model of the exported trace. */
static int read_baseline_and_captures(void *context, struct tp_error *err)
{
    struct job *job = context;
    struct tp_trace_options read = {.max_input_bytes = job->options->read.max_input_bytes,
                                    .is_strict = job->options->read.is_strict};
    int code = tp_capture_maps_read(&job->baseline_maps, job->baseline, job->options->baseline, &read, err);
    if (code == TP_OK && job->needs == TP_EXPORT_NEEDS_MODEL)
        tp_analysis_build_model(job->baseline);
    return code;
}

/* Reads the baseline; called once for all profiles. */
static int read_baseline(struct job *job, struct tp_error *err)
{
    const char *path = job->options->baseline;
    struct tp_error why = {0};
    if (!path)
        return TP_OK;
    job->baseline = tp_arena_alloc(&job->arena, sizeof *job->baseline);
    tp_analysis_open(job->baseline, NULL);
    tp_capture_maps_open(&job->baseline_maps, job->console, &job->options->read);
    int code = tp_arena_run_both(&job->baseline->arena, &job->arena, read_baseline_and_captures, job, &why);
    tp_capture_maps_close(&job->baseline_maps);
    tp_arena_fail_with_stored_code(&job->arena);
    if (code < 0)
        return tp_error_set(err, code == TP_ELIMIT || code == TP_ENOMEM ? code : TP_ENOTFOUND, 0, "--baseline: %s: %s",
                            path, why.text);
    tp_inputs_print_notices(job->console, path, &job->baseline->trace);
    return TP_OK;
}

static int export_traces(void *context, struct tp_error *err)
{
    struct job *job = context;
    int code = read_baseline(job, err);
    code = code < 0 ? code : tp_trace_walk(&job->walk, err);
    return code == TP_OK && job->walk.usable_count > 1 && job->format->finish ? job->format->finish(&job->all, err)
                                                                              : code;
}

static enum tp_export_need find_required_data(const struct job *job)
{
    const struct tp_export asked = {.filter = &job->filter,
                                    .is_slim = job->options->is_slim,
                                    .metric = job->options->metric,
                                    .read = &job->options->read};
    return job->format->choose_needs ? job->format->choose_needs(&asked) : job->format->needs;
}

static bool is_file_name(const char *name, const char *endings)
{
    size_t size = strlen(name);
    for (const char *at = endings; at && *at; at += strspn(at, " ")) {
        size_t ending = strcspn(at, " ");
        if (ending < size && memcmp(name + size - ending, at, ending) == 0)
            return true;
        at += ending;
    }
    return false;
}

/* Splits the value of -o into a folder and the name of a file, if it is the name of a file of the format. */
static int split_output(void *context, struct tp_error *err)
{
    struct job *job = context;
    const char *out = job->options->out, *base = tp_path_base(out);
    (void)err;
    job->out = out;
    if (!is_file_name(out, job->format->file_endings))
        return TP_OK;
    job->file = base;
    size_t folder_bytes = (size_t)(base - out);
    job->out = folder_bytes ? tp_arena_copy(&job->arena, out, folder_bytes - (folder_bytes > 1)) : ".";
    return TP_OK;
}

static int run_export(struct job *job)
{
    static const struct tp_walk_user user = {.found = make_output_names, .use = write_profile};
    struct tp_error err = {0};
    tp_arena_init(&job->arena, 0);
    int code = tp_arena_run(&job->arena, split_output, job, &err);
    job->all = (struct tp_export_job){.out = job->out, .file = job->file, .arena = &job->arena};
    job->walk.read = job->options->read;
    job->walk.read.keeps_frame_stacks = job->format->reads_frame_stacks;
    job->walk.read.keeps_ends = job->format->keeps_ends;
    job->needs = find_required_data(job);
    job->walk.skips_reading = job->needs == TP_EXPORT_NEEDS_NOTHING;
    job->walk.copies_pipes = job->format->rereads_trace;
    job->walk.console = job->console;
    job->walk.arena = &job->arena;
    job->walk.user = &user;
    job->walk.context = job;
    code = code < 0 ? code : tp_arena_run(&job->arena, export_traces, job, &err);
    tp_console_progress_end(job->console);
    if (code < 0)
        tp_console_error(job->console, "%s", err.text);
    else
        tp_export_print_written(job->console, &job->all, job->options->out);
    if (job->baseline)
        tp_analysis_close(job->baseline);
    tp_arena_release(&job->arena);
    return tp_inputs_exit_code(code);
}

static const char one_choice[] = "--color-by: this format has only one choice of colours";
static const char no_difference[] = "--baseline: this format cannot show a difference";

/* Returns why the options do not fit the format; NULL if they fit. */
static const char *find_option_conflict(const struct options *o, const struct tp_export_format *format)
{
    bool has_filter = o->steps || o->from || o->until || o->threads.count || o->categories.count;
    if (o->wanted_operator && !format->has_operator)
        return "--operator: only the format repro has this option";
    if (!o->wanted_operator && format->has_operator)
        return "name an operator with --operator: its event_id in the tables of --to csv, or its name";
    if (o->metric && !format->check_metric)
        return "--metric: this format has no metrics";
    if (o->metric && !format->check_metric(o->metric))
        return "--metric: no such metric";
    if (o->baseline && !format->has_baseline)
        return no_difference;
    if (o->when >= 0)
        return "--at: only memory snapshots have this option";
    if (o->colour >= 0 && !format->has_colours)
        return one_choice;
    if (o->colour > TP_EXPORT_BY_MODULE)
        return "--color-by: the colours of a trace are lifetime, operator and module";
    if (o->is_slim && !format->supports_slim)
        return "--slim: this format has no small form";
    if (has_filter && !format->has_filter)
        return "--step, --from, --until, --thread, --category: this format always exports the whole trace";
    return NULL;
}

static int read_filter(struct job *job, struct tp_error *err)
{
    const struct options *o = job->options;
    struct tp_filter_options options = {.steps = o->steps,
                                        .from = o->from,
                                        .until = o->until,
                                        .threads = o->threads.items,
                                        .thread_count = o->threads.count,
                                        .categories = o->categories.items,
                                        .category_count = o->categories.count};
    return tp_filter_parse(&job->filter, &options, err);
}

/* ---- memory snapshots ---- */

/* Returns the first given option that has no effect on memory snapshots; NULL if none exists. */
static const char *find_option_for_traces(const struct options *o)
{
    const struct {
        const char *option;
        bool is_given;
    } options[] = {{"--operator", o->wanted_operator != NULL},
                   {"--metric", o->metric != NULL},
                   {"--slim", o->is_slim},
                   {"--torch", o->rules != 0},
                   {"--step", o->steps != NULL},
                   {"--thread", o->threads.count > 0},
                   {"--category", o->categories.count > 0}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].is_given)
            return options[i].option;
    return NULL;
}

/* Returns why the options do not fit the format of a memory snapshot; NULL if they fit. */
static const char *find_snapshot_conflict(const struct options *o, const struct tp_export_format *format)
{
    if (o->baseline && !format->has_baseline)
        return no_difference;
    if (o->when >= 0 && !format->shows_moment)
        return "--at: this format shows all moments";
    if (o->colour >= 0 && !format->has_colours)
        return one_choice;
    if (o->colour == TP_EXPORT_BY_OPERATOR)
        return "--color-by: the colours of a memory snapshot are lifetime, module, line, category and stream";
    if ((o->from || o->until) && !format->has_colours)
        return "--from, --until: this format always exports the whole snapshot";
    return NULL;
}

static int export_snapshots(const struct job *job)
{
    const struct options *o = job->options;
    const struct tp_export_snapshots snapshots = {
        .format = job->format,
        .session = {.inputs = job->walk.inputs,
                    .input_count = job->walk.input_count,
                    .max_input_bytes = o->read.max_input_bytes,
                    .is_strict = o->read.is_strict,
                    .console = job->console},
        .out = o->out,
        .baseline = o->baseline,
        .when = o->when < 0 ? TP_SNAPSHOT_AT_PEAK : (enum tp_snapshot_when)o->when,
        .colour = o->colour < 0 ? TP_EXPORT_BY_CATEGORY : (enum tp_export_colour)o->colour,
        .filter = &job->filter};
    const char *useless = find_option_for_traces(o);
    if (useless) {
        tp_console_error(job->console, "export: %s has no effect on memory snapshots", useless);
        return TP_EXIT_USAGE;
    }
    if (job->format->takes_snapshots && find_snapshot_conflict(o, job->format))
        return tp_cmd_print_usage_error(job->console, "export", find_snapshot_conflict(o, job->format));
    return tp_export_snapshots(&snapshots);
}

/* Returns whether the inputs are memory snapshots: 1, 0, or TP_EUSAGE if only some are. */
static int detect_snapshots(const struct job *job)
{
    return tp_snapshot_detect_inputs(&(struct tp_run_search){.paths = job->walk.inputs,
                                                             .path_count = job->walk.input_count,
                                                             .include = job->options->read.include,
                                                             .skips_parts = true});
}

/* ---- options ---- */

/* Prints the format with the most similar name, or all formats if no name is similar. */
static int print_unknown_format(struct tp_console *console, const char *name)
{
    struct tp_nearest nearest = tp_nearest_start(tp_str_of(name));
    char text[400];
    size_t size = (size_t)snprintf(text, sizeof text, "--to: unknown format \"%.40s\"", name);
    for (const struct tp_export_format *format = tp_export_formats; format->name; format++)
        tp_nearest_compare(&nearest, tp_str_of(format->name));
    if (nearest.found.len)
        snprintf(text + size, sizeof text - size, " (did you mean %s?)", nearest.found.ptr);
    for (const struct tp_export_format *format = tp_export_formats; format->name && !nearest.found.len; format++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%s",
                                 format == tp_export_formats ? "; the formats are " : ", ", format->name);
    return tp_cmd_print_usage_error(console, "export", text);
}

int tp_cmd_export(int argc, char **argv)
{
    struct options o = {.out = ".", .colour = -1, .when = -1};
    struct tp_error err = {0};
    struct tp_console console;
    struct job job = {.options = &o, .console = &console, .walk = {.inputs = (const char *const *)argv}};
    int code =
        tp_cmd_parse_command_line(&console, &(struct tp_cmd){"export", table}, &o, argc, argv, &job.walk.input_count);
    if (code != TP_CMD_CONTINUES)
        return code;
    if (!o.to)
        return tp_cmd_print_usage_error(&console, "export", "name a format with --to");
    job.format = tp_export_find(o.to);
    if (!job.format)
        return print_unknown_format(&console, o.to);
    if (!*o.out)
        return tp_cmd_print_usage_error(&console, "export", "-o: the name of the folder is empty");
    code = detect_snapshots(&job);
    if (code == TP_EUSAGE)
        return tp_cmd_print_usage_error(&console, "export", "name traces or memory snapshots, not both");
    if (code < 0)
        return tp_cmd_print_failure(&console, "export", code);
    if (code == 0 && find_option_conflict(&o, job.format))
        return tp_cmd_print_usage_error(&console, "export", find_option_conflict(&o, job.format));
    if (read_filter(&job, &err) < 0)
        return tp_cmd_print_usage_error(&console, "export", err.text);
    if (code > 0)
        return export_snapshots(&job);
    if (job.walk.input_count == 0)
        return tp_cmd_print_usage_error(&console, "export",
                                        "name a trace file, or a folder to search for *.pt.trace.json[.gz]");
    return run_export(&job);
}
