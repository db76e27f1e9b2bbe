/* Runs `tracepress merge F.tps... -o F.tps`: checks the options, and runs the job of summarize.c. */
#include "webreport/cli/cmd.h"
#include "webreport/session/inputs.h"
#include "webreport/session/opt.h"
#include "webreport/session/summarize.h"

enum { AS_TPS, AS_JSON };

struct options {
    struct tp_opt_common common;
    const char *out, *files_from;
    int format;
    bool strict;
};

#define AT(field) offsetof(struct options, field)

static const struct tp_opt table[] = {
    {"output", 'o', TP_OPT_PATH, AT(out), NULL},
    {"files-from", 0, TP_OPT_PATH, AT(files_from), NULL},
    {"format", 0, TP_OPT_CHOICE, AT(format), "tps|json"},
    {"strict", 0, TP_OPT_FLAG, AT(strict), NULL},
    TP_OPT_COMMON(struct options),
};

int tp_cmd_merge(int argc, char **argv)
{
    struct options o = {0};
    struct tp_console console;
    struct tp_summarize_job job = {.load = TP_SUMMARIES_OPTIONS, .shard_count = 1, .only_merges = true};
    size_t inputs;
    int code = tp_cmd_parse_command_line(&console, &(struct tp_cmd){"merge", table}, &o, argc, argv, &inputs);
    if (code != TP_CMD_CONTINUES)
        return code;
    if (inputs == 0 && !o.files_from)
        return tp_cmd_print_usage_error(&console, "merge",
                                        "name summaries, a folder to search for *.tps, or a list with --files-from");
    job.printer = o.format == AS_JSON ? &tp_cmd_summaries_json : NULL;
    job.out = o.out ? o.out : job.printer ? "-" : NULL;
    if (!job.out || !*job.out || tp_inputs_is_folder(job.out))
        return tp_cmd_print_usage_error(&console, "merge", "name the summary to write: -o FILE.tps");
    job.load.paths = (const char *const *)argv;
    job.load.path_count = inputs;
    job.load.console = &console;
    job.load.read.is_strict = o.strict;
    job.files_from = o.files_from;
    return tp_summarize_run(&job);
}
