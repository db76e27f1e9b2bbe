/* Writes finished texts to their files. Either all files appear, or none. */
#ifndef TP_WEBREPORT_SESSION_TEXT_OUTPUTS_H
#define TP_WEBREPORT_SESSION_TEXT_OUTPUTS_H

#include <stdbool.h>

#include "writer/base/buf.h"
#include "writer/base/error.h"

enum { TP_TEXT_OUTPUTS_MAX = 8 };

struct tp_text_output {
    const char *path;   /* "-" for standard output; NULL if the output is not wanted */
    struct tp_buf text; /* text of the output, released by the caller */
};

/* Opens, fills and commits each wanted output, at most TP_TEXT_OUTPUTS_MAX. Returns 0, TP_EIO or TP_ENOMEM. After a
 * failure no file is changed. Exception: if a rename fails, the outputs renamed before it are changed. */
int tp_text_outputs_write(const struct tp_text_output *outputs, unsigned count, struct tp_error *err);

/* Returns whether a path names standard output. Returns false for NULL. */
bool tp_is_stdout(const char *path);

#endif
