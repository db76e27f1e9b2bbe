/* Finds, reads and analyses memory snapshots. */
#ifndef TP_WEBREPORT_SESSION_SNAPSHOT_SESSION_H
#define TP_WEBREPORT_SESSION_SNAPSHOT_SESSION_H

#include "webreport/measure/snapshot/snapshot_result.h"
#include "webreport/session/console.h"
#include "webreport/trace/rundir.h"

/* The analysed snapshots, one for each file. */
struct tp_snapshots {
    struct tp_snapshot_result *items; /* by rank, then in the order of the inputs */
    size_t count;
    struct tp_vec failed; /* inputs that could not be used; elements: struct tp_snapshot_failure */
};

/* Returns 1 if the inputs are memory snapshots: every input is one, or a folder with snapshots and without traces.
 * Returns 0 if no input is a snapshot, and TP_EUSAGE if only some are. Can also return TP_ENOMEM. */
int tp_snapshot_detect_inputs(const struct tp_run_search *search);

/* Finds the only memory snapshot among the inputs, which must also have exactly one trace, or folder of traces. Returns
 * the index of the snapshot; SIZE_MAX for other inputs. */
size_t tp_snapshot_find_partner(const struct tp_run_search *search);

/* If all inputs are files of memory snapshots, prints that a command cannot use them, and returns true. why: sentence
 * after the name of the first input. */
bool tp_snapshot_refuse_inputs(const char *const *inputs, size_t count, const char *why, struct tp_console *console);

/* Returns whether the only input is a memory timeline (export_memory_timeline). */
bool tp_timeline_detect_input(const struct tp_run_search *search);

struct tp_snapshot_session {
    const char *const *inputs; /* snapshots and folders of snapshots */
    size_t input_count;
    const char *include;      /* pattern for the names of files in folders; NULL for all names */
    uint64_t max_input_bytes; /* maximum size of an inflated file; 0 for the default */
    bool is_strict;           /* option --strict: an unusable input is an error */
    struct tp_console *console;
};

/* Appends the paths of the snapshots to `paths`, which has elements const char *. Folders are searched. Allocates from
 * `arena`, whose guard the caller sets. Returns 0, TP_ELIMIT or TP_EIO. */
int tp_snapshot_list_inputs(struct tp_vec *paths, const struct tp_snapshot_session *session, struct tp_arena *arena,
                            struct tp_error *err);

/* Reads and analyses the snapshots. Prints unusable inputs. Allocates from `arena`, whose guard the caller sets.
 * Returns 0; TP_ENOTFOUND or TP_ELIMIT if no input can be used; or TP_ENOMEM. */
int tp_snapshot_session_run(struct tp_snapshots *snapshots, const struct tp_snapshot_session *session,
                            struct tp_arena *arena, struct tp_error *err);

#endif
