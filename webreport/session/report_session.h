/* Runs `tracepress report`. Reads and analyzes each profile, passes it to the receiver and releases it. Also compares
 * the ranks of each run, and all runs with a baseline. */
#ifndef TP_WEBREPORT_SESSION_REPORT_SESSION_H
#define TP_WEBREPORT_SESSION_REPORT_SESSION_H

#include "webreport/measure/result/report_receiver.h"
#include "webreport/measure/rules/rules.h"
#include "webreport/session/console.h"
#include "webreport/trace/trace.h"

struct tp_report_session {
    const char *const *inputs;
    size_t input_count;
    const char *history;  /* file or folder of stored summaries; NULL without --history */
    const char *baseline; /* trace, .tps file, or folder of traces or .tps files; NULL without --baseline */
    const char *snapshot; /* memory snapshot of the same run as the trace; NULL without one */
    struct tp_trace_options read;
    struct tp_rule_overrides rules;
    struct tp_console *console; /* console for errors, and also for verdicts if there are few profiles */
    /* paths of the outputs, printed at the end; NULL for an output that was not requested */
    const char *const *outputs;
    size_t output_count;
    const struct tp_report_receiver *receiver;
    void *context; /* first argument of each function of the receiver */
};

/* Runs the report. Prints which inputs cannot be used. Returns 0 if the receiver got all profiles and completed its
 * outputs, otherwise a negative tp_status with *err. Returns TP_ENOTFOUND or TP_ELIMIT if no input can be used. */
int tp_report_session_run(const struct tp_report_session *session, struct tp_error *err);

#endif
