/* Names of TensorBoard event files, and the older ones of ours in a folder.
 *
 * events.out.tfevents.SECONDS.HOST.PID.NUMBER.tracepress: TensorBoard takes any name with "tfevents" in it and reads
 * the files of a folder in the order of their names; the last part tells ours from the user's. */
#ifndef TP_WRITER_TFEVENTS_FILE_H
#define TP_WRITER_TFEVENTS_FILE_H

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

/* SECONDS of the newest file there that a process wrote while it ran (PID above 0), -1 without any: what replaces it
 * must sort behind it. */
int64_t tp_tfevents_newest_live(const char *folder);

/* Removes the files that processes wrote for this host (or worker) while they ran, PID above 0, from the folder, if
 * there is one. 0 or TP_EIO. */
int tp_tfevents_remove_live(const char *folder, const char *host, struct tp_error *err);

/* Removes our event files from the folder but the one called `keep` (NULL: all), if there is one. Files of others
 * stay. 0 or TP_EIO. */
int tp_tfevents_remove_older(const char *folder, const char *keep, struct tp_error *err);

#endif
