/* Makes the folders of `bench`: a temporary folder that is removed on exit, and a git worktree in it for each
 * revision. */
#ifndef TP_WEBREPORT_CLI_BENCH_REVISIONS_H
#define TP_WEBREPORT_CLI_BENCH_REVISIONS_H

#include <stdbool.h>

#include "writer/base/error.h"

enum { TP_BENCH_PATH_BYTES = 3072 };

struct tp_bench_folders {
    char temporary[TP_BENCH_PATH_BYTES]; /* absolute path of the temporary folder; "" before the folder exists */
    /* path of the file in the temporary folder for the output of the running command */
    char log[TP_BENCH_PATH_BYTES + 16];
    char worktree[2][TP_BENCH_PATH_BYTES + 8]; /* path of each side's worktree; "" before the worktree exists */
    /* for each side, the folder in the worktree that corresponds to the current folder; "" without revisions */
    char work[2][2 * TP_BENCH_PATH_BYTES];
};

/* Makes the temporary folder below $TMPDIR. Returns 0 or TP_EIO. */
int tp_bench_folders_open(struct tp_bench_folders *folders, struct tp_error *err);

/* Makes a worktree of the revision for a side, 0 or 1. Returns 0, TP_EIO, or TP_EUSAGE if the current folder is not
 * in a repository or the repository has no such revision. */
int tp_bench_folders_add(struct tp_bench_folders *folders, int side, const char *revision, struct tp_error *err);

/* Removes a folder and everything in it. Does not follow links. */
void tp_bench_remove_folder(const char *path);

/* Removes the worktrees and the temporary folder. A second call has no effect. */
void tp_bench_folders_close(struct tp_bench_folders *folders);

#endif
