/* Reads two memory snapshots and compares them. */
#ifndef TP_WEBREPORT_SESSION_SNAPSHOT_COMPARISON_H
#define TP_WEBREPORT_SESSION_SNAPSHOT_COMPARISON_H

#include "webreport/compare/snapshot/snapshot_diff.h"
#include "webreport/session/snapshot_session.h"

/* Largest rise of the peak that is no regression, unless the user gives a limit; the same as for memory in traces. */
#define TP_SNAPSHOT_ALLOWED_RISE 0.02

/* Two snapshots to compare, and the result of the comparison. */
struct tp_snapshot_comparison {
    const char *paths[TP_SNAPSHOT_SIDES]; /* each is a snapshot, or a folder with one */
    double allowed_ratio;                 /* largest rise of the peak that is no regression; 0.03 is 3 % */
    uint64_t max_input_bytes;             /* maximum size of an inflated file; 0 for the default */
    bool is_strict;                       /* option --strict: an unusable input is an error */
    struct tp_console *console;
    struct tp_snapshots sides[TP_SNAPSHOT_SIDES]; /* result */
    struct tp_snapshot_diff diff;                 /* result */
};

/* Reads and compares the snapshots. Allocates from `arena`, whose guard the caller sets. Returns 0; TP_EUSAGE if a
 * folder has several snapshots; or an error of tp_snapshot_session_run. */
int tp_snapshot_comparison_run(struct tp_snapshot_comparison *comparison, struct tp_arena *arena, struct tp_error *err);

#endif
