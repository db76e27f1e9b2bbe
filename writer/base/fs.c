/* Output by rename: see fs.h. The list of open temporary files is the one piece of process-wide state here: a signal
 * handler has nothing else to find them by. Every slot is written once before and cleared once after the file exists.
 */
#include "writer/base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN_MAX_FILES = 16, BUFFER = 256 * 1024 };

static char *_Atomic open_files[OPEN_MAX_FILES];

struct tp_outfile {
    int fd;
    int slot; /* in open_files, -1: none */
    bool is_direct;
    bool has_failed;
    char *target, *temporary;
    char *buffer;
    size_t used;
};

void tp_outfile_remove_all(void)
{
    for (int i = 0; i < OPEN_MAX_FILES; i++) {
        const char *path = atomic_load(&open_files[i]);
        if (path)
            unlink(path);
    }
}

static int fail(const char *path, const char *what, struct tp_error *err)
{
    return tp_error_set(err, TP_EIO, 0, "%s: %s: %s", path, what, strerror(errno));
}

/* Directory part of the path with its slash ("" when there is none); the caller frees it. */
static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("");
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A killed run leaves ".NAME.tracepress-PID.tmp"; when that process is gone, so should its file be. */
static void remove_stale(const char *directory, const char *base)
{
    DIR *dir = opendir(*directory ? directory : ".");
    char mark[320], path[4096];
    size_t n = (size_t)snprintf(mark, sizeof mark, ".%.255s.tracepress-", base);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char *end;
        if (strncmp(entry->d_name, mark, n) != 0)
            continue;
        long pid = strtol(entry->d_name + n, &end, 10);
        if (pid > 0 && strcmp(end, ".tmp") == 0 && kill((pid_t)pid, 0) < 0 && errno == ESRCH &&
            snprintf(path, sizeof path, "%s%s", directory, entry->d_name) < (int)sizeof path)
            unlink(path);
    }
    if (dir)
        closedir(dir);
}

static void remember(struct tp_outfile *file)
{
    for (int i = 0; i < OPEN_MAX_FILES && file->slot < 0; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&open_files[i], &none, file->temporary))
            file->slot = i;
    }
}

static void forget(struct tp_outfile *file)
{
    if (file->slot >= 0)
        atomic_store(&open_files[file->slot], NULL);
    file->slot = -1;
}

static int open_temporary(struct tp_outfile *file, struct tp_error *err)
{
    char *directory = directory_of(file->target);
    if (!directory)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    remove_stale(directory, base_of(file->target));
    int size =
        asprintf(&file->temporary, "%s.%.200s.tracepress-%ld.tmp", directory, base_of(file->target), (long)getpid());
    free(directory);
    if (size < 0) {
        file->temporary = NULL;
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    }
    remember(file);
    unlink(file->temporary); /* our own pid: of a process before us */
    file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    return file->fd < 0 ? fail(file->target, "cannot write", err) : TP_OK;
}

static int open_target(struct tp_outfile *file, const char *path, struct tp_error *err)
{
    struct stat info;
    char real[PATH_MAX];
    file->is_direct = true;
    if (strcmp(path, "-") == 0) {
        file->target = strdup("standard output");
        if (!file->target)
            return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
        file->fd = dup(STDOUT_FILENO);
        return file->fd < 0 ? fail("standard output", "cannot write", err) : TP_OK;
    }
    bool exists = stat(path, &info) == 0;
    file->target = strdup(exists && realpath(path, real) ? real : path);
    if (!file->target)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    if (exists && S_ISDIR(info.st_mode))
        return tp_error_set(err, TP_EIO, 0, "%s: is a directory: name a file in it", path);
    if (exists && !S_ISREG(info.st_mode)) {
        file->fd = open(path, O_WRONLY | O_CLOEXEC);
        return file->fd < 0 ? fail(path, "cannot write", err) : TP_OK;
    }
    file->is_direct = false;
    if (exists && access(file->target, W_OK) < 0)
        return fail(path, "cannot write", err);
    return open_temporary(file, err);
}

int tp_outfile_open(struct tp_outfile **out, const char *path, struct tp_error *err)
{
    struct tp_outfile *file = calloc(1, sizeof *file);
    *out = NULL;
    if (!file)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    file->fd = file->slot = -1;
    file->buffer = malloc(BUFFER);
    int code = file->buffer ? open_target(file, path, err) : tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    *out = file;
    if (code < 0)
        tp_outfile_discard(out);
    return code;
}

static int write_out(struct tp_outfile *file, const char *bytes, size_t size, struct tp_error *err)
{
    while (size) {
        ssize_t n = write(file->fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            file->has_failed = true;
            return fail(file->target, "cannot write", err);
        }
        bytes += n;
        size -= (size_t)n;
    }
    return TP_OK;
}

int tp_outfile_write(struct tp_outfile *file, const void *bytes, size_t size, struct tp_error *err)
{
    int code = TP_OK;
    if (file->has_failed)
        return tp_error_set(err, TP_EIO, 0, "%s: cannot write", file->target);
    if (file->used + size > BUFFER) {
        code = write_out(file, file->buffer, file->used, err);
        file->used = 0;
        if (code == TP_OK && size > BUFFER)
            return write_out(file, bytes, size, err);
    }
    if (code == TP_OK && size) {
        memcpy(file->buffer + file->used, bytes, size);
        file->used += size;
    }
    return code;
}

const char *tp_outfile_temporary(const struct tp_outfile *file)
{
    return file->is_direct ? NULL : file->temporary;
}

int tp_outfile_commit(struct tp_outfile **slot, struct tp_error *err)
{
    struct tp_outfile *file = *slot;
    int code = file->has_failed ? tp_error_set(err, TP_EIO, 0, "%s: cannot write", file->target)
                                : write_out(file, file->buffer, file->used, err);
    if (code == TP_OK && !file->is_direct && fsync(file->fd) < 0 && errno != EINVAL && errno != EROFS)
        code = fail(file->target, "cannot write", err);
    if (close(file->fd) < 0 && code == TP_OK && errno != EINTR)
        code = fail(file->target, "cannot write", err);
    file->fd = -1;
    if (code == TP_OK && !file->is_direct && rename(file->temporary, file->target) < 0)
        code = fail(file->target, "cannot write", err);
    if (code == TP_OK)
        forget(file); /* the name is the target's now: nothing to remove */
    if (code == TP_OK && file->temporary)
        file->temporary[0] = '\0';
    tp_outfile_discard(slot);
    return code;
}

void tp_outfile_discard(struct tp_outfile **slot)
{
    struct tp_outfile *file = *slot;
    if (!file)
        return;
    if (file->fd >= 0)
        close(file->fd);
    if (file->temporary && file->temporary[0])
        unlink(file->temporary);
    forget(file);
    free(file->temporary);
    free(file->target);
    free(file->buffer);
    free(file);
    *slot = NULL;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

int tp_folder_make(const char *path, struct tp_error *err)
{
    char part[PATH_MAX];
    size_t size = strlen(path);
    if (size >= sizeof part) {
        errno = ENAMETOOLONG;
        return fail(path, "cannot make folder", err);
    }
    for (size_t i = 1; i <= size; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0777) == 0)
            continue;
        int why = errno;
        if (is_folder(part))
            continue;
        errno = why == EEXIST ? ENOTDIR : why;
        return fail(part, "cannot make folder", err);
    }
    return TP_OK;
}
