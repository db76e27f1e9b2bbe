/* Implements tracepress_tensorboard_trace_handler, which writes traces, and tracepress_export_chrome_trace. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "collector/config.h"
#include "collector/file_size_signal.h"
#include "collector/session.h"
#include "writer/spool/spool_trace.h"

static int write_trace(const struct tracepress_trace *trace, const char *path, bool is_gzip)
{
    struct tp_error err = {0};
    struct tp_file_size_signal hold;
    /* blocked here, so that the thread that compresses and writes the trace inherits the blocked signal */
    tp_file_size_signal_block(&hold);
    int code = tp_spool_trace(trace->spool, path, is_gzip, NULL, NULL, &err);
    tp_file_size_signal_unblock(&hold);
    if (code == 0)
        return 0;
    *trace->must_keep_spool = true;
    tp_session_print_message(TP_SEVERITY_TRACE,
                             "the trace was not written; `tracepress recover` writes it from the spool", err.text);
    return -1;
}

int tracepress_export_chrome_trace(const struct tracepress_trace *trace, const char *path)
{
    size_t n = path ? strlen(path) : 0;
    return trace && n ? write_trace(trace, path, n > 3 && strcmp(path + n - 3, ".gz") == 0) : -1;
}

/* Writes the trace under the name that torch's handler uses: worker, then nanoseconds of the wall clock. */
void tracepress_tensorboard_trace_handler(const struct tracepress_trace *trace, void *context)
{
    char path[4600];
    struct timespec now;
    if (!trace)
        return;
    if (tp_config_is_variable_on("TRACEPRESS_SUMMARY_ONLY")) {
        tracepress_summary_handler(trace, context);
        return;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(path, sizeof path, "%s/%s.%lld.pt.trace.json%s", trace->directory, trace->worker,
             (long long)now.tv_sec * 1000000000 + now.tv_nsec, trace->is_gzip ? ".gz" : "");
    write_trace(trace, path, trace->is_gzip);
}
