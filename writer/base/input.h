/* The one place that opens files to read them (tests/lint/concepts.sh).
 *
 * A pipe, a terminal or a device can stop a reader for ever. One that was named by the user is read all the same
 * ("<(zcat x)" is a pipe); what a search has found is opened only when it is a regular file. Any thread. */
#ifndef TP_WRITER_BASE_INPUT_H
#define TP_WRITER_BASE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/buf.h"
#include "writer/base/error.h"

enum tp_input_kind {
    TP_INPUT_FILE,  /* a regular file; never waits */
    TP_INPUT_NAMED, /* what else can be read, too; "-" is standard input */
};

struct tp_input {
    int fd;
    uint64_t size; /* of a regular file when it was opened, else 0 */
    bool is_regular;
};

/* Opens `path`; the caller closes input->fd, which is -1 after an error. 0; TP_ENOTFOUND (nothing there), TP_ENOMEM,
 * TP_EIO (anything else: a folder, no permission). The text does not name the path. */
int tp_input_open(struct tp_input *input, const char *path, enum tp_input_kind kind, struct tp_error *err);

/* Opens a regular file of user `owner` by its name in a folder that is open; a link is none. Never waits. As
 * tp_input_open, and TP_EIO for anything else that is there. */
int tp_input_open_in(struct tp_input *input, int folder, const char *name, uint32_t owner, struct tp_error *err);

/* Reads up to `size` bytes into `to`, fewer at the end only; *got: how many. `at`: how many were read before, for the
 * error, which is TP_EIO and says at which byte. */
int tp_input_read(size_t *got, const struct tp_input *input, void *to, size_t size, uint64_t at, struct tp_error *err);

/* Opens, appends everything to `out`, which has a maximum, and closes. As tp_input_open, and TP_ELIMIT. */
int tp_input_read_all(struct tp_buf *out, const char *path, enum tp_input_kind kind, struct tp_error *err);

#endif
