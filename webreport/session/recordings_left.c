/* Leavings of recorded programs: see recordings_left.h. */
#include "webreport/session/recordings_left.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "writer/base/str.h"
#include "writer/base/temporary.h"
#include "writer/spool/spool_read.h"

struct search {
    struct tp_vec *leavings;
    struct tp_arena *arena;
};

static void look_at(struct search *search, const char *folder, const char *name)
{
    struct stat status;
    size_t folder_size = strlen(folder), size = folder_size + strlen(name) + 2;
    bool is_spool = tp_str_ends(tp_str_of(name), ".tpspool");
    if (!is_spool && !tp_temporary_is_name(name, NULL))
        return;
    char *path = tp_arena_alloc(search->arena, size);
    snprintf(path, size, "%s%s%s", folder, folder_size && folder[folder_size - 1] == '/' ? "" : "/", name);
    if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return;
    if (!is_spool && !tp_temporary_is_abandoned(AT_FDCWD, path))
        return;
    *(struct tp_leaving *)tp_vec_push(search->leavings) =
        (struct tp_leaving){path, is_spool, is_spool && tp_spool_is_live(path)};
}

/* Calls `each` for the entries of a folder; false when it cannot be read. */
static bool each_entry(struct search *search, const char *folder,
                       void (*each)(struct search *search, const char *folder, const char *name))
{
    DIR *dir = opendir(folder);
    if (!dir)
        return false;
    for (struct dirent *entry; (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            each(search, folder, entry->d_name);
    closedir(dir);
    return true;
}

/* A folder inside, not through a symbolic link; false when it is none. */
static bool join(char path[4096], const char *folder, const char *name)
{
    struct stat status;
    int n = snprintf(path, 4096, "%s/%s", folder, name);
    return n > 0 && n < 4096 && lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static void look_into_step(struct search *search, const char *folder, const char *name)
{
    char path[4096];
    if (join(path, folder, name))
        each_entry(search, path, look_at);
}

static void look_around(struct search *search, const char *folder, const char *name)
{
    char path[4096];
    look_at(search, folder, name);
    if (tp_str_ends(tp_str_of(name), ".tensors") && join(path, folder, name))
        each_entry(search, path, look_into_step);
}

static int by_path(const void *x, const void *y)
{
    const struct tp_leaving *a = x, *b = y;
    return strcmp(a->path, b->path);
}

int tp_recordings_left_find(struct tp_vec *leavings, struct tp_arena *arena, const char *folder, struct tp_error *err)
{
    struct search search = {leavings, arena};
    size_t before = leavings->count;
    if (!each_entry(&search, folder, look_around))
        return tp_error_set(err, TP_EIO, 0, "%s: %s", folder, strerror(errno));
    if (leavings->count > before)
        qsort(TP_AT(leavings, struct tp_leaving, before), leavings->count - before, sizeof(struct tp_leaving), by_path);
    return 0;
}
