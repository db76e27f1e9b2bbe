/* Runs `tracepress report` on traces: reads and analyzes every profile, passes it to the receiver and releases it; then
 * compares the ranks of each run, and the runs with a baseline. */
#ifndef TP_WEBREPORT_SESSION_REPORT_SESSION_H
#define TP_WEBREPORT_SESSION_REPORT_SESSION_H

#include "webreport/measure/result/report_receiver.h"
#include "webreport/measure/rules/rules.h"
#include "webreport/session/console.h"
#include "webreport/trace/trace.h"

struct tp_report_session {
    const char *const *inputs;
    size_t input_count;
    const char *history;  /* a folder of summaries, or one file; NULL: none */
    const char *baseline; /* a trace, a .tps file or a folder of either; NULL: none */
    struct tp_trace_options read;
    struct tp_rule_overrides rules;
    struct tp_console *console; /* also prints the verdicts if there are few profiles */
    const char *const *outputs; /* paths that the receiver writes, for the last line; NULL items: not wanted */
    size_t output_count;
    const struct tp_report_receiver *receiver;
    void *context; /* argument of the receiver's functions */
};

/* Runs the session. Returns 0 when the receiver got everything and was committed, else a negative tp_status with *err.
 * Prints which inputs cannot be used; TP_ENOTFOUND or TP_ELIMIT: no input can be used. */
int tp_report_session_run(const struct tp_report_session *session, struct tp_error *err);

#endif
