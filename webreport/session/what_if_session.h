/* Runs `tracepress whatif`. Reads each profile of one input, replays it, prices changes, and passes the answers to the
 * receiver. If profiles of a run are ranks of one job, also joins their replays (joined_session.h). */
#ifndef TP_WEBREPORT_SESSION_WHAT_IF_SESSION_H
#define TP_WEBREPORT_SESSION_WHAT_IF_SESSION_H

#include "webreport/session/console.h"
#include "webreport/session/joined_session.h"
#include "webreport/trace/trace_options.h"

struct tp_what_if_session {
    const char *input; /* trace of any name, "-", or folder of traces */
    struct tp_asked_changes asked;
    struct tp_trace_options read;
    const char *const *outputs; /* paths of the outputs, which must not be inputs; NULL for outputs that do not exist */
    size_t output_count;
    struct tp_console *console;
    tp_what_if_receiver *receiver;
    void *context; /* first argument of the receiver */
    /* number of profiles and joined ranks without answers, filled by tp_what_if_session_run */
    size_t withheld_count;
};

/* Runs the session. Prints which inputs are unusable. Returns 0, or a negative tp_status with *err: TP_EUSAGE for a
 * change that cannot be read. Returns an error also if no input is usable. */
int tp_what_if_session_run(struct tp_what_if_session *session, struct tp_error *err);

#endif
