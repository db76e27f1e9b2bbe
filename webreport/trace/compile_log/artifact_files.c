/* Implements artifact_files.h. */
#include "webreport/trace/compile_log/artifact_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "writer/base/limits.h"
#include "writer/base/path.h"

/* ---- names ---- */

bool tp_compile_is_artifact(struct tp_str name)
{
    static const char *const parts[] = {"kernel_information", "kernel_stack_traces", "node_mappings",
                                        "kernel_to_post_grad", "kernel_mapping_post_grad"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (tp_str_find(name, parts[i]) >= 0)
            return true;
    return false;
}

/* Returns true for the name of a file that torch.compile writes and that has the kernels of a graph. */
static bool is_artifact_file(struct tp_str name)
{
    if (tp_str_starts(name, "dedicated_log_torch_trace") || tp_str_ends(name, ".torch_trace"))
        return true;
    return (tp_str_starts(name, "inductor_") || tp_str_equal(name, TP_STR("kernel_information.json"))) &&
           tp_str_ends(name, ".json") && tp_compile_is_artifact(name);
}

/* Returns true for the name of a folder in which torch.compile or its users store artifacts. */
static bool is_artifact_folder(struct tp_str name)
{
    static const char *const beginnings[] = {"torch_compile_debug", "torch_trace", "compile_log", NULL};
    return tp_str_starts_with_one_of(name, beginnings);
}

/* ---- folders ---- */

static char *join_path(struct tp_arena *arena, const char *folder, const char *name)
{
    size_t room = strlen(folder) + strlen(name) + 2;
    char *path = tp_arena_alloc(arena, room);
    snprintf(path, room, "%s/%s", folder, name);
    return path;
}

/* A folder that is open, and the lists for the paths of its entries; elements: char *. */
struct listing {
    DIR *dir;
    const char *path;
    struct tp_vec files, folders;
};

static int read_entries(void *context, struct tp_error *err)
{
    struct listing *l = context;
    struct dirent *entry;
    (void)err;
    for (unsigned i = 0; i < TP_MAX_COMPILE_LISTED && (entry = readdir(l->dir)); i++) {
        struct stat info;
        if (*entry->d_name == '.')
            continue;
        char *path = join_path(l->files.arena, l->path, entry->d_name);
        if (lstat(path, &info) != 0)
            continue;
        if (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode))
            *(char **)tp_vec_push(S_ISREG(info.st_mode) ? &l->files : &l->folders) = path;
    }
    return TP_OK;
}

static int compare_paths(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

/* Lists the files and folders in a folder, sorted by name. Both lists are empty if the folder cannot be opened. */
static struct listing list_folder(struct tp_arena *arena, const char *path)
{
    struct listing listing = {opendir(path), path, TP_VEC(arena, char *), TP_VEC(arena, char *)};
    if (!listing.dir)
        return listing;
    tp_arena_run(arena, read_entries, &listing, NULL);
    closedir(listing.dir);
    tp_arena_fail_with_stored_code(arena);
    if (listing.files.count)
        qsort(listing.files.data, listing.files.count, sizeof(char *), compare_paths);
    if (listing.folders.count)
        qsort(listing.folders.data, listing.folders.count, sizeof(char *), compare_paths);
    return listing;
}

void tp_compile_files_below(struct tp_vec *files, const char *folder)
{
    struct tp_vec waiting = TP_VEC(files->arena, const char *);
    *(const char **)tp_vec_push(&waiting) = folder;
    for (unsigned i = 0; i < TP_MAX_COMPILE_FOLDERS && waiting.count; i++) {
        struct listing listing = list_folder(files->arena, *TP_AT(&waiting, const char *, --waiting.count));
        for (size_t k = 0; k < listing.files.count; k++)
            *(const char **)tp_vec_push(files) = *TP_AT(&listing.files, char *, k);
        for (size_t k = listing.folders.count; k > 0; k--)
            *(const char **)tp_vec_push(&waiting) = *TP_AT(&listing.folders, char *, k - 1);
    }
}

/* Returns true if a folder has an artifact, without its subfolders. */
static bool has_artifact(struct tp_arena *arena, const char *folder)
{
    struct listing listing = list_folder(arena, folder);
    for (size_t i = 0; i < listing.files.count; i++)
        if (is_artifact_file(tp_str_of(tp_path_base(*TP_AT(&listing.files, char *, i)))))
            return true;
    return false;
}

void tp_compile_files_near(struct tp_vec *paths, const char *trace)
{
    struct tp_arena *arena = paths->arena;
    size_t size = (size_t)(tp_path_base(trace) - trace);
    struct listing listing = list_folder(arena, size ? tp_arena_copy(arena, trace, size > 1 ? size - 1 : 1) : ".");
    for (size_t i = 0; i < listing.files.count; i++) {
        char *path = *TP_AT(&listing.files, char *, i);
        if (is_artifact_file(tp_str_of(tp_path_base(path))))
            *(const char **)tp_vec_push(paths) = path;
    }
    for (size_t i = 0; i < listing.folders.count && i < TP_MAX_COMPILE_SEARCHED; i++) {
        char *path = *TP_AT(&listing.folders, char *, i);
        if (is_artifact_folder(tp_str_of(tp_path_base(path))) || has_artifact(arena, path))
            *(const char **)tp_vec_push(paths) = path;
    }
}
