/* The job behind `tracepress check`: inputs to summaries, the verdict on them, its outputs, the new baseline. */
#ifndef TP_WEBREPORT_CLI_RUN_CHECK_H
#define TP_WEBREPORT_CLI_RUN_CHECK_H

#include "webreport/measure/rules.h"
#include "webreport/session/inputs.h"

enum tp_check_output {
    TP_CHECK_TEXT,
    TP_CHECK_JSON,
    TP_CHECK_JUNIT,
    TP_CHECK_SARIF,
    TP_CHECK_MARKDOWN,
    TP_CHECK_BADGE,
    TP_CHECK_OUTPUTS
};

struct tp_check_job {
    const char *const *inputs;
    size_t input_count;
    const char *budget;   /* file; NULL: the one built in */
    const char *baseline; /* trace, .tps or folder of them; NULL: none */
    bool updates_baseline;
    const char *label;                   /* name of the new file in a folder of baselines; NULL: that of the input */
    bool fails_inconclusive;             /* exit 1 also when nothing could be decided */
    const char *paths[TP_CHECK_OUTPUTS]; /* NULL: not wanted; "-": stdout */
    const char *source_root;
    struct tp_trace_options read;
    struct tp_rule_overrides rules;
    struct tp_console *console;
};

/* Runs it. Returns an exit code (enum tp_exit); everything that went wrong has been said. */
int tp_check_run(const struct tp_check_job *options);

#endif
