/* Runs `tracepress report` on traces. Reads and analyses every profile, passes it to the receiver and releases it. Then
 * compares the ranks of each run, and compares the runs with a baseline. */
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
    const char *baseline; /* trace, .tps file or folder of either; NULL without --baseline */
    struct tp_trace_options read;
    struct tp_rule_overrides rules;
    struct tp_console *console; /* console for errors; also gets the verdicts if there are few profiles */
    /* paths that the receiver writes, for the last line; an item is NULL if the output is not wanted */
    const char *const *outputs;
    size_t output_count;
    const struct tp_report_receiver *receiver;
    void *context; /* first argument of the receiver's functions */
};

/* Runs the session. Returns 0 if the receiver got all profiles and was committed, else a negative tp_status with *err.
 * Prints which inputs cannot be used. Returns TP_ENOTFOUND or TP_ELIMIT if no input can be used. */
int tp_report_session_run(const struct tp_report_session *session, struct tp_error *err);

#endif
