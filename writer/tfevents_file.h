/* Names of TensorBoard event files, and the older ones of ours in a folder.
 *
 * events.out.tfevents.SECONDS.HOST.PID.NUMBER.tracepress: TensorBoard takes any name with "tfevents" in it and reads
 * the files of a folder in the order of their names; the last part tells ours from the user's. */
#ifndef TP_WRITER_TFEVENTS_FILE_H
#define TP_WRITER_TFEVENTS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/error.h"

struct tp_tfevents_name {
    int64_t seconds;  /* since 1970, of what the file holds; below 0 counts as 0 */
    const char *host; /* letters, digits and ._- only */
    long pid;         /* 0: no process */
    unsigned number;
};

/* Writes the NUL-terminated name (no folder) into out[size]; 0, or TP_ELIMIT when it does not fit. */
int tp_tfevents_name(char *out, size_t size, const struct tp_tfevents_name *name, struct tp_error *err);

/* One more than the largest NUMBER of our files in the folder, 0 without any: TensorBoard does not read a file again
 * that got a new content under its old name. */
unsigned tp_tfevents_next_number(const char *folder);

/* Makes a text a part of a file's name or a tag: other bytes than letters, digits and ._- become "_", a dot at its
 * start too. */
void tp_tfevents_clean(char *text);

/* How many event files of ours are in the folder. */
unsigned tp_tfevents_count(const char *folder);

/* Whether a process wrote one of them while it ran (PID above 0). Such a file has what no trace has: every step. */
bool tp_tfevents_has_live(const char *folder);

/* Removes what earlier exports of this host (or worker) left in the folder, but the file called `keep`: PID 0, made
 * from a trace and to be made again from it. Files that a process wrote while it ran, of other hosts and of others
 * stay. 0 or TP_EIO. */
int tp_tfevents_remove_older(const char *folder, const char *host, const char *keep, struct tp_error *err);

#endif
