/* Decides which files may be read: see roots.h. */
#include "webreport/ask/roots.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "writer/base/input.h"
#include "writer/base/path.h"
#include "writer/text/format.h"

struct opening {
    struct tp_roots *roots;
    const char *const *paths;
    size_t count;
};

static int open_in_guard(void *context, struct tp_error *err)
{
    const struct opening *o = context;
    struct stat info;
    o->roots->paths = tp_arena_array(&o->roots->arena, o->count, sizeof *o->roots->paths);
    for (size_t i = 0; i < o->count; i++) {
        char *real = realpath(o->paths[i], NULL);
        bool is_folder = real && stat(real, &info) == 0 && S_ISDIR(info.st_mode);
        if (!is_folder) {
            free(real);
            return tp_error_set(err, TP_ENOTFOUND, 0, "--root: %s is no folder", o->paths[i]);
        }
        o->roots->paths[o->roots->count++] = tp_arena_copy(&o->roots->arena, real, strlen(real));
        free(real);
    }
    return TP_OK;
}

int tp_roots_open(struct tp_roots *roots, const char *const *paths, size_t count, struct tp_error *err)
{
    struct opening opening = {roots, paths, count};
    *roots = (struct tp_roots){0};
    tp_arena_init(&roots->arena, 0);
    return tp_arena_run(&roots->arena, open_in_guard, &opening, err);
}

void tp_roots_close(struct tp_roots *roots)
{
    tp_arena_release(&roots->arena);
}

static bool is_below_a_root(const struct tp_roots *roots, const char *path)
{
    bool is_any = roots->count == 0;
    for (size_t i = 0; i < roots->count && !is_any; i++)
        is_any = tp_path_is_below(path, roots->paths[i]);
    return is_any;
}

/* Returns whether the file would be below a root if it existed: the real path of its longest existing prefix is below a
 * root, and the rest of the path does not leave this folder. */
static bool would_be_below_a_root(const struct tp_roots *roots, const char *path)
{
    char prefix[PATH_MAX], real[PATH_MAX];
    size_t size = strlen(path);
    if (size >= sizeof prefix)
        return false;
    memcpy(prefix, path, size + 1);
    for (;;) {
        const char *base = tp_path_base(prefix);
        size_t end = (size_t)(base - prefix);
        while (end > 1 && prefix[end - 1] == '/')
            end--;
        if (strcmp(base, "..") == 0 || end == 0 || end == strlen(prefix))
            return false;
        prefix[end] = '\0';
        if (realpath(prefix, real))
            return is_below_a_root(roots, real);
    }
}

/* Fills the identity of an existing file whose real path is below a root. Without roots, pipes and devices are not read
 * either, because a question may read a file again. */
static enum tp_roots_answer identify(struct tp_file_identity *identity, const char *path, const struct tp_roots *roots)
{
    struct stat info;
    struct tp_input input;
    struct tp_error err;
    if (stat(path, &info) < 0)
        return TP_ROOTS_MISSING;
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return TP_ROOTS_SPECIAL;
    if (S_ISREG(info.st_mode)) { /* opens the file, which fails if it was replaced by a link out of the roots */
        if (tp_input_open(&input, path, TP_INPUT_FILE, &err) < 0)
            return err.code == TP_ENOTFOUND ? TP_ROOTS_MISSING : roots->count ? TP_ROOTS_OUTSIDE : TP_ROOTS_SPECIAL;
        bool is_same = fstat(input.fd, &info) == 0 && input.is_regular;
        close(input.fd);
        if (!is_same)
            return TP_ROOTS_SPECIAL;
    }
    *identity = (struct tp_file_identity){.device = info.st_dev,
                                          .inode = info.st_ino,
                                          .size = (uint64_t)info.st_size,
                                          .is_folder = S_ISDIR(info.st_mode)};
    identity->modified_ns = tp_input_modified_ns(&info);
    return TP_ROOTS_FOUND;
}

/* Finds a file from one root; base: NULL for the working folder or an absolute path. */
static enum tp_roots_answer find_from(const char **path, struct tp_file_identity *identity,
                                      const struct tp_roots *roots, const char *from, struct tp_arena *arena)
{
    char real[PATH_MAX];
    if (!realpath(from, real))
        return roots->count == 0 || would_be_below_a_root(roots, from) ? TP_ROOTS_MISSING : TP_ROOTS_OUTSIDE;
    if (!is_below_a_root(roots, real))
        return TP_ROOTS_OUTSIDE;
    *path = tp_arena_copy(arena, real, strlen(real));
    return identify(identity, real, roots);
}

enum tp_roots_answer tp_roots_find(const char **path, struct tp_file_identity *identity, const struct tp_roots *roots,
                                   const char *given, struct tp_arena *arena)
{
    enum tp_roots_answer best = TP_ROOTS_OUTSIDE;
    if (roots->count == 0 || given[0] == '/')
        return find_from(path, identity, roots, given, arena);
    for (size_t i = 0; i < roots->count; i++) {
        const char *from = tp_text_printf(arena, "%s/%s", roots->paths[i], given);
        enum tp_roots_answer answer = find_from(path, identity, roots, from, arena);
        if (answer == TP_ROOTS_FOUND)
            return answer;
        best = answer > best ? answer : best;
    }
    return best;
}
