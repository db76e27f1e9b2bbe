/* Writes files that appear complete or not at all. Data goes to a temporary file next to the target, which is then
 * renamed.
 *
 * A target that exists and is not a regular file (a pipe, /dev/stdout) is written directly. "-" is standard output. A
 * target that is a symbolic link represents the file that the link names. Errors contain path and reason. After an
 * error, no temporary file remains and an older file is unchanged. A file that replaces an older one gets the mode of
 * the older file, and its owner if that is allowed. Several writers may write the same target at the same time, also
 * from different containers: each file is complete, and the last one remains. */
#ifndef TP_WRITER_BASE_FS_H
#define TP_WRITER_BASE_FS_H

#include <stddef.h>

#include "writer/base/error.h"

struct tp_outfile;

/* Opens `path` for writing ("-": stdout). Removes temporary files that killed processes of tracepress left for the same
 * target. Returns 0, TP_EIO (not writable, a directory), TP_ENOMEM. */
int tp_outfile_open(struct tp_outfile **out, const char *path, struct tp_error *err);

/* Appends bytes. Returns 0 or TP_EIO. After an error, tp_outfile_commit fails too. */
int tp_outfile_write(struct tp_outfile *file, const void *bytes, size_t size, struct tp_error *err);

/* Sets *path to the path of the temporary file, for a library that can only write to a named file. The file exists, and
 * is empty unless data was written. Use either this function or tp_outfile_write. *path is NULL if the target is
 * written directly. The path is valid as long as the file is open. Returns 0, TP_EIO, TP_ENOMEM. */
int tp_outfile_temporary(const char **path, struct tp_outfile *file, struct tp_error *err);

/* Completes the file: flushes, syncs and renames it, and syncs its folder. Frees *slot and sets it to NULL. Returns 0
 * or TP_EIO. */
int tp_outfile_commit(struct tp_outfile **slot, struct tp_error *err);

/* Discards the file and all data. Frees *slot and sets it to NULL. *slot may be NULL. */
void tp_outfile_discard(struct tp_outfile **slot);

/* Creates a folder and its missing parents. Returns 0, or TP_EIO with errno. */
int tp_folder_make(const char *path, struct tp_error *err);

/* Removes the temporary files of all files that are being written. Only for a signal handler that ends the process:
 * async-signal-safe. */
void tp_outfile_remove_all(void);

#endif
