/* Finds the leftover files of unfinished recordings: see leftover_files.h. */
#include "webreport/session/leftover_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "writer/base/limits.h"
#include "writer/base/path.h"
#include "writer/base/str.h"
#include "writer/base/temporary.h"
#include "writer/spool/spool_read.h"
#include "writer/worker.h"

struct place {
    const char *path;
    unsigned depth;
};

struct search {
    struct tp_leftover_files *left;
    struct tp_arena *arena;
    struct tp_vec places; /* folders that are not searched yet; elements: struct place */
};

static void add_leftover(struct search *search, const char *path, enum tp_leftover_kind kind)
{
    *(struct tp_leftover *)tp_vec_push(&search->left->items) =
        (struct tp_leftover){path, kind, kind == TP_LEFTOVER_SPOOL && tp_spool_is_live(path)};
}

static void count_unread_folder(struct search *search, const char *path)
{
    search->left->unread = search->left->unread_folder_count++ ? search->left->unread : path;
}

static void check_folder(struct search *search, const struct place *place, const char *name, const char *path)
{
    if (strcmp(name, TP_WORKER_SPOOLS) == 0)
        add_leftover(search, place->path, TP_LEFTOVER_RUN);
    else if (place->depth + 1 < TP_MAX_DIR_DEPTH)
        *(struct place *)tp_vec_push(&search->places) = (struct place){path, place->depth + 1};
    else
        count_unread_folder(search, path);
}

static void check_file(struct search *search, const struct place *place, const char *name)
{
    struct stat status;
    size_t folder_size = strlen(place->path), size = folder_size + strlen(name) + 2;
    char *path = tp_arena_alloc(search->arena, size);
    bool has_slash = folder_size && place->path[folder_size - 1] == '/';
    snprintf(path, size, "%s%s%s", place->path, has_slash ? "" : "/", name);
    if (lstat(path, &status) != 0)
        return;
    if (S_ISDIR(status.st_mode))
        check_folder(search, place, name, path);
    else if (S_ISREG(status.st_mode) && tp_str_ends(tp_str_of(name), ".tpspool"))
        add_leftover(search, path, TP_LEFTOVER_SPOOL);
    else if (S_ISREG(status.st_mode) && tp_temporary_is_name(name, NULL) && tp_temporary_is_abandoned(AT_FDCWD, path))
        add_leftover(search, path, TP_LEFTOVER_TEMPORARY);
}

/* An open folder. Reading it under a guard ensures that it is closed even after a failed allocation. */
struct listing {
    struct search *search;
    const struct place *place;
    DIR *dir;
};

static int search_folder(void *context, struct tp_error *err)
{
    const struct listing *listing = context;
    (void)err;
    for (struct dirent *entry; (entry = readdir(listing->dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            check_file(listing->search, listing->place, entry->d_name);
    return TP_OK;
}

static bool search_open_folder(struct search *search, const struct place *place)
{
    DIR *dir = opendir(place->path);
    if (!dir)
        return false;
    search->left->folder_count++;
    tp_arena_run(search->arena, search_folder, &(struct listing){search, place, dir}, NULL);
    closedir(dir);
    tp_arena_fail_with_stored_code(search->arena);
    return true;
}

static int compare_by_path(const void *x, const void *y)
{
    const struct tp_leftover *a = x, *b = y;
    return strcmp(a->path, b->path);
}

int tp_leftover_files_find(struct tp_leftover_files *left, struct tp_arena *arena, const char *folder,
                           struct tp_error *err)
{
    struct search search = {left, arena, TP_VEC(arena, struct place)};
    *left = (struct tp_leftover_files){.items = TP_VEC(arena, struct tp_leftover)};
    struct place place = {folder, 0};
    if (!search_open_folder(&search, &place))
        return tp_error_set(err, TP_EIO, 0, "%s: %s", folder, strerror(errno));
    while (search.places.count) {
        place = *TP_AT(&search.places, struct place, --search.places.count);
        if (!search_open_folder(&search, &place))
            count_unread_folder(&search, place.path);
    }
    if (left->items.count)
        qsort(left->items.data, left->items.count, sizeof(struct tp_leftover), compare_by_path);
    return TP_OK;
}

/* Returns the length of a path without its last part and without the slashes around that part. */
static size_t parent_size(const char *path, size_t size)
{
    while (size > 1 && path[size - 1] == '/')
        size--;
    while (size > 0 && path[size - 1] != '/')
        size--;
    while (size > 1 && path[size - 1] == '/')
        size--;
    return size;
}

bool tp_leftover_files_trace_path(char *path, size_t size, const char *spool)
{
    const char *base = tp_path_base(spool);
    size_t folder = (size_t)(base - spool);
    base += *base == '.' && base[1];
    size_t n = strlen(base);
    if (n > 8 && strcmp(base + n - 8, ".tpspool") == 0) {
        n -= 8;
        size_t dot = n;
        /* removes the process number after the last dot; spools with other names have no number */
        while (dot > 0 && base[dot - 1] != '.')
            dot--;
        n = dot > 1 ? dot - 1 : n;
    }
    int written = snprintf(path, size, "%.*s%.*s.pt.trace.json.gz", (int)folder, spool, (int)n, base);
    return written > 0 && (size_t)written < size;
}

const char *tp_leftover_files_run_folder(struct tp_arena *arena, const char *path)
{
    size_t size = strlen(path);
    for (int i = 0; i < 2; i++) { /* tries the path itself, then its folder */
        while (size > 1 && path[size - 1] == '/')
            size--;
        struct tp_str folder = {path, size};
        size_t parent = parent_size(path, size);
        if (tp_str_ends(folder, "/" TP_WORKER_SPOOLS))
            return tp_arena_copy(arena, path, parent);
        if (tp_str_equal(folder, TP_STR(TP_WORKER_SPOOLS)))
            return ".";
        size = parent;
    }
    return "";
}
