/* Makes the folders of `bench`. See bench_revisions.h. */
#include "webreport/cli/bench_revisions.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "webreport/cli/bench_child.h"
#include "writer/base/buf.h"
#include "writer/base/environment.h"
#include "writer/base/input.h"

enum { OPEN_FOLDERS = 16, MOST_WORDS = 12, MOST_ANSWER_BYTES = 1 << 16 };

int tp_bench_folders_open(struct tp_bench_folders *folders, struct tp_error *err)
{
    char path[TP_BENCH_PATH_BYTES], whole[PATH_MAX];
    const char *parent = tp_environment("TMPDIR");
    *folders = (struct tp_bench_folders){0};
    int n = snprintf(path, sizeof path, "%s/tracepress-bench.XXXXXX", parent && *parent ? parent : "/tmp");
    bool is_made = n > 0 && (size_t)n < sizeof path && mkdtemp(path) && realpath(path, whole);
    size_t size = is_made ? strlen(whole) : 0;
    if (!is_made || size >= sizeof folders->temporary)
        return tp_error_set(err, TP_EIO, 0, "%s: %s", path, strerror(is_made ? ENAMETOOLONG : errno));
    memcpy(folders->temporary, whole, size + 1);
    snprintf(folders->log, sizeof folders->log, "%s/output", folders->temporary);
    return TP_OK;
}

/* ---- git ---- */

/* Runs git with the arguments `words`. *answer: receives the output of git without the line feeds at its end. Returns
 * false if git failed. */
static bool run_git_command(const struct tp_bench_folders *folders, const char *const *words, struct tp_buf *answer)
{
    char *argv[MOST_WORDS + 2] = {(char *)(uintptr_t) "git"};
    for (size_t i = 0; i < MOST_WORDS && words[i]; i++)
        argv[i + 1] = (char *)(uintptr_t)words[i];
    struct tp_bench_child git = {.argv = argv, .output = folders->log};
    tp_bench_child_run(&git);
    tp_buf_clear(answer);
    if (git.start_error)
        tp_buf_printf(answer, "git: %s", strerror(git.start_error));
    else
        tp_input_read_all(answer, folders->log, TP_INPUT_FILE, NULL);
    while (answer->size && answer->data[answer->size - 1] == '\n')
        answer->size--;
    tp_buf_putc(answer, '\0');
    return !git.start_error && git.exit_code == 0 && !answer->failed;
}

static int set_git_error(const struct tp_buf *answer, const char *revision, struct tp_error *err)
{
    const char *text = answer->failed || !answer->data ? "git failed" : answer->data;
    return tp_error_set(err, TP_EUSAGE, 0, "--rev %.100s: %.200s", revision, text);
}

int tp_bench_folders_add(struct tp_bench_folders *folders, int side, const char *revision, struct tp_error *err)
{
    char wanted[512], tree[sizeof folders->worktree[side]], work[sizeof folders->work[side]];
    const char *const prefix[] = {"rev-parse", "--show-prefix", NULL};
    const char *const verify[] = {"rev-parse", "--verify", "--quiet", "--end-of-options", wanted, NULL};
    struct tp_buf answer;
    int code = TP_OK;
    snprintf(wanted, sizeof wanted, "%.400s^{commit}", revision);
    tp_buf_init(&answer, MOST_ANSWER_BYTES);
    if (!run_git_command(folders, verify, &answer))
        code = tp_error_set(err, TP_EUSAGE, 0, "--rev %.100s: no such commit in the repository here", revision);
    if (code == TP_OK) {
        snprintf(wanted, sizeof wanted, "%.400s", answer.data);
        snprintf(tree, sizeof tree, "%s/%c", folders->temporary, "AB"[side]);
        memcpy(folders->worktree[side], tree, sizeof tree);
        const char *const add[] = {"worktree", "add", "--detach", "--quiet", tree, wanted, NULL};
        code = run_git_command(folders, add, &answer) ? TP_OK : set_git_error(&answer, revision, err);
    }
    if (code == TP_OK && !run_git_command(folders, prefix, &answer))
        code = set_git_error(&answer, revision, err);
    if (code == TP_OK) {
        snprintf(work, sizeof work, "%s/%s", tree, answer.data);
        memcpy(folders->work[side], work, sizeof work);
    }
    if (code == TP_OK && access(folders->work[side], X_OK) != 0)
        code = tp_error_set(err, TP_EUSAGE, 0, "--rev %.100s: it has no folder %.200s", revision, answer.data);
    tp_buf_release(&answer);
    return code;
}

/* ---- removal of the folders ---- */

static int remove_path(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status, (void)kind, (void)at;
    remove(path);
    return 0;
}

void tp_bench_remove_folder(const char *path)
{
    nftw(path, remove_path, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

void tp_bench_folders_close(struct tp_bench_folders *folders)
{
    struct tp_buf answer;
    tp_buf_init(&answer, MOST_ANSWER_BYTES);
    for (int side = 0; side < 2; side++) {
        const char *const gone[] = {"worktree", "remove", "--force", folders->worktree[side], NULL};
        if (*folders->worktree[side])
            run_git_command(folders, gone, &answer);
        *folders->worktree[side] = '\0';
    }
    tp_buf_release(&answer);
    if (*folders->temporary)
        tp_bench_remove_folder(folders->temporary);
    *folders->temporary = '\0';
}
