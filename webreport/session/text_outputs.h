/* Outputs that are finished texts: all of them appear, or none does. */
#ifndef TP_WEBREPORT_SESSION_TEXT_OUTPUTS_H
#define TP_WEBREPORT_SESSION_TEXT_OUTPUTS_H

#include <stdbool.h>

#include "writer/base/buf.h"
#include "writer/base/error.h"

enum { TP_TEXT_OUTPUTS_MAX = 8 };

struct tp_text_output {
    const char *path;   /* "-" for standard output; NULL: not wanted */
    struct tp_buf text; /* the owner's */
};

/* Opens, fills and commits each output that is wanted, at most TP_TEXT_OUTPUTS_MAX. 0, TP_EIO, TP_ENOMEM; then no file
 * was changed but, when a rename itself fails, those before it. */
int tp_text_outputs_write(const struct tp_text_output *outputs, unsigned count, struct tp_error *err);

/* Whether a path stands for standard output. NULL: no. */
bool tp_is_stdout(const char *path);

#endif
