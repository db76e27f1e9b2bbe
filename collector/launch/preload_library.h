/* The preload library: where it is, and what it says that it can record. */
#ifndef TP_COLLECTOR_LAUNCH_PRELOAD_LIBRARY_H
#define TP_COLLECTOR_LAUNCH_PRELOAD_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "writer/base/error.h"

enum { TP_LIBRARY_SOURCES = 32 };

/* A row of the library's table of sources (collector/sources.h). */
struct tp_source_row {
    char name[32];
    char state[96]; /* "on", "off" (works, when named), or why it does not work here */
    char what[160];
};

struct tp_source_rows {
    struct tp_source_row rows[TP_LIBRARY_SOURCES];
    size_t count;
};

/* Path of the library: $TRACEPRESS_PRELOAD, or beside this program, or where `make install` puts it. Returns 0,
 * TP_ENOTFOUND, or TP_EUNSUPPORTED when the path has a blank or a colon, which LD_PRELOAD cannot express. */
int tp_library_find(char *path, size_t size, struct tp_error *err);

/* Asks the library inside `program` (NULL: inside this program), which ends before its main begins. 0, or TP_EIO when
 * nothing was answered. */
int tp_library_sources(struct tp_source_rows *rows, const char *library, const char *program, char *const *argv,
                       struct tp_error *err);

/* LD_PRELOAD as it shall be: `library`, then what is there already, but for runtimes of sanitizers in front. Returns 0,
 * or TP_ELIMIT when `size` is too small.
 */
int tp_library_preload(char *value, size_t size, const char *library);

#endif
