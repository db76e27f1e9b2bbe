/* Runs `tracepress export` for memory snapshots. */
#ifndef TP_WEBREPORT_CLI_EXPORT_SNAPSHOTS_H
#define TP_WEBREPORT_CLI_EXPORT_SNAPSHOTS_H

#include "webreport/export/export.h"
#include "webreport/session/snapshot_session.h"

/* The snapshots to export, and how. */
struct tp_export_snapshots {
    const struct tp_export_format *format;
    struct tp_snapshot_session session;
    const char *out;      /* folder of the files */
    const char *baseline; /* snapshot to compare with, or NULL */
    enum tp_snapshot_when when;
    enum tp_export_colour colour;
    const struct tp_filter *filter; /* range of events */
};

/* Exports the snapshots. Prints why a format cannot export them. Returns an exit code. */
int tp_export_snapshots(const struct tp_export_snapshots *options);

/* Prints the names of the first written files, and the number of the other files. out: folder of the files. */
void tp_export_print_written(struct tp_console *console, const struct tp_export_job *job, const char *out);

#endif
