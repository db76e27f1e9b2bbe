/* Runs `tracepress table`. Reads each trace, computes its table, passes it to the receiver and releases it. */
#ifndef TP_WEBREPORT_SESSION_TABLE_SESSION_H
#define TP_WEBREPORT_SESSION_TABLE_SESSION_H

#include "webreport/measure/torch_tables/profile_table.h"
#include "webreport/session/console.h"
#include "webreport/trace/trace.h"
#include "writer/base/error.h"

/* Receives one table, which is released after this call. Returns 0, or a negative tp_status with *err. */
typedef int tp_table_receiver(void *context, const struct tp_profile_table *table, struct tp_arena *arena,
                              struct tp_error *err);

struct tp_table_session {
    const char *const *inputs; /* traces of any name, "-", and folders of traces */
    size_t input_count;
    const char *out; /* path of the output, which must not be an input */
    struct tp_trace_options read;
    struct tp_table_options options;
    struct tp_console *console;
    tp_table_receiver *receiver;
    void *context; /* first argument of the receiver */
};

/* Runs the session. Prints which inputs are unusable. Returns 0, or a negative tp_status with *err. Returns an error
 * also if no input is usable. */
int tp_table_session_run(const struct tp_table_session *session, struct tp_error *err);

#endif
