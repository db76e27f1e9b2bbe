/* Writes finished texts to files: all files or, after an error, none. */
#ifndef TP_WEBREPORT_SESSION_TEXT_OUTPUTS_H
#define TP_WEBREPORT_SESSION_TEXT_OUTPUTS_H

#include <stdbool.h>

#include "writer/base/buf.h"
#include "writer/base/error.h"

enum { TP_TEXT_OUTPUTS_MAX = 8 };

struct tp_text_output {
    const char *path;   /* path of the output; "-" for standard output; NULL if not requested */
    struct tp_buf text; /* text of the output; the caller releases it */
};

/* Writes all requested outputs, at most TP_TEXT_OUTPUTS_MAX. Returns 0, TP_EIO or TP_ENOMEM. After a failure, no file
 * is changed, except files that were renamed before a rename failed. */
int tp_text_outputs_write(const struct tp_text_output *outputs, unsigned count, struct tp_error *err);

/* Returns true if a path means standard output. path: may be NULL. */
bool tp_is_stdout_path(const char *path);

#endif
