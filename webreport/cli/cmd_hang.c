/* Runs `tracepress hang DIR`: parses options, writes the outputs and sets the exit code. */
#include <unistd.h>

#include "webreport/cli/report_flight.h"
#include "webreport/session/inputs.h"
#include "webreport/session/opt.h"
#include "writer/base/limits.h"

struct options {
    struct tp_opt_common common;
    const char *html, *json, *markdown, *templates;
    uint64_t max_size;
    int assets;
    bool redact, is_strict;
};

#define AT(field) offsetof(struct options, field)

static const struct tp_opt table[] = {
    {"output", 'o', TP_OPT_PATH, AT(html), NULL},
    {"json", 0, TP_OPT_PATH, AT(json), NULL},
    {"markdown", 0, TP_OPT_PATH, AT(markdown), NULL},
    {"assets", 0, TP_OPT_CHOICE, AT(assets), "inline|separate"},
    {"max-size", 0, TP_OPT_SIZE, AT(max_size), NULL},
    {"redact", 0, TP_OPT_FLAG, AT(redact), NULL},
    {"strict", 0, TP_OPT_FLAG, AT(is_strict), NULL},
    {"templates", 0, TP_OPT_PATH, AT(templates), NULL},
    TP_OPT_COMMON(struct options),
};

enum { TEXT, HTML, JSON, MARKDOWN, OUTPUTS };

static const char *find_conflict(const struct tp_flight_command *command)
{
    const char *paths[OUTPUTS];
    for (unsigned i = 0; i < OUTPUTS; i++)
        paths[i] = command->outputs[i].path;
    return tp_inputs_find_conflict(&(struct tp_named_files){.outputs = paths,
                                                            .output_count = OUTPUTS,
                                                            .inputs = command->session.inputs,
                                                            .input_count = command->session.input_count});
}

int tp_cmd_hang(int argc, char **argv)
{
    struct options o = {0};
    struct tp_console console;
    size_t inputs;
    int code = tp_cmd_parse_command_line(&console, &(struct tp_cmd){"hang", table}, &o, argc, argv, &inputs);
    if (code != TP_CMD_CONTINUES)
        return code;
    if (inputs == 0)
        return tp_cmd_print_usage_error(&console, "hang", "name the folder with the dumps of the Flight Recorder");
    bool takes_stdout = tp_is_stdout_path(o.html) || tp_is_stdout_path(o.json) || tp_is_stdout_path(o.markdown);
    static const int64_t shown_rows = 8;
    struct tp_flight_command command = {.session = {(const char *const *)argv, inputs, o.is_strict, &console},
                                        .outputs = {[TEXT] = {takes_stdout ? NULL : "-", tp_print_text},
                                                    [HTML] = {o.html, tp_print_html},
                                                    [JSON] = {o.json, tp_print_json},
                                                    [MARKDOWN] = {o.markdown, tp_print_markdown}},
                                        .output_count = OUTPUTS,
                                        .print = {.end = TP_MAX_MARKDOWN_BYTES,
                                                  .row_limit = &shown_rows,
                                                  .templates_dir = o.templates,
                                                  .max_bytes = o.max_size,
                                                  .has_color = console.has_color && isatty(STDOUT_FILENO)},
                                        .redact = o.redact,
                                        .writes_separate_assets = o.assets == 1,
                                        .page = o.html,
                                        .is_gate = true};
    const char *wrong = find_conflict(&command);
    if (wrong)
        return tp_cmd_print_usage_error(&console, "hang", wrong);
    return tp_flight_command_run(&command);
}
