/* Writes the bytes of an input into a temporary file, for libraries that can only read named files.
 *
 * The file has a random name in the folder of TMPDIR. It is removed by tp_unpacked_file_remove, and by the handler of
 * signals that end the program (writer/base/fs.h). */
#ifndef TP_WEBREPORT_TRACE_INPUTS_SQLITE_UNPACKED_FILE_H
#define TP_WEBREPORT_TRACE_INPUTS_SQLITE_UNPACKED_FILE_H

#include "webreport/trace/feed.h"
#include "writer/base/fs.h"

struct tp_unpacked_file {
    struct tp_outfile *file;
    const char *path; /* path of the temporary file; NULL if none exists */
};

/* Writes [*at, *end) and the rest of the feed to a temporary file, and moves the window to the end of the input.
 * Returns 0, TP_EIO, TP_ENOMEM, or TP_ELIMIT for more than TP_MAX_UNPACKED_DATABASE_BYTES. Call
 * tp_unpacked_file_remove in every case. */
int tp_unpacked_file_make(struct tp_unpacked_file *out, struct tp_feed *feed, const char **at, const char **end,
                          struct tp_error *err);

/* Removes the file. An open database remains readable. Accepts a zeroed struct. */
void tp_unpacked_file_remove(struct tp_unpacked_file *unpacked);

#endif
