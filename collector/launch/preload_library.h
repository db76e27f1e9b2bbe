/* Finds the preload library, and asks it what it can record. */
#ifndef TP_COLLECTOR_LAUNCH_PRELOAD_LIBRARY_H
#define TP_COLLECTOR_LAUNCH_PRELOAD_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "writer/base/error.h"

enum { TP_LIBRARY_SOURCES = 32 };

/* A row of the library's table of sources (collector/sources.h). */
struct tp_source_row {
    char name[32];
    char state[96]; /* "on", "off" (works if named), or the reason why it does not work here */
    char what[160];
};

struct tp_source_rows {
    struct tp_source_row rows[TP_LIBRARY_SOURCES];
    size_t count;
};

/* Fills the path of the library: $TRACEPRESS_PRELOAD, or next to this program, or where `make install` puts it. Returns
 * 0, TP_ENOTFOUND, or TP_EUNSUPPORTED if the path has a space or a colon, which LD_PRELOAD cannot express. */
int tp_library_find(char *path, size_t size, struct tp_error *err);

/* Loads the library into `program` (NULL: this program) and reads its table; the process exits before main. Returns 0,
 * or TP_EIO if there is no answer. */
int tp_library_sources(struct tp_source_rows *rows, const char *library, const char *program, char *const *argv,
                       struct tp_error *err);

/* Fills the value of LD_PRELOAD: `library`, then the current value, but with sanitizer runtimes first. Returns 0, or
 * TP_ELIMIT if `size` is too small. */
int tp_library_preload(char *value, size_t size, const char *library);

#endif
