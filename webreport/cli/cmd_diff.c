/* Runs `tracepress diff BASE NEW`: parses options, writes outputs and sets the exit code. */
#include <string.h>

#include "webreport/cli/cmd.h"
#include "webreport/cli/diff_snapshots.h"
#include "webreport/document/commands/compare_document.h"
#include "webreport/document/report/sections.h"
#include "webreport/session/comparison.h"
#include "webreport/session/inputs.h"
#include "webreport/session/opt.h"
#include "webreport/session/source_lines.h"

struct options {
    struct tp_opt_common common;
    struct tp_trace_options read;
    const char *html, *json, *markdown, *threshold, *fail_above, *templates, *source_root;
    uint64_t max_size;
    struct tp_opt_list rules;
    const char *peaks;
    int64_t row_limit;
    int inconclusive;
    bool all, exit_zero, redact;
};

#define AT(field) offsetof(struct options, field)

static const struct tp_opt table[] = {
    {"output", 'o', TP_OPT_PATH, AT(html), NULL},
    {"json", 0, TP_OPT_PATH, AT(json), NULL},
    {"markdown", 0, TP_OPT_PATH, AT(markdown), NULL},
    {"threshold", 0, TP_OPT_TEXT, AT(threshold), NULL},
    {"fail-above", 0, TP_OPT_TEXT, AT(fail_above), NULL},
    {"inconclusive", 0, TP_OPT_CHOICE, AT(inconclusive), "pass|fail"},
    {"exit-zero", 0, TP_OPT_FLAG, AT(exit_zero), NULL},
    {"all", 0, TP_OPT_FLAG, AT(all), NULL},
    {"row-limit", 0, TP_OPT_INT, AT(row_limit), NULL},
    {"max-size", 0, TP_OPT_SIZE, AT(max_size), NULL},
    {"rule", 0, TP_OPT_LIST, AT(rules), NULL},
    {"peaks", 0, TP_OPT_TEXT, AT(peaks), NULL},
    {"source-root", 0, TP_OPT_PATH, AT(source_root), NULL},
    {"redact", 0, TP_OPT_FLAG, AT(redact), NULL},
    {"templates", 0, TP_OPT_PATH, AT(templates), NULL},
    TP_OPT_READING(struct options),
    TP_OPT_MAP(struct options),
    TP_OPT_COMPILE(struct options),
    TP_OPT_PARTS(struct options),
    TP_OPT_COMMON(struct options),
};

enum { DEFAULT_ROWS = 20 };

/* ---- the comparison ---- */

enum { HTML, JSON, MARKDOWN, TEXT, OUTPUTS, PAGE_ROWS = 300 };

struct job {
    const struct options *options;
    const char *paths[TP_SIDES];
    struct tp_diff_read read;
    struct tp_compare_options how;
    struct tp_comparison comparison;
    struct tp_trace_picture pictures[TP_SIDES];
    struct tp_cmd_work work;
};

static void keep_picture(void *context, int side, const struct tp_run_file *file, const struct tp_analysis *analysis,
                         struct tp_arena *arena)
{
    struct job *job = context;
    const char *end = strrchr(file->path, '/'), *folder = end;
    while (folder && folder > file->path && folder[-1] != '/')
        folder--;
    struct tp_profile profile = {.run = folder ? (struct tp_str){folder, (size_t)(end - folder)} : TP_STR(""),
                                 .worker = file->worker,
                                 .span = file->span ? (int64_t)file->span : TP_NULL_INT,
                                 .file = tp_str_of(file->base),
                                 .trace = &analysis->trace,
                                 .order = &analysis->order,
                                 .model = &analysis->model,
                                 .views = &analysis->views,
                                 .advice = &analysis->advice};
    tp_trace_picture_build(&job->pictures[side], &profile, &(struct tp_section_options){.redact = job->options->redact},
                           arena);
}

static int run_diff_in_guard(void *context, struct tp_error *err)
{
    struct job *job = context;
    const struct options *o = job->options;
    bool is_taken = tp_is_stdout_path(o->html) || tp_is_stdout_path(o->json) || tp_is_stdout_path(o->markdown);
    const struct tp_cmd_output outputs[OUTPUTS] = {[HTML] = {o->html, tp_print_html},
                                                   [JSON] = {o->json, tp_print_json},
                                                   [MARKDOWN] = {o->markdown, tp_print_markdown},
                                                   [TEXT] = {is_taken ? NULL : "-", tp_print_text}};
    struct tp_naming naming = {.arena = &job->work.arena, .redact = o->redact};
    struct tp_print_options options = {
        .row_limit = &o->row_limit, .has_details = o->all, .templates_dir = o->templates, .max_bytes = o->max_size};
    struct tp_document document;
    size_t rows = o->row_limit < 0 ? SIZE_MAX : (size_t)o->row_limit;
    (void)err; /* the parameter is unused, because errors are reported through job->work.err */
    int code = tp_comparison_open(&job->comparison, job->paths, &job->read, &job->work.err);
    if (code < 0)
        return code;
    tp_comparison_build(&job->comparison, &job->how, &job->work.arena);
    tp_source_lines_add_to_compare(&job->comparison.compare, o->source_root, &job->work.arena);
    tp_compare_document(&document, &(struct tp_compare_shown){.compare = &job->comparison.compare,
                                                              .naming = &naming,
                                                              .max_rows = rows > PAGE_ROWS ? rows : PAGE_ROWS,
                                                              .pictures = job->pictures});
    return tp_cmd_write_outputs(&job->work, &document, outputs, OUTPUTS, &options);
}

