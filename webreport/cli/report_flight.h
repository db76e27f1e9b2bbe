/* Writes the outputs of dumps of the Flight Recorder, for the commands hang, report and check. */
#ifndef TP_WEBREPORT_CLI_REPORT_FLIGHT_H
#define TP_WEBREPORT_CLI_REPORT_FLIGHT_H

#include "webreport/cli/cmd.h"
#include "webreport/print/report_outputs.h"
#include "webreport/session/flight_session.h"

/* What a command writes, and how its exit code is chosen. */
struct tp_flight_command {
    struct tp_flight_session session;
    struct tp_cmd_output outputs[TP_TEXT_OUTPUTS_MAX]; /* path NULL: not wanted */
    unsigned output_count;
    struct tp_print_options print;
    bool redact, writes_separate_assets;
    const char *page;     /* path of the page, for separate assets; NULL without a page */
    bool prints_headline; /* prints the headline on standard error */
    bool is_gate;         /* the exit code is that of the verdict; false: 0 if the outputs were written */
};

/* Reads the dumps, writes the outputs, and returns an exit code. */
int tp_flight_command_run(struct tp_flight_command *command);

/* Runs `tracepress report` for the inputs of a session, which are all dumps. Returns an exit code. */
struct tp_report_session;
int tp_report_flight(const struct tp_report_session *session, const struct tp_outputs_options *outputs);

#endif
