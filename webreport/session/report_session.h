/* What `tracepress report` does with traces: every profile read, analysed, handed to the receiver and dropped; then the
 * ranks of a run compared, and the runs with a baseline. */
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
    struct tp_console *console; /* also told the verdicts of a few profiles */
    const char *const *outputs; /* paths that the receiver writes, for the last line; NULL in it: not wanted */
    size_t output_count;
    const struct tp_report_receiver *receiver;
    void *context; /* of the receiver's functions */
};

/* Runs it: the receiver got everything and was committed, or a negative tp_status says why not, with *err. Inputs that
 * cannot be used were said; TP_ENOTFOUND or TP_ELIMIT when none is left. */
int tp_report_session_run(const struct tp_report_session *session, struct tp_error *err);

#endif
