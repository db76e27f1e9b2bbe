/* Decides which files may be read: those whose real path is below one of the roots. */
#ifndef TP_WEBREPORT_ASK_ROOTS_H
#define TP_WEBREPORT_ASK_ROOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/error.h"

struct tp_roots {
    struct tp_arena arena;
    const char **paths; /* real paths of the roots */
    size_t count;       /* 0: all files may be read */
};

enum tp_roots_answer {
    TP_ROOTS_FOUND,   /* a regular file or a folder */
    TP_ROOTS_OUTSIDE, /* outside of all roots, whether it exists or not */
    TP_ROOTS_MISSING, /* below a root, but it does not exist */
    TP_ROOTS_SPECIAL  /* below a root, but neither a regular file nor a folder */
};

/* The identity of a file: a file with another identity is a changed file. */
struct tp_file_identity {
    uint64_t device, inode, size;
    int64_t modified_ns;
    bool is_folder;
};

/* Opens the roots. count: 0 allows all files. Returns 0, or TP_ENOTFOUND if a root is no folder. */
int tp_roots_open(struct tp_roots *roots, const char *const *paths, size_t count, struct tp_error *err);
void tp_roots_close(struct tp_roots *roots);

/* Finds a file. given: path as the client gave it; a relative path begins at a root, or at the working folder if there
 * are no roots. *path: the real path, in `arena`, whose guard is set. */
enum tp_roots_answer tp_roots_find(const char **path, struct tp_file_identity *identity, const struct tp_roots *roots,
                                   const char *given, struct tp_arena *arena);

#endif
