/* Writes files and renames them at the end: see fs.h.
 *
 * If the file system supports O_TMPFILE, the temporary file has no name until it is complete, so that a killed process
 * leaves no file behind. Otherwise, or if a library needs a name to write to, the file has a random name (temporary.h).
 * The list of these names is the only process-wide state here, because a signal handler needs it. An entry is added
 * before its file exists and removed after the file is gone. */
#include "writer/base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "writer/base/path.h"
#include "writer/base/temporary.h"

/* LARGE: data of at least this size is written without being copied to the buffer, bytes */
enum { OPEN_MAX_FILES = 16, BUFFER = 256 * 1024, LARGE = 32 * 1024 };

static char *_Atomic open_files[OPEN_MAX_FILES];

struct tp_outfile {
    int fd, folder;
    int slot; /* index of the temporary file's name in open_files; -1: not in the list */
    bool is_direct, has_failed;
    bool is_replaced; /* true: the target exists and will be replaced */
    char *target;
    const char *base; /* file name of the target, the last part of `target` */
    char *path;       /* path of the temporary file; NULL while the file has no name */
    char name[TP_TEMPORARY_NAME];
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

static int report_error(const char *path, const char *what, struct tp_error *err)
{
    return tp_error_set(err, TP_EIO, 0, "%s: %s: %s", path, what, strerror(errno));
}

static int out_of_memory(struct tp_error *err)
{
    return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
}

/* Writes bytes to the file directly, without the buffer. */
static int write_unbuffered(struct tp_outfile *file, const char *bytes, size_t size, struct tp_error *err)
{
    while (size) {
        ssize_t n = write(file->fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            file->has_failed = true;
            return report_error(file->target, "cannot write", err);
        }
        bytes += n;
        size -= (size_t)n;
    }
    return TP_OK;
}

/* ---- the temporary file ---- */

static int open_folder(const char *target, const char *base)
{
    char path[PATH_MAX] = ".";
    size_t size = (size_t)(base - target);
    if (size >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (size) {
        memcpy(path, target, size);
        path[size] = '\0';
    }
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 && errno == EACCES ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : fd;
}

/* Writes the path of an open descriptor in /proc. linkat can name a nameless file by this path. */
static void set_proc_fd_path(char path[32], int fd)
{
    snprintf(path, 32, "/proc/self/fd/%d", fd);
}

/* Opens a file without a name. Returns -1 if the file system does not support such files, or cannot name the file
 * later. */
static int open_file_without_name(int folder, mode_t mode)
{
    char path[32];
    int fd = openat(folder, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, mode);
    set_proc_fd_path(path, fd);
    if (fd < 0 || access(path, F_OK) == 0)
        return fd;
    close(fd);
    return -1;
}

static void add_to_temporary_list(struct tp_outfile *file)
{
    for (int i = 0; i < OPEN_MAX_FILES && file->slot < 0; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&open_files[i], &none, file->path))
            file->slot = i;
    }
}

/* Removes the temporary file's name from the list, because the file was renamed or removed. */
static void remove_from_temporary_list(struct tp_outfile *file)
{
    if (file->slot >= 0)
        atomic_store(&open_files[file->slot], NULL);
    file->slot = -1;
    free(file->path);
    file->path = NULL;
}

/* Stores the path of a temporary file that has just got a name. */
static int store_temporary_path(struct tp_outfile *file, struct tp_error *err)
{
    if (asprintf(&file->path, "%.*s%s", (int)(file->base - file->target), file->target, file->name) < 0) {
        file->path = NULL;
        unlinkat(file->folder, file->name, 0);
        return out_of_memory(err);
    }
    add_to_temporary_list(file);
    return TP_OK;
}

static int open_temporary_with_name(struct tp_outfile *file, mode_t mode, struct tp_error *err)
{
    file->fd = tp_temporary_create(file->name, file->folder, file->base, mode);
    return file->fd < 0 ? report_error(file->target, "cannot write", err) : store_temporary_path(file, err);
}

/* Copies a nameless file to a file with a name, because the file system cannot name the nameless file. */
static int copy_to_named_file(struct tp_outfile *file, struct tp_error *err)
{
    struct stat info;
    int from = file->fd;
    off_t at = 0;
    if (fstat(from, &info) != 0)
        return report_error(file->target, "cannot write", err);
    int code = open_temporary_with_name(file, info.st_mode & 0777, err);
    for (ssize_t n = 1; code == TP_OK && n > 0; at += n > 0 ? n : 0) {
        n = pread(from, file->buffer, BUFFER, at);
        code = n < 0 ? report_error(file->target, "cannot write", err)
                     : write_unbuffered(file, file->buffer, (size_t)n, err);
    }
    close(from);
    return code;
}

/* Gives the temporary file a random name, unless it already has a name. */
static int give_file_random_name(struct tp_outfile *file, struct tp_error *err)
{
    char path[32];
    set_proc_fd_path(path, file->fd);
    for (int i = 0; i < 100 && !file->path; i++) {
        tp_temporary_name(file->name, file->base);
        if (linkat(AT_FDCWD, path, file->folder, file->name, AT_SYMLINK_FOLLOW) == 0)
            return store_temporary_path(file, err);
        if (errno != EEXIST)
            return copy_to_named_file(file, err);
    }
    return file->path ? TP_OK : report_error(file->target, "cannot write", err);
}

/* Copies owner and mode of the old file to the new file, so that the same users can access it. If the owner cannot be
 * set, copies only the mode. */
static void copy_owner_and_mode(int fd, const struct stat *old)
{
    struct stat now;
    if (fstat(fd, &now) != 0)
        return;
    if (now.st_uid != old->st_uid || now.st_gid != old->st_gid)
        (void)!fchown(fd, old->st_uid, old->st_gid);
    if ((now.st_mode & 0777) != (old->st_mode & 0777))
        (void)!fchmod(fd, old->st_mode & 0777);
}

