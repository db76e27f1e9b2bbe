/* Writes files of tensors: see tensor_file.h. Does not call fsync, because written pages survive the process and the
 * program should not wait. */
#include "collector/tensor_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collector/file_size_signal.h"
#include "writer/base/fs.h"
#include "writer/base/temporary.h"
#include "writer/tensor.h"

enum { LONGEST = 200 }; /* maximum length of a file name without .npy, bytes */

static uint64_t name_hash(const char *text)
{
    uint64_t hash = 14695981039346656037u; /* initial value of the FNV-1a hash */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

static void make_safe_name(char safe[LONGEST + 1], const char *name)
{
    char *at = safe, *end = safe + LONGEST - 17; /* `end` leaves room for '~' and the hash */
    for (const char *c = name; *c; c++) {
        bool is_plain = isalnum((unsigned char)*c) || *c == '_' || *c == '-' || (*c == '.' && c != name);
        if (end - at < 3)
            break;
        at += snprintf(at, 4, is_plain ? "%c" : "%%%02X", (unsigned char)*c);
        if (c[1] == '\0')
            return;
    }
    snprintf(at, 18, "~%016llx", (unsigned long long)name_hash(name));
}

void tp_tensor_path(char path[static TP_TENSOR_PATH], const struct tp_session_place *place)
{
    char safe[LONGEST + 1];
    make_safe_name(safe, place->name);
    snprintf(path, TP_TENSOR_PATH, "%s.tensors/%llu/%s.npy", place->worker, (unsigned long long)place->step, safe);
}

/* ---- writing ---- */

static int write_all(int fd, const char *bytes, size_t size)
{
    while (size) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno != EINTR)
            return errno;
        if (n > 0) {
            bytes += n;
            size -= (size_t)n;
        }
    }
    return 0;
}

static int write_values(int fd, const struct tp_tensor_values *values)
{
    char head[TP_NPY_MAX_HEAD];
    size_t size = tp_npy_write_head(head, values->dtype, values->rank, values->dims);
    int code = write_all(fd, head, size);
    return code ? code : write_all(fd, values->data, values->size);
}

/* Opens the folder, and creates it if it does not exist. */
static int open_folder(const char *path)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    int fd = open(path, flags);
    if (fd < 0 && errno == ENOENT && tp_folder_make(path, NULL) == 0)
        fd = open(path, flags);
    return fd;
}

static int write_file_in_folder(int folder, const char *base, const struct tp_tensor_values *values)
{
    char temporary[TP_TEMPORARY_NAME];
    int fd = tp_temporary_create(temporary, folder, base, 0666);
    if (fd < 0)
        return errno;
    int code = write_values(fd, values);
    if (code == 0 && renameat(folder, temporary, folder, base) != 0)
        code = errno;
    if (code)
        unlinkat(folder, temporary, 0);
    return close(fd) != 0 && code == 0 ? errno : code;
}

int tp_tensor_write(const struct tp_session_place *place, const char *path, const struct tp_tensor_values *values)
{
    char target[sizeof place->directory + TP_TENSOR_PATH + 1], folder[sizeof target];
    struct tp_file_size_signal hold;
    snprintf(target, sizeof target, "%s/%s", place->directory, path);
    const char *base = strrchr(target, '/') + 1;
    snprintf(folder, sizeof folder, "%.*s", (int)(base - 1 - target), target);
    tp_file_size_signal_block(&hold);
    int fd = open_folder(folder);
    int code = fd < 0 ? errno : write_file_in_folder(fd, base, values);
    if (fd >= 0)
        close(fd);
    tp_file_size_signal_unblock(&hold);
    return code;
}
