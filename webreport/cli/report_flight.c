/* Writes the outputs of dumps of the Flight Recorder: see report_flight.h. */
#include "webreport/cli/report_flight.h"

#include <string.h>

#include "webreport/document/flight/flight_document.h"
#include "webreport/session/inputs.h"
#include "webreport/session/report_session.h"
#include "writer/base/limits.h"
#include "writer/base/path.h"

struct work {
    struct tp_flight_command *command;
    struct tp_flight_result result;
    struct tp_cmd_work work;
};

static int run(void *context, struct tp_error *err)
{
    struct work *w = context;
    struct tp_flight_command *command = w->command;
    struct tp_document document;
    (void)err; /* the parameter is unused, because errors are reported through w->work.err */
    int code = tp_flight_session_run(&w->result, &command->session, &w->work.arena, &w->work.err);
    if (code < 0)
        return code;
    if (command->prints_headline)
        tp_console_notice(command->session.console, "%.*s", (int)w->result.headline.len, w->result.headline.ptr);
    const char *folder = tp_inputs_last_path_part(&w->work.arena, command->session.inputs[0]);
    tp_flight_document(&document, &(struct tp_flight_shown){&w->result, tp_str_of(folder), command->redact},
                       &w->work.arena);
    if (command->page && command->writes_separate_assets)
        code = tp_cmd_separate_assets(&w->work, command->page, &command->print);
    return code < 0
               ? code
               : tp_cmd_write_outputs(&w->work, &document, command->outputs, command->output_count, &command->print);
}

int tp_flight_command_run(struct tp_flight_command *command)
{
    struct work w = {.command = command, .work = {.console = command->session.console}};
    int code = tp_inputs_exit_code(tp_cmd_run_in_arena(&w.work, run, &w));
    if (code == TP_EXIT_DONE && command->is_gate)
        code = (int)w.result.exit_code;
    if (code == TP_EXIT_DONE && w.result.verdict == TP_FLIGHT_NO_DUMPS)
        code = TP_EXIT_NO_INPUT;
    tp_cmd_release(&w.work);
    return code;
}

int tp_report_flight(const struct tp_report_session *session, const struct tp_outputs_options *outputs)
{
    struct tp_flight_command command = {.session = {.inputs = session->inputs,
                                                    .input_count = session->input_count,
                                                    .is_strict = session->read.is_strict,
                                                    .console = session->console},
                                        .outputs = {{outputs->html, tp_print_html},
                                                    {outputs->json, tp_print_json},
                                                    {outputs->markdown, tp_print_markdown}},
                                        .output_count = 3,
                                        .print = {.end = TP_MAX_MARKDOWN_BYTES,
                                                  .templates_dir = outputs->page.templates_dir,
                                                  .max_bytes = outputs->page.max_bytes},
                                        .redact = outputs->page.redact,
                                        .writes_separate_assets = outputs->page.writes_separate_assets,
                                        .page = outputs->html,
                                        .prints_headline = true};
    return tp_flight_command_run(&command);
}
