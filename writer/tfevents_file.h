/* Names TensorBoard event files, and finds and removes older event files of tracepress in a folder.
 *
 * The name is events.out.tfevents.SECONDS.HOST.PID.NUMBER.tracepress. TensorBoard accepts any name that contains
 * "tfevents", and reads the files of a folder in the order of their names. The last part distinguishes files of
 * tracepress from files of the user. */
#ifndef TP_WRITER_TFEVENTS_FILE_H
#define TP_WRITER_TFEVENTS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/error.h"

struct tp_tfevents_name {
    int64_t seconds;  /* time of the contents, seconds since the epoch; a negative time is written as 0 */
    const char *host; /* name of the host, only letters, digits and ._- */
    long pid;         /* process id; 0: no process writes the file */
    unsigned number;
};

/* Writes the NUL-terminated name, without a folder, to out[size]. Returns 0, or TP_ELIMIT if the name does not fit. */
int tp_tfevents_name(char *out, size_t size, const struct tp_tfevents_name *name, struct tp_error *err);

/* Returns the largest NUMBER of tracepress's event files in the folder plus 1, or 0 if none exist. A new number is
 * needed because TensorBoard does not read a file again if its contents change under the same name. */
unsigned tp_tfevents_next_number(const char *folder);

/* Makes a text usable in a file name or a tag: bytes other than letters, digits and ._- become "_". A leading dot
 * becomes "_" too. */
void tp_tfevents_clean_name(char *text);

/* Returns the number of event files of tracepress in the folder. */
unsigned tp_tfevents_count_files(const char *folder);

/* Returns whether a running process has written an event file in the folder (PID above 0). Such a file contains every
 * step, unlike a trace. */
bool tp_tfevents_has_live(const char *folder);

/* Removes the files that earlier exports of this host (or worker) left in the folder, except `keep`. Such files have
 * PID 0 and can be made again from a trace. Does not remove files that a running process wrote, or files of other
 * hosts and programs. Returns 0 or TP_EIO. */
int tp_tfevents_remove_older(const char *folder, const char *host, const char *keep, struct tp_error *err);

#endif
