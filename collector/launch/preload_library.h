/* Finds the preload library, and reads its table of sources. */
#ifndef TP_COLLECTOR_LAUNCH_PRELOAD_LIBRARY_H
#define TP_COLLECTOR_LAUNCH_PRELOAD_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "writer/base/error.h"

enum { TP_LIBRARY_SOURCES = 32 };

/* A row of the library's table of sources (collector/sources.h). */
struct tp_source_row {
    char name[32];
    /* "on", "off" (the source records only if the user names it), or the reason why the source does not work here */
    char state[96];
    char what[160];
};

struct tp_source_rows {
    struct tp_source_row rows[TP_LIBRARY_SOURCES];
    size_t count;
};

/* Writes the path of the library to `path`. Searches $TRACEPRESS_PRELOAD, the folder of this program, and the folder
 * into which `make install` copies the library. Returns 0 or TP_ENOTFOUND. Returns TP_EUNSUPPORTED if the path has a
 * space or a colon, because these separate paths in LD_PRELOAD. */
int tp_library_find(char *path, size_t size, struct tp_error *err);

/* Loads the library into `program` (NULL: this program) and reads its table of sources. The process that runs the
 * program exits before main. Returns 0, or TP_EIO if the library does not answer. */
int tp_library_read_sources(struct tp_source_rows *rows, const char *library, const char *program, char *const *argv,
                            struct tp_error *err);

/* Writes the new value of LD_PRELOAD to `value`: `library`, followed by the current value. Runtimes of sanitizers
 * precede both. Returns 0, or TP_ELIMIT if `size` is too small. */
int tp_library_make_preload_value(char *value, size_t size, const char *library);

#endif
