/* Makes the folders of `bench`: a temporary one that is removed at the end, and in it a git worktree per revision. */
#ifndef TP_WEBREPORT_CLI_BENCH_REVISIONS_H
#define TP_WEBREPORT_CLI_BENCH_REVISIONS_H

#include <stdbool.h>

#include "writer/base/error.h"

enum { TP_BENCH_PATH_BYTES = 3072 };

struct tp_bench_folders {
    char own[TP_BENCH_PATH_BYTES];         /* absolute; "": none yet */
    char log[TP_BENCH_PATH_BYTES + 16];    /* file in it: output of the running command */
    char tree[2][TP_BENCH_PATH_BYTES + 8]; /* worktrees; "": none */
    /* the folder in them that corresponds to our working folder; "": no revisions */
    char work[2][2 * TP_BENCH_PATH_BYTES];
};

/* Makes the temporary folder below $TMPDIR. Returns 0, TP_EIO. */
int tp_bench_folders_open(struct tp_bench_folders *folders, struct tp_error *err);

/* Makes a worktree of the revision for a side, 0 or 1. Returns 0; TP_EUSAGE: not a repository, or no such revision;
 * TP_EIO. */
int tp_bench_folders_add(struct tp_bench_folders *folders, int side, const char *revision, struct tp_error *err);

/* Removes a folder and everything in it; links are not followed. */
void tp_bench_remove(const char *path);

/* Removes the worktrees and the folder. May be called twice. */
void tp_bench_folders_close(struct tp_bench_folders *folders);

#endif
