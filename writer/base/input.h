/* Opens files for reading; no other module opens them (checked by tests/lint/concepts.sh).
 *
 * A pipe, a terminal or a device can block a reader forever. A file that the user names is read in any case ("<(zcat
 * x)" is a pipe). Files that a search has found are opened only if they are regular files. All functions may be called
 * by any thread. */
#ifndef TP_WRITER_BASE_INPUT_H
#define TP_WRITER_BASE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "writer/base/buf.h"
#include "writer/base/error.h"

enum tp_input_kind {
    TP_INPUT_FILE,  /* a regular file; opening it never blocks */
    TP_INPUT_NAMED, /* any readable file that the user named; "-" is standard input */
};

struct tp_input {
    int fd;
    uint64_t size; /* size of a regular file when it was opened, bytes; otherwise 0 */
    bool is_regular;
};

/* From now on, tp_input_open opens only files whose real path is below one of these folders. Not
 * thread-safe: call it while no other thread opens files. folders: real paths, which must live until the next call;
 * count: 0 allows all files. */
void tp_input_confine(const char *const *folders, size_t count);

/* Returns whether a real path is `folder` itself or below it. */
bool tp_path_is_below(const char *path, const char *folder);

/* Returns the time of the last change of a file, ns since the epoch; whole seconds on Windows. */
int64_t tp_input_modified_ns(const struct stat *info);

/* Opens `path`. The caller closes input->fd, which is -1 after an error. Returns 0, TP_ENOTFOUND if the file does not
 * exist, TP_ENOMEM, or TP_EIO for all other errors (a folder, no permission). The error text does not contain the
 * path. */
int tp_input_open(struct tp_input *input, const char *path, enum tp_input_kind kind, struct tp_error *err);

/* Opens a regular file that belongs to user `owner`. name: file name in the open folder `folder`. Does not follow links
 * and never blocks. Returns the same codes as tp_input_open, and TP_EIO for a file of any other type. */
int tp_input_open_in(struct tp_input *input, int folder, const char *name, uint32_t owner, struct tp_error *err);

/* Reads up to `size` bytes into `to`; fewer only at the end of the file. *got: number of bytes read. at: number of
 * bytes that earlier calls have read, which the error text contains. Returns 0 or TP_EIO. */
int tp_input_read(size_t *got, const struct tp_input *input, void *to, size_t size, uint64_t at, struct tp_error *err);

/* Opens a file, appends all its bytes to `out`, and closes the file. Returns the codes of tp_input_open, and TP_ELIMIT
 * if the file exceeds the maximum size of `out`. */
int tp_input_read_all(struct tp_buf *out, const char *path, enum tp_input_kind kind, struct tp_error *err);

#endif
