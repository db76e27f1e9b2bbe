/* Writes finished texts to their files: either all files appear or none. */
#ifndef TP_WEBREPORT_SESSION_TEXT_OUTPUTS_H
#define TP_WEBREPORT_SESSION_TEXT_OUTPUTS_H

#include <stdbool.h>

#include "writer/base/buf.h"
#include "writer/base/error.h"

enum { TP_TEXT_OUTPUTS_MAX = 8 };

struct tp_text_output {
    const char *path;   /* "-" for standard output; NULL: not wanted */
    struct tp_buf text; /* the caller releases it */
};

/* Opens, fills and commits each wanted output, at most TP_TEXT_OUTPUTS_MAX. Returns 0, TP_EIO, TP_ENOMEM. After a
 * failure no file is changed; but when a rename fails, the outputs before it are. */
int tp_text_outputs_write(const struct tp_text_output *outputs, unsigned count, struct tp_error *err);

/* Returns true when a path stands for standard output; NULL does not. */
bool tp_is_stdout(const char *path);

#endif
