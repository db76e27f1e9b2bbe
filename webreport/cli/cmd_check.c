/* tracepress check INPUT...: options, checked and handed to the job in run_check.c; the list of metrics. */
#include <string.h>

#include "webreport/cli/cmd.h"
#include "webreport/cli/run_check.h"
#include "webreport/cli/text_outputs.h"
#include "webreport/print/metric_list.h"
#include "webreport/session/inputs.h"
#include "webreport/session/opt.h"

struct options {
    const char *budget, *baseline, *label, *text, *json, *junit, *sarif, *markdown, *badge, *source_root;
    uint64_t max_input;
    struct tp_opt_list rules;
    int inconclusive, format, color;
    bool update_baseline, list_metrics, strict, quiet, help;
};

#define AT(field) offsetof(struct options, field)

static const struct tp_opt table[] = {
    {"budget", 0, TP_OPT_TEXT, AT(budget), NULL},
    {"baseline", 0, TP_OPT_TEXT, AT(baseline), NULL},
    {"update-baseline", 0, TP_OPT_FLAG, AT(update_baseline), NULL},
    {"label", 0, TP_OPT_TEXT, AT(label), NULL},
    {"inconclusive", 0, TP_OPT_CHOICE, AT(inconclusive), "pass|fail"},
    {"output", 'o', TP_OPT_TEXT, AT(text), NULL},
    {"json", 0, TP_OPT_TEXT, AT(json), NULL},
    {"junit", 0, TP_OPT_TEXT, AT(junit), NULL},
    {"sarif", 0, TP_OPT_TEXT, AT(sarif), NULL},
    {"markdown", 0, TP_OPT_TEXT, AT(markdown), NULL},
    {"badge", 0, TP_OPT_TEXT, AT(badge), NULL},
    {"source-root", 0, TP_OPT_TEXT, AT(source_root), NULL},
    {"list-metrics", 0, TP_OPT_FLAG, AT(list_metrics), NULL},
    {"format", 0, TP_OPT_CHOICE, AT(format), "text|json"},
    {"rule", 0, TP_OPT_LIST, AT(rules), NULL},
    {"max-input", 0, TP_OPT_SIZE, AT(max_input), NULL},
    {"strict", 0, TP_OPT_FLAG, AT(strict), NULL},
    {"quiet", 'q', TP_OPT_FLAG, AT(quiet), NULL},
    {"color", 0, TP_OPT_CHOICE, AT(color), "auto|always|never"},
    {"help", 'h', TP_OPT_FLAG, AT(help), NULL},
    {NULL, 0, 0, 0, NULL},
};

static int list_metrics(const struct options *o, struct tp_console *console)
{
    struct tp_text_output out = {.path = o->text ? o->text : "-"};
    struct tp_error err = {0};
    tp_buf_init(&out.text, 0);
    if (o->format == 1)
        tp_metric_list_json(&out.text);
    else
        tp_metric_list_text(&out.text);
    int code = tp_text_outputs_write(&out, 1, &err);
    if (code < 0)
        tp_console_error(console, "%s", err.text);
    tp_buf_release(&out.text);
    return code == TP_OK ? TP_EXIT_DONE : code == TP_EIO ? TP_EXIT_NO_OUTPUT : TP_EXIT_LIMIT;
}

/* A file of ours or a folder: nothing else may be overwritten by a summary. */
static bool is_summary_place(const char *path)
{
    size_t size = strlen(path);
    return (size > 4 && strcmp(path + size - 4, ".tps") == 0) || tp_inputs_is_folder(path);
}

/* Where the outputs go: the text to standard output unless another one does. */
static void place_outputs(struct tp_check_job *job, const struct options *o)
{
    const char *const paths[TP_CHECK_OUTPUTS] = {o->text, o->json, o->junit, o->sarif, o->markdown, o->badge};
    bool is_taken = false;
    for (int i = 0; i < TP_CHECK_OUTPUTS; i++) {
        job->paths[i] = paths[i];
        is_taken |= tp_is_stdout(paths[i]);
    }
    if (!o->text && !is_taken)
        job->paths[TP_CHECK_TEXT] = "-";
}

int tp_cmd_check(int argc, char **argv)
{
    struct options o = {0};
    struct tp_error err = {0};
    struct tp_console console;
    struct tp_check_job job = {.console = &console};
    int code = tp_opt_parse(table, &o, argc, argv, &job.input_count, &err);
    tp_console_init(&console, o.quiet, o.color);
    if (o.help)
        return tp_help_print("check");
    if (code < 0)
        return tp_cmd_refuse(&console, "check", err.text);
    if (o.list_metrics)
        return list_metrics(&o, &console);
    if (job.input_count == 0)
        return tp_cmd_refuse(&console, "check", "name a trace, a .tps file, or a folder of either");
    if (tp_cmd_rules(&job.rules, &o.rules, &err) < 0)
        return tp_cmd_refuse(&console, "check", err.text);
    if (o.update_baseline && !o.baseline)
        return tp_cmd_refuse(&console, "check", "--update-baseline needs --baseline");
    if (o.update_baseline && !is_summary_place(o.baseline))
        return tp_cmd_refuse(&console, "check",
                             "--update-baseline writes summaries: name a folder or a .tps file as --baseline");
    if (o.label && (!o.update_baseline || !*o.label || strchr(o.label, '/') || *o.label == '.'))
        return tp_cmd_refuse(&console, "check", "--label is the name of a file, for --update-baseline");
    job.inputs = (const char *const *)argv;
    job.budget = o.budget;
    job.baseline = o.baseline;
    job.updates_baseline = o.update_baseline;
    job.label = o.label;
    job.fails_inconclusive = o.inconclusive == 1;
    job.source_root = o.source_root;
    job.read.max_input_bytes = o.max_input;
    job.read.is_strict = o.strict;
    place_outputs(&job, &o);
    const char *wrong = tp_inputs_clash(&(struct tp_named_files){.outputs = job.paths,
                                                                 .output_count = TP_CHECK_OUTPUTS,
                                                                 .inputs = job.inputs,
                                                                 .input_count = job.input_count,
                                                                 .more = {o.budget, o.baseline}});
    return wrong ? tp_cmd_refuse(&console, "check", wrong) : tp_check_run(&job);
}
