/* Processes the memory snapshots of a command one by one: finds them, reads and analyses each, passes it to the
 * caller's function and releases it. Used by `export` and `table`.
 *
 * Memory contains only one snapshot at a time. The walk prints and counts an unusable input, and continues with the
 * next input. */
#ifndef TP_WEBREPORT_SESSION_SNAPSHOT_FILES_H
#define TP_WEBREPORT_SESSION_SNAPSHOT_FILES_H

#include "webreport/session/snapshot_session.h"

/* A snapshot that was read. It is released when tp_snapshot_files.use returns. */
struct tp_walked_snapshot {
    const struct tp_run_file *file;
    size_t number; /* position among the inputs that were found, from 0 */
    struct tp_snapshot_result *result;
    struct tp_arena *arena; /* memory of the snapshot, whose guard is set */
};

struct tp_snapshot_files {
    struct tp_snapshot_session session; /* inputs, and how to read them */
    struct tp_arena *arena;             /* memory for the whole walk, whose guard the caller sets */
    /* The caller's functions. Each returns 0, or a negative tp_status with *err, which ends the walk. found: called
     * when all inputs are found; may be NULL. use: called for each snapshot. It may return TP_ENOTFOUND if the snapshot
     * lacks the needed data; then the reason is printed and the snapshot counts as unusable. */
    int (*found)(void *context, struct tp_error *err);
    int (*use)(void *context, const struct tp_walked_snapshot *walked, struct tp_error *err);
    void *context; /* first argument of these functions */
    /* filled by the walk */
    struct tp_run run; /* the files that were found; a worker is the name of a file without its endings */
    size_t usable_count;
    bool hit_limit; /* true if a limit made an input unusable */
};

/* Reads all snapshots. Returns 0, or the error of one of the caller's functions. Returns TP_ENOTFOUND or TP_ELIMIT if
 * no input is usable. */
int tp_snapshot_files_walk(struct tp_snapshot_files *walk, struct tp_error *err);

/* Reads and analyses one snapshot. Allocates from `arena`, whose guard the caller sets. Returns 0 or a negative
 * tp_status with *err. */
int tp_snapshot_result_read(struct tp_snapshot_result *result, struct tp_arena *arena, const char *path,
                            uint64_t max_input_bytes, struct tp_error *err);

#endif
