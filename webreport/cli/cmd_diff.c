/* tracepress diff BASE NEW: options, checked and handed to the job in run_diff.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/cli/cmd.h"
#include "webreport/cli/run_diff.h"
#include "webreport/session/inputs.h"
#include "webreport/session/opt.h"

struct options {
    const char *html, *json, *markdown, *threshold, *templates;
    uint64_t max_size, max_input;
    struct tp_opt_list rules;
    int64_t row_limit;
    int color, inconclusive;
    bool all, exit_zero, redact, strict, quiet, help;
};

#define AT(field) offsetof(struct options, field)

static const struct tp_opt table[] = {
    {"output", 'o', TP_OPT_TEXT, AT(html), NULL},
    {"json", 0, TP_OPT_TEXT, AT(json), NULL},
    {"markdown", 0, TP_OPT_TEXT, AT(markdown), NULL},
    {"threshold", 0, TP_OPT_TEXT, AT(threshold), NULL},
    {"inconclusive", 0, TP_OPT_CHOICE, AT(inconclusive), "pass|fail"},
    {"exit-zero", 0, TP_OPT_FLAG, AT(exit_zero), NULL},
    {"all", 0, TP_OPT_FLAG, AT(all), NULL},
    {"row-limit", 0, TP_OPT_INT, AT(row_limit), NULL},
    {"max-size", 0, TP_OPT_SIZE, AT(max_size), NULL},
    {"max-input", 0, TP_OPT_SIZE, AT(max_input), NULL},
    {"rule", 0, TP_OPT_LIST, AT(rules), NULL},
    {"redact", 0, TP_OPT_FLAG, AT(redact), NULL},
    {"templates", 0, TP_OPT_TEXT, AT(templates), NULL},
    {"strict", 0, TP_OPT_FLAG, AT(strict), NULL},
    {"quiet", 'q', TP_OPT_FLAG, AT(quiet), NULL},
    {"color", 0, TP_OPT_CHOICE, AT(color), "auto|always|never"},
    {"help", 'h', TP_OPT_FLAG, AT(help), NULL},
    {NULL, 0, 0, 0, NULL},
};

enum { DEFAULT_ROWS = 20 };

/* "3" or "3%": per cent from 0 on. */
static bool read_threshold(double *out, const char *text)
{
    char *end;
    *out = 0;
    if (!text)
        return true;
    double value = strtod(text, &end);
    if (end == text || !isfinite(value) || value < 0 || (*end && strcmp(end, "%") != 0))
        return false;
    *out = value / 100;
    return true;
}

int tp_cmd_diff(int argc, char **argv)
{
    struct options o = {.row_limit = DEFAULT_ROWS};
    struct tp_error err = {0};
    struct tp_console console;
    struct tp_rule_overrides rules = {0};
    struct tp_diff_job job = {.console = &console};
    size_t count = 0;
    int code = tp_opt_parse(table, &o, argc, argv, &count, &err);
    tp_console_init(&console, o.quiet, o.color);
    if (o.help)
        return tp_help_print("diff");
    if (code < 0)
        return tp_cmd_refuse(&console, "diff", err.text);
    if (count != 2)
        return tp_cmd_refuse(&console, "diff",
                             "name two sides, BASE and NEW: traces, summaries (.tps), or folders of them");
    if (!read_threshold(&job.compare.threshold, o.threshold))
        return tp_cmd_refuse(&console, "diff", "--threshold: per cent, a number from 0 on");
    const char *const outputs[] = {o.html, o.json, o.markdown};
    const char *wrong = tp_inputs_clash(&(struct tp_named_files){.outputs = outputs,
                                                                 .output_count = sizeof outputs / sizeof *outputs,
                                                                 .inputs = (const char *const *)argv,
                                                                 .input_count = count});
    if (wrong)
        return tp_cmd_refuse(&console, "diff", wrong);
    if (tp_cmd_rules(&rules, &o.rules, &err) < 0)
        return tp_cmd_refuse(&console, "diff", err.text);
    job.paths[TP_BASE] = argv[0];
    job.paths[TP_NEW] = argv[1];
    job.html = o.html;
    job.json = o.json;
    job.markdown = o.markdown;
    job.print = (struct tp_print_options){.row_limit = o.row_limit < 0 ? 0 : (size_t)o.row_limit,
                                          .has_details = o.all,
                                          .templates_dir = o.templates,
                                          .max_bytes = o.max_size};
    job.redact = o.redact;
    job.read = (struct tp_diff_read){.rules = &rules, .console = &console, .has_trees = o.html || o.json};
    job.read.read.max_input_bytes = o.max_input;
    job.read.read.is_strict = o.strict;
    job.exits_zero = o.exit_zero;
    job.fails_inconclusive = o.inconclusive == 1;
    return tp_diff_run(&job);
}
