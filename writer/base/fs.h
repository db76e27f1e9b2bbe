/* Files that appear whole or not at all: write to a temporary file beside the target, then rename.
 *
 * A target that exists and is no regular file (a pipe, /dev/stdout) is written directly. "-" is standard output.
 * Symbolic links given as a target are followed. Errors carry path and reason; after an error nothing is left behind
 * and an older file is untouched. A file that replaces another has its mode, and its owner where that is allowed. Any
 * number of writers of one target, of whatever process and container: each file is whole, the last one stays. */
#ifndef TP_WRITER_BASE_FS_H
#define TP_WRITER_BASE_FS_H

#include <stddef.h>

#include "writer/base/error.h"

struct tp_outfile;

/* Opens for writing `path` ("-": stdout). Removes temporary files that a killed run of ours left for the same target.
 * Returns 0, TP_EIO (unwritable, is a directory), TP_ENOMEM. */
int tp_outfile_open(struct tp_outfile **out, const char *path, struct tp_error *err);

/* Appends bytes. 0 or TP_EIO; an error is sticky and makes tp_outfile_commit fail too. */
int tp_outfile_write(struct tp_outfile *file, const void *bytes, size_t size, struct tp_error *err);

/* *path: of the temporary file, which is there and empty until something is written: for a library that writes files
 * only by their name. Use either this or tp_outfile_write. NULL: the target is written directly. Lives as long as the
 * file. 0, TP_EIO, TP_ENOMEM. */
int tp_outfile_temporary(const char **path, struct tp_outfile *file, struct tp_error *err);

/* Flushes, syncs, renames and syncs the folder; frees *slot, which becomes NULL. 0 or TP_EIO. */
int tp_outfile_commit(struct tp_outfile **slot, struct tp_error *err);

/* Throws everything away; frees *slot, which becomes NULL. Accepts NULL inside. */
void tp_outfile_discard(struct tp_outfile **slot);

/* Makes a folder and those above it; one that is there is good. 0, or TP_EIO with errno. */
int tp_folder_make(const char *path, struct tp_error *err);

/* Removes the temporary files of all open outputs. Only for a signal handler that ends the process: async-signal-safe.
 */
void tp_outfile_remove_all(void);

#endif
