/* Makes tables, summaries and stacks of a finished recording, for handlers. This is the only file of the collector
 * that uses the analysis (tests/lint/layers.sh). It calls webreport's interface for embedding and the printer below.
 * The analysis does not depend on the collector. It reads the spool itself, so no trace is written. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/config.h"
#include "collector/file_size_signal.h"
#include "collector/session.h"
#include "webreport/print/table_outputs.h"
#include "webreport/session/in_process.h"

/* A function that analyses the recording at `path`. It returns 0, or a negative code with *err filled. */
typedef int (*analyse)(void *context, const char *path, struct tp_error *err);

/* Calls `work` with the path of a recording's spool. Keeps the spool if it could not be read. Returns 0, or -1 after
 * reporting the reason. */
static int call_with_spool_path(const struct tracepress_trace *trace, analyse work, void *context, const char *what)
{
    struct tp_error err = {0};
    struct tp_file_size_signal hold;
    int cancel;
    if (!trace)
        return -1;
    /* the analysis has no unwind tables (Makefile), and a cancelled thread would leak its memory */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    tp_file_size_signal_block(&hold);
    int code = work(context, trace->spool, &err);
    tp_file_size_signal_unblock(&hold);
    pthread_setcancelstate(cancel, NULL);
    if (code == 0)
        return 0;
    if (code == TP_EIO || code == TP_ENOMEM || code == TP_ELIMIT)
        *trace->must_keep_spool = true;
    tp_session_print_message(TP_SEVERITY_DETAIL, what, err.text);
    return -1;
}

/* ---- the table ---- */

struct table {
    struct tp_in_process_table options;
    char *text;
};

static int make_key_averages(void *context, const char *path, struct tp_error *err)
{
    struct table *table = context;
    int code = tp_in_process_table(&table->text, path, &table->options, tp_print_key_averages, err);
    if (code != TP_EFORMAT)
        return code;
    /* an empty recording becomes a table without rows, as in torch */
    table->text = strdup("");
    return table->text ? 0 : TP_ENOMEM;
}

char *tracepress_key_averages(const struct tracepress_trace *trace, const struct tracepress_table *options)
{
    struct tracepress_table o = {0};
    struct table table = {.text = NULL};
    if (options && !tp_config_copy_sized_struct(&o, sizeof o, options, sizeof o)) {
        tp_session_print_message(TP_SEVERITY_DETAIL, "the table was not made",
                                 "struct tracepress_table does not begin with its size");
        return NULL;
    }
    table.options =
        (struct tp_in_process_table){.by_shape = o.group_by_input_shape != 0,
                                     .stack_depth = o.group_by_stack_n < UINT16_MAX ? o.group_by_stack_n : UINT16_MAX,
                                     .sort_by = o.sort_by,
                                     .row_limit = o.row_limit ? o.row_limit : 100};
    return call_with_spool_path(trace, make_key_averages, &table, "the table was not made") == 0 ? table.text : NULL;
}

void tracepress_free(void *text)
{
    free(text);
}

/* ---- the summary ---- */

struct summary {
    struct tp_in_process_summary options;
    bool *must_keep_spool;
};

/* Writes the summary. If this fails, keeps the spool, so that nothing is lost. An empty recording has no summary. */
static int write_summary(void *context, const char *path, struct tp_error *err)
{
    const struct summary *summary = context;
    int code = tp_in_process_summary(&summary->options, path, err);
    *summary->must_keep_spool |= code != 0 && code != TP_EFORMAT;
    return code;
}

int tracepress_export_summary(const struct tracepress_trace *trace, const char *path)
{
    struct summary summary;
    if (!trace || !path || !*path)
        return -1;
    summary.options = (struct tp_in_process_summary){path, trace->worker, trace->number};
    summary.must_keep_spool = trace->must_keep_spool;
    return call_with_spool_path(trace, write_summary, &summary, "the summary was not written");
}

void tracepress_summary_handler(const struct tracepress_trace *trace, void *context)
{
    char path[4600];
    struct timespec now;
    (void)context;
    if (!trace)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(path, sizeof path, "%s/%s.%lld.tps", trace->directory, trace->worker,
             (long long)now.tv_sec * 1000000000 + now.tv_nsec);
    tracepress_export_summary(trace, path);
}

/* ---- stacks ---- */

struct stacks {
    const char *out, *metric;
};

static int write_stacks(void *context, const char *path, struct tp_error *err)
{
    const struct stacks *stacks = context;
    return tp_in_process_stacks(stacks->out, path, stacks->metric, err);
}

int tracepress_export_stacks(const struct tracepress_trace *trace, const char *path, const char *metric)
{
    struct stacks stacks = {path, metric};
    return path && *path ? call_with_spool_path(trace, write_stacks, &stacks, "the stacks were not written") : -1;
}