static int open_temporary(struct tp_outfile *file, const struct stat *old, struct tp_error *err)
{
    mode_t mode = old ? old->st_mode & 0777 : 0666;
    file->folder = open_folder(file->target, file->base);
    if (file->folder < 0)
        return report_error(file->target, "cannot write", err);
    tp_temporary_remove_abandoned(file->folder, file->base);
    file->fd = open_file_without_name(file->folder, mode);
    int code = TP_OK;
    if (file->fd >= 0)
        tp_temporary_lock(file->fd);
    else
        code = open_temporary_with_name(file, mode, err);
    if (code == TP_OK && old)
        copy_owner_and_mode(file->fd, old);
    return code;
}

/* ---- the target path ---- */

static int set_target_path(struct tp_outfile *file, const char *target, struct tp_error *err)
{
    file->target = strdup(target);
    if (!file->target)
        return out_of_memory(err);
    file->base = tp_path_base(file->target);
    return TP_OK;
}

static int open_target(struct tp_outfile *file, const char *path, struct tp_error *err)
{
    struct stat info;
    char real[PATH_MAX];
    bool is_stdout = strcmp(path, "-") == 0, exists = !is_stdout && stat(path, &info) == 0;
    file->is_direct = true;
    int code = set_target_path(file, is_stdout ? "standard output" : exists && realpath(path, real) ? real : path, err);
    if (code < 0)
        return code;
    if (exists && S_ISDIR(info.st_mode))
        return tp_error_set(err, TP_EIO, 0, "%s: is a directory: name a file in it", path);
    if (is_stdout || (exists && !S_ISREG(info.st_mode))) {
        file->fd = is_stdout ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_CLOEXEC);
        return file->fd < 0 ? report_error(file->target, "cannot write", err) : TP_OK;
    }
    file->is_direct = false;
    file->is_replaced = exists;
    if (exists && access(file->target, W_OK) < 0)
        return report_error(path, "cannot write", err);
    return open_temporary(file, exists ? &info : NULL, err);
}

int tp_outfile_open(struct tp_outfile **out, const char *path, struct tp_error *err)
{
    struct tp_outfile *file = calloc(1, sizeof *file);
    *out = NULL;
    if (!file)
        return out_of_memory(err);
    file->fd = file->folder = file->slot = -1;
    file->buffer = malloc(BUFFER);
    int code = file->buffer ? open_target(file, path, err) : out_of_memory(err);
    *out = file;
    if (code < 0)
        tp_outfile_discard(out);
    return code;
}

int tp_outfile_write(struct tp_outfile *file, const void *bytes, size_t size, struct tp_error *err)
{
    int code = TP_OK;
    if (file->has_failed)
        return tp_error_set(err, TP_EIO, 0, "%s: cannot write", file->target);
    if (file->used + size > BUFFER || size > LARGE) {
        code = write_unbuffered(file, file->buffer, file->used, err);
        file->used = 0;
        if (code == TP_OK && size > LARGE)
            return write_unbuffered(file, bytes, size, err);
    }
    if (code == TP_OK && size) {
        memcpy(file->buffer + file->used, bytes, size);
        file->used += size;
    }
    return code;
}

int tp_outfile_temporary(const char **path, struct tp_outfile *file, struct tp_error *err)
{
    int code = file->is_direct ? TP_OK : give_file_random_name(file, err);
    *path = code == TP_OK ? file->path : NULL;
    return code;
}

/* Renames or links the complete file to its target. */
static int rename_to_target(struct tp_outfile *file, struct tp_error *err)
{
    char path[32];
    set_proc_fd_path(path, file->fd);
    if (fsync(file->fd) < 0 && errno != EINVAL && errno != EROFS)
        return report_error(file->target, "cannot write", err);
    if (!file->path && !file->is_replaced && linkat(AT_FDCWD, path, file->folder, file->base, AT_SYMLINK_FOLLOW) == 0)
        return TP_OK;
    int code = give_file_random_name(file, err);
    if (code == TP_OK && renameat(file->folder, file->name, file->folder, file->base) < 0)
        code = report_error(file->target, "cannot write", err);
    if (code == TP_OK)
        remove_from_temporary_list(file); /* the file has its final name and must not be removed as a temporary file */
    return code;
}

int tp_outfile_commit(struct tp_outfile **slot, struct tp_error *err)
{
    struct tp_outfile *file = *slot;
    int code = file->has_failed ? tp_error_set(err, TP_EIO, 0, "%s: cannot write", file->target)
                                : write_unbuffered(file, file->buffer, file->used, err);
    if (code == TP_OK && !file->is_direct)
        code = rename_to_target(file, err);
    /* many file systems cannot sync a folder, so only EIO is reported */
    if (code == TP_OK && !file->is_direct && fsync(file->folder) < 0 && errno == EIO)
        code = report_error(file->target, "written, but its folder cannot be synced", err);
    if (close(file->fd) < 0 && code == TP_OK && errno != EINTR)
        code = report_error(file->target, "cannot write", err);
    file->fd = -1;
    tp_outfile_discard(slot);
    return code;
}

void tp_outfile_discard(struct tp_outfile **slot)
{
    struct tp_outfile *file = *slot;
    if (!file)
        return;
    if (file->path)
        unlinkat(file->folder, file->name, 0);
    remove_from_temporary_list(file);
    /* the file is closed after its temporary name is removed, because its lock protects the file until then */
    if (file->fd >= 0)
        close(file->fd);
    if (file->folder >= 0)
        close(file->folder);
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
        return report_error(path, "cannot make folder", err);
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
        return report_error(part, "cannot make folder", err);
    }
    return TP_OK;
}
