/* Runs `tracepress precision BASE NEW`: compares the tensors of two runs and prints the result. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/cli/cmd.h"
#include "webreport/document/commands/precision_document.h"
#include "webreport/print/print.h"
#include "webreport/session/console.h"
#include "webreport/session/inputs.h"
#include "webreport/session/opt.h"
#include "webreport/session/snapshot_session.h"
#include "webreport/session/tensor_runs.h"

struct options {
    struct tp_opt_common common;
    struct tp_trace_options read;
    const char *html, *json, *markdown, *templates;
    const char *rtol, *atol, *max_abs, *max_rel, *max_rmse, *min_cosine, *max_mismatch;
    int64_t row_limit;
    bool all, bfloat16, ignore_dtype, allow_missing;
};

#define AT(field) offsetof(struct options, field)

static const struct tp_opt table[] = {
    {"output", 'o', TP_OPT_PATH, AT(html), NULL},
    {"json", 0, TP_OPT_PATH, AT(json), NULL},
    {"markdown", 0, TP_OPT_PATH, AT(markdown), NULL},
    {"rtol", 0, TP_OPT_TEXT, AT(rtol), NULL},
    {"atol", 0, TP_OPT_TEXT, AT(atol), NULL},
    {"max-abs-error", 0, TP_OPT_TEXT, AT(max_abs), NULL},
    {"max-rel-error", 0, TP_OPT_TEXT, AT(max_rel), NULL},
    {"max-rmse", 0, TP_OPT_TEXT, AT(max_rmse), NULL},
    {"min-cosine", 0, TP_OPT_TEXT, AT(min_cosine), NULL},
    {"max-mismatch", 0, TP_OPT_TEXT, AT(max_mismatch), NULL},
    {"ignore-dtype", 0, TP_OPT_FLAG, AT(ignore_dtype), NULL},
    {"allow-missing", 0, TP_OPT_FLAG, AT(allow_missing), NULL},
    {"bfloat16", 0, TP_OPT_FLAG, AT(bfloat16), NULL},
    {"all", 0, TP_OPT_FLAG, AT(all), NULL},
    {"row-limit", 0, TP_OPT_INT, AT(row_limit), NULL},
    {"templates", 0, TP_OPT_PATH, AT(templates), NULL},
    TP_OPT_READING(struct options),
    TP_OPT_COMMON(struct options),
};

enum { DEFAULT_ROWS = 50 };

struct job {
    const struct options *options;
    struct tp_tensor_runs runs;
    struct tp_precision precision;
    struct tp_cmd_work work;
};

static int run_comparison_in_guard(void *context, struct tp_error *err)
{
    struct job *job = context;
    const struct options *o = job->options;
    bool is_taken = tp_is_stdout_path(o->html) || tp_is_stdout_path(o->json) || tp_is_stdout_path(o->markdown);
    const struct tp_cmd_output outputs[] = {{o->html, tp_print_html},
                                            {o->json, tp_print_json},
                                            {o->markdown, tp_print_markdown},
                                            {is_taken ? NULL : "-", tp_print_text}};
    struct tp_print_options options = {.row_limit = &o->row_limit, .templates_dir = o->templates};
    struct tp_document document;
    (void)err; /* the parameter is unused, because errors are reported through job->work.err */
    int code = tp_tensor_runs_compare(&job->precision, &job->runs, &job->work.arena, &job->work.err);
    if (code < 0)
        return code;
    tp_precision_document(&document, &job->precision, o->all, &job->work.arena);
    return tp_cmd_write_outputs(&job->work, &document, outputs, sizeof outputs / sizeof *outputs, &options);
}

/* Parses a number that must be at least `least`. Leaves *out unchanged if text is NULL. */
static bool read_number(double *out, const char *text, double least)
{
    char *end;
    if (!text)
        return true;
    errno = 0;
    double value = strtod(text, &end);
    bool is_good = end != text && *end == '\0' && isfinite(value) && value >= least;
    if (is_good)
        *out = value;
    return is_good;
}

/* Parses the thresholds. Without thresholds, the largest allowed share of mismatches is 0. Returns what is wrong with
 * the thresholds; NULL if they are valid. */
static const char *read_thresholds(struct tp_precision_options *how, const struct options *o)
{
    struct tp_precision_limits *limits = &how->limits;
    bool has_limit = o->max_abs || o->max_rel || o->max_rmse || o->min_cosine || o->max_mismatch;
    how->tolerance = (struct tp_tolerance){NAN, NAN};
    *limits = (struct tp_precision_limits){NAN, NAN, NAN, NAN, has_limit ? NAN : 0};
    if (!read_number(&how->tolerance.rtol, o->rtol, 0) || !read_number(&how->tolerance.atol, o->atol, 0))
        return "--rtol, --atol: a number from 0 on";
    if (!read_number(&limits->max_abs, o->max_abs, 0) || !read_number(&limits->max_rel, o->max_rel, 0) ||
        !read_number(&limits->max_rmse, o->max_rmse, 0) ||
        !read_number(&limits->max_mismatch_share, o->max_mismatch, 0))
        return "--max-abs-error, --max-rel-error, --max-rmse, --max-mismatch: a number from 0 on";
    if (!read_number(&limits->min_cosine, o->min_cosine, -1) || limits->min_cosine > 1)
        return "--min-cosine: a number from -1 to 1";
    how->ignores_dtype = o->ignore_dtype;
    how->allows_missing = o->allow_missing;
    return NULL;
}

int tp_cmd_precision(int argc, char **argv)
{
    struct options o = {.row_limit = DEFAULT_ROWS};
    struct tp_console console;
    struct job job = {.options = &o, .work = {.console = &console}};
    size_t count = 0;
    int code = tp_cmd_parse_command_line(&console, &(struct tp_cmd){"precision", table}, &o, argc, argv, &count);
    if (code != TP_CMD_CONTINUES)
        return code;
    const char *wrong = read_thresholds(&job.runs.how, &o);
    if (wrong)
        return tp_cmd_print_usage_error(&console, "precision", wrong);
    if (count != 2)
        return tp_cmd_print_usage_error(&console, "precision",
                                        "name two runs, BASE and NEW: traces, folders, .npy or .npz files");
    if ((o.html && !*o.html) || (o.json && !*o.json) || (o.markdown && !*o.markdown))
        return tp_cmd_print_usage_error(&console, "precision", "the name of an output is empty");
    for (int i = 0; i < 2; i++)
        if (tp_snapshot_refuse_inputs((const char *const *)argv + i, 1,
                                      "a memory snapshot has no values of tensors: name traces, folders, .npy or .npz "
                                      "files; diff compares snapshots",
                                      &console))
            return TP_EXIT_NO_INPUT;
    job.runs.paths[0] = argv[0];
    job.runs.paths[1] = argv[1];
    job.runs.console = &console;
    job.runs.max_input_bytes = o.read.max_input_bytes;
    job.runs.is_bfloat16 = o.bfloat16;
    job.runs.is_strict = o.read.is_strict;
    job.runs.include = o.read.include;
    code = tp_cmd_run_in_arena(&job.work, run_comparison_in_guard, &job);
    bool has_found = job.precision.divergent_count > 0;
    tp_cmd_release(&job.work);
    return code == TP_OK && has_found ? TP_EXIT_FOUND : tp_inputs_exit_code(code);
}
