/* Opens files for reading: see input.h. */
#include "writer/base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int report_open_error(struct tp_error *err)
{
    int code = errno == ENOMEM ? TP_ENOMEM : errno == ENOENT || errno == ENOTDIR ? TP_ENOTFOUND : TP_EIO;
    return tp_error_set(err, code, 0, "cannot open: %s", strerror(errno));
}

/* folders below which files may be opened: see tp_input_confine */
static const char *const *allowed_folders;
static size_t allowed_count; /* 0: all files may be opened */

void tp_input_confine(const char *const *folders, size_t count)
{
    allowed_folders = folders;
    allowed_count = count;
}

bool tp_path_is_below(const char *path, const char *folder)
{
    size_t size = strlen(folder);
    while (size && folder[size - 1] == '/')
        size--;
    return strncmp(path, folder, size) == 0 && (path[size] == '/' || path[size] == '\0');
}

/* Finds the real path of an open file, so that a link or a renamed folder cannot lead out of the allowed folders
 * between a check and the opening. Systems without /proc resolve the path again. */
static bool find_real_path(char real[PATH_MAX], int fd, const char *path)
{
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, real, PATH_MAX - 1);
    if (size <= 0)
        return realpath(path, real) != NULL;
    real[size] = '\0';
    return true;
}

static bool is_allowed(int fd, const char *path)
{
    char real[PATH_MAX];
    bool is_any = allowed_count == 0;
    if (is_any || !find_real_path(real, fd, path))
        return is_any;
    for (size_t i = 0; i < allowed_count && !is_any; i++)
        is_any = tp_path_is_below(real, allowed_folders[i]);
    return is_any;
}

int64_t tp_input_modified_ns(const struct stat *info)
{
#if defined _WIN32
    return (int64_t)info->st_mtime * 1000000000;
#elif defined __APPLE__
    return (int64_t)info->st_mtimespec.tv_sec * 1000000000 + info->st_mtimespec.tv_nsec;
#else
    return (int64_t)info->st_mtim.tv_sec * 1000000000 + info->st_mtim.tv_nsec;
#endif
}

/* Opens a path without blocking. Only a pipe that the user named is allowed to block, because the reader must wait for
 * the writer. */
static int open_path(const char *path, enum tp_input_kind kind)
{
    struct stat info;
    if (kind == TP_INPUT_FILE)
        return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (strcmp(path, "-") == 0)
        return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    bool is_file = stat(path, &info) == 0 && S_ISREG(info.st_mode);
    return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (is_file ? O_NONBLOCK : 0));
}

int tp_input_open(struct tp_input *input, const char *path, enum tp_input_kind kind, struct tp_error *err)
{
    struct stat info;
    *input = (struct tp_input){.fd = -1};
    /* opening a pipe would let its writer begin, and closing it again would lose what the writer wrote */
    if (kind == TP_INPUT_FILE && stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return tp_error_set(err, TP_EIO, 0, "not a regular file");
    int fd = open_path(path, kind), code = TP_OK;
    if (fd < 0)
        return report_open_error(err);
    if (fstat(fd, &info) < 0)
        code = report_open_error(err);
    else if (S_ISDIR(info.st_mode))
        code = tp_error_set(err, TP_EIO, 0, "is a directory");
    else if (kind == TP_INPUT_FILE && !S_ISREG(info.st_mode))
        code = tp_error_set(err, TP_EIO, 0, "not a regular file");
    else if (!is_allowed(fd, path))
        code = tp_error_set(err, TP_EIO, 0, "outside of the folders that may be read");
    if (code < 0) {
        close(fd);
        return code;
    }
    bool is_regular = S_ISREG(info.st_mode);
    *input = (struct tp_input){fd, is_regular ? (uint64_t)info.st_size : 0, is_regular};
    return TP_OK;
}

int tp_input_open_in(struct tp_input *input, int folder, const char *name, uint32_t owner, struct tp_error *err)
{
    struct stat info;
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
    *input = (struct tp_input){.fd = -1};
    if (fd < 0)
        return report_open_error(err);
    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode) || info.st_uid != owner) {
        close(fd);
        return tp_error_set(err, TP_EIO, 0, "not a regular file of its user");
    }
    *input = (struct tp_input){fd, (uint64_t)info.st_size, true};
    return TP_OK;
}

int tp_input_read(size_t *got, const struct tp_input *input, void *to, size_t size, uint64_t at, struct tp_error *err)
{
    ssize_t n = 1;
    *got = 0;
    while (*got < size && n != 0) {
        n = read(input->fd, (char *)to + *got, size - *got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tp_error_set(err, TP_EIO, at + *got, "cannot read from byte %llu on: %s",
                                (unsigned long long)(at + *got), strerror(errno));
        *got += (size_t)n;
    }
    return TP_OK;
}

int tp_input_read_all(struct tp_buf *out, const char *path, enum tp_input_kind kind, struct tp_error *err)
{
    enum { PART = 1 << 16 };
    struct tp_input input;
    size_t before = out->size, n = PART;
    int code = tp_input_open(&input, path, kind, err);
    if (code < 0)
        return code;
    while (code == TP_OK && n == PART && tp_buf_reserve(out, PART) == 0) {
        code = tp_input_read(&n, &input, out->data + out->size, PART, out->size - before, err);
        out->size += n;
    }
    close(input.fd);
    if (code == TP_OK && out->failed)
        return tp_error_set(err, out->failed, out->size,
                            out->failed == TP_ELIMIT ? "the file is too large" : "out of memory");
    return code;
}
