/* The job behind `tracepress report`: every input read, analysed, rendered and forgotten, one after the other. */
#ifndef TP_WEBREPORT_CLI_RUN_REPORT_H
#define TP_WEBREPORT_CLI_RUN_REPORT_H

#include "webreport/cli/report_outputs.h"
#include "webreport/measure/rules.h"
#include "webreport/session/inputs.h"

struct tp_report_job {
    const char *const *inputs;
    size_t input_count;
    const char *history;  /* folder of stored summaries whose trend the page shows; NULL: none */
    const char *baseline; /* trace, summary or folder that the runs are compared with; NULL: none */
    struct tp_outputs_options outputs;
    struct tp_trace_options read;
    struct tp_rule_overrides rules;
    struct tp_console *console;
};

/* Runs it. Returns an exit code (enum tp_exit); everything that went wrong has been said. */
int tp_report_run(const struct tp_report_job *options);

#endif
