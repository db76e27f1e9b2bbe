/* Runs `tracepress diff` for two memory snapshots. */
#ifndef TP_WEBREPORT_CLI_DIFF_SNAPSHOTS_H
#define TP_WEBREPORT_CLI_DIFF_SNAPSHOTS_H

#include "webreport/session/snapshot_comparison.h"

/* Options of `diff` that apply to memory snapshots. Paths are NULL if an output is not wanted. */
struct tp_diff_snapshots {
    struct tp_snapshot_comparison comparison; /* its inputs are set, its results are not */
    const char *html, *json, *markdown, *templates;
    uint64_t max_page_bytes;
    bool has_limit;          /* the user gave a limit, so that an unknown peak has no result */
    bool fails_inconclusive; /* an unknown peak gives exit code 1 */
    bool exits_zero;         /* a regression and an unknown peak give exit code 0 */
    int64_t row_limit;       /* largest number of rows of each table in the text */
    bool has_details;        /* the text has all blocks */
};

/* Compares the snapshots and writes the outputs. Returns an exit code. */
int tp_diff_snapshots(struct tp_diff_snapshots *options);

#endif
