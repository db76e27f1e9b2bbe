/* Opens one trace and keeps its whole analysis, for commands that answer several questions about the same trace. */
#ifndef TP_WEBREPORT_SESSION_OPENED_TRACE_H
#define TP_WEBREPORT_SESSION_OPENED_TRACE_H

#include "webreport/measure/result/profile.h"
#include "webreport/session/capture_maps.h"
#include "webreport/session/console.h"
#include "webreport/session/trace_analysis.h"
#include "webreport/trace/rundir.h"

struct tp_opened_trace {
    struct tp_arena arena; /* memory of the found files */
    struct tp_analysis analysis;
    struct tp_capture_maps maps;
    struct tp_trace_options read; /* the options with which the trace was read */
    struct tp_runs runs;
    const struct tp_run_file *file;
    struct tp_profile profile; /* results of the analysis; they point into this struct */
};

/* Reads and analyses a trace as `report` does. The struct must not move afterwards. path: a trace, or a folder with one
 * trace; must outlive the struct. read->process: number of a process or rank in a file with several (input_part.h);
 * NULL if the file has one. The caller closes *opened even after a failure. Returns 0, the codes of tp_trace_read, or
 * TP_EUSAGE if the input has several profiles. */
int tp_opened_trace_open(struct tp_opened_trace *opened, const char *path, const struct tp_trace_options *read,
                         struct tp_console *console, struct tp_error *err);
void tp_opened_trace_close(struct tp_opened_trace *opened);

/* Returns the memory that the opened trace uses, bytes. */
size_t tp_opened_trace_bytes(const struct tp_opened_trace *opened);

#endif
