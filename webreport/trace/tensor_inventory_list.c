/* Which arrays are below a folder: see tensor_inventory_parts.h. Level by level, without recursion; not with fts(3),
 * which ends in a signal when there is no memory for its first entry. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "webreport/trace/tensor_inventory_parts.h"
#include "writer/base/limits.h"

/* Adds "FOLDER/NAME" with its NUL. */
static void add_path(struct tp_buf *paths, const char *folder, const char *name)
{
    size_t size = strlen(folder);
    tp_buf_add(paths, folder, size);
    if (size && folder[size - 1] != '/')
        tp_buf_putc(paths, '/');
    tp_buf_add(paths, name, strlen(name) + 1);
}

static bool is_folder(const char *folder, const struct dirent *entry)
{
    char path[PATH_MAX];
    struct stat info;
    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    int n = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    return n > 0 && (size_t)n < sizeof path && lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static int folder_error(struct tp_error *err, const char *path, int why)
{
    return tp_error_set(err, why == ENOMEM ? TP_ENOMEM : TP_EIO, 0, "%s: %s", path, strerror(why));
}

/* What is in one folder: other folders, and .npy and .npz files. */
static int list_folder(struct tp_buf *folders, struct tp_buf *files, const char *path, struct tp_error *err)
{
    DIR *dir = opendir(path);
    if (!dir)
        return folder_error(err, path, errno);
    errno = 0;
    for (struct dirent *entry; (entry = readdir(dir)); errno = 0) {
        struct tp_str name = tp_str_of(entry->d_name);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (is_folder(path, entry))
            add_path(folders, path, entry->d_name);
        else if (name.ptr[0] != '.' && (tp_str_ends(name, ".npy") || tp_str_ends(name, ".npz")))
            add_path(files, path, entry->d_name);
    }
    int why = errno; /* 0 at the end */
    closedir(dir);
    return why ? folder_error(err, path, why) : TP_OK;
}

int tp_inventory_list(struct tp_buf *paths, const char *path, struct tp_error *err)
{
    struct tp_buf level, below;
    int code;
    tp_buf_init(&level, 0);
    tp_buf_init(&below, 0);
    code = list_folder(&below, paths, path, err);
    for (unsigned depth = 0; code == TP_OK && below.size && depth < TP_MAX_DIR_DEPTH && !below.failed; depth++) {
        struct tp_buf done = level;
        level = below;
        below = done;
        tp_buf_clear(&below);
        for (const char *at = level.data; code == TP_OK && at < level.data + level.size; at += strlen(at) + 1) {
            code = list_folder(&below, paths, at, err);
            code = code == TP_ENOMEM ? code : TP_OK;
        }
    }
    if (code == TP_OK && (below.failed || paths->failed))
        code = tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    tp_buf_release(&level);
    tp_buf_release(&below);
    return code;
}
