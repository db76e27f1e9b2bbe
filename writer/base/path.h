/* Handles paths. Inside the program, '/' separates folders on every system. */
#ifndef TP_WRITER_BASE_PATH_H
#define TP_WRITER_BASE_PATH_H

#include <string.h>

/* Replaces the separators that the user typed between folders with '/', in place. Returns `path`. */
char *tp_path_normalize(char *path);

/* Returns the part of a path after its last slash, as a pointer into `path`; `path` itself if it has no slash. */
static inline const char *tp_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

#endif