static int exit_code_of_diff(const struct job *job, int code)
{
    const struct tp_compare *compare = &job->comparison.compare;
    bool is_bad = tp_compare_has_regressed(compare) ||
                  (compare->verdict == TP_CHANGE_INCONCLUSIVE && job->options->inconclusive == 1);
    if (code < 0 || job->options->exit_zero)
        return tp_inputs_exit_code(code);
    return *compare->damage ? TP_EXIT_DAMAGED : is_bad ? TP_EXIT_FOUND : TP_EXIT_DONE;
}

/* ---- memory snapshots ---- */

/* Returns the first given option that has no effect on memory snapshots; NULL if none exists. */
static const char *find_option_without_effect(const struct options *o)
{
    const struct {
        const char *option;
        bool is_given;
    } options[] = {{"--threshold", o->threshold != NULL},
                   {"--source-root", o->source_root != NULL},
                   {"--rule", o->rules.count > 0},
                   {"--peaks", o->peaks != NULL}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].is_given)
            return options[i].option;
    return NULL;
}

static int diff_snapshots(const struct options *o, char **paths, struct tp_console *console)
{
    struct tp_diff_snapshots snapshots = {.comparison = {.paths = {paths[0], paths[1]},
                                                         .allowed_ratio = TP_SNAPSHOT_ALLOWED_RISE,
                                                         .max_input_bytes = o->read.max_input_bytes,
                                                         .is_strict = o->read.is_strict,
                                                         .console = console},
                                          .html = o->html,
                                          .json = o->json,
                                          .markdown = o->markdown,
                                          .templates = o->templates,
                                          .max_page_bytes = o->max_size,
                                          .has_limit = o->fail_above != NULL,
                                          .fails_inconclusive = o->inconclusive == 1,
                                          .exits_zero = o->exit_zero,
                                          .row_limit = o->row_limit,
                                          .has_details = o->all};
    const char *useless = find_option_without_effect(o);
    if (useless) {
        tp_console_error(console, "diff: %s has no effect on memory snapshots", useless);
        return TP_EXIT_USAGE;
    }
    if (o->fail_above && !tp_cmd_parse_percent(&snapshots.comparison.allowed_ratio, o->fail_above))
        return tp_cmd_print_usage_error(console, "diff", "--fail-above: a percentage, 0 or more");
    return tp_diff_snapshots(&snapshots);
}

/* ---- options ---- */

int tp_cmd_diff(int argc, char **argv)
{
    struct options o = {.row_limit = DEFAULT_ROWS};
    struct tp_peaks_file peaks;
    struct tp_error err = {0};
    struct tp_console console;
    struct tp_rule_overrides rules = {0};
    struct job job = {.options = &o, .work = {.console = &console}};
    size_t count = 0;
    int code = tp_cmd_parse_command_line(&console, &(struct tp_cmd){"diff", table}, &o, argc, argv, &count);
    if (code != TP_CMD_CONTINUES)
        return code;
    if (count != 2)
        return tp_cmd_print_usage_error(
            &console, "diff",
            "name two sides, BASE and NEW: traces, summaries (.tps), folders of them, or memory "
            "snapshots");
    if (!tp_cmd_parse_percent(&job.how.threshold, o.threshold))
        return tp_cmd_print_usage_error(&console, "diff", "--threshold: a percentage, 0 or more");
    const char *const outputs[] = {o.html, o.json, o.markdown};
    const char *wrong =
        tp_inputs_find_conflict(&(struct tp_named_files){.outputs = outputs,
                                                         .output_count = sizeof outputs / sizeof *outputs,
                                                         .inputs = (const char *const *)argv,
                                                         .input_count = count});
    if (wrong)
        return tp_cmd_print_usage_error(&console, "diff", wrong);
    code = tp_snapshot_detect_inputs(&(struct tp_run_search){(const char *const *)argv, 2, o.read.include, NULL, true});
    if (code == TP_EUSAGE)
        return tp_cmd_print_usage_error(&console, "diff",
                                        "a trace and a memory snapshot cannot be compared; name two of a kind");
    if (code > 0)
        return diff_snapshots(&o, argv, &console);
    if (o.fail_above)
        return tp_cmd_print_usage_error(&console, "diff",
                                        "--fail-above is for memory snapshots; traces have --threshold");
    if (tp_opt_parse_rules(&rules, &o.rules, &err) < 0 || tp_opt_parse_peaks(&rules, &peaks, o.peaks, &err) < 0)
        return tp_cmd_print_usage_error(&console, "diff", err.text);
    job.paths[TP_BASE] = argv[0];
    job.paths[TP_NEW] = argv[1];
    job.read = (struct tp_diff_read){.rules = &rules, .console = &console, .has_trees = o.html || o.json};
    job.read.read = o.read;
    job.read.advised = o.html ? keep_picture : NULL;
    job.read.context = &job;
    code = exit_code_of_diff(&job, tp_cmd_run_in_arena(&job.work, run_diff_in_guard, &job));
    tp_comparison_close(&job.comparison);
    tp_cmd_release(&job.work);
    return code;
}
