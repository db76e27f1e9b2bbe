/* Names TensorBoard event files, and finds and removes our older ones in a folder.
 *
 * events.out.tfevents.SECONDS.HOST.PID.NUMBER.tracepress: TensorBoard accepts any name with "tfevents" in it, and reads
 * the files of a folder in the order of their names. The last part distinguishes our files from the user's. */
#ifndef TP_WRITER_TFEVENTS_FILE_H
#define TP_WRITER_TFEVENTS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/error.h"

struct tp_tfevents_name {
    int64_t seconds;  /* since the epoch, of the contents; negative counts as 0 */
    const char *host; /* letters, digits and ._- only */
    long pid;         /* 0: no process */
    unsigned number;
};

/* Writes the NUL-terminated name (without folder) to out[size]. Returns 0, or TP_ELIMIT if it does not fit. */
int tp_tfevents_name(char *out, size_t size, const struct tp_tfevents_name *name, struct tp_error *err);

/* Returns one more than the largest NUMBER of our files in the folder, 0 without any. TensorBoard does not read a file
 * again if its contents change under the same name. */
unsigned tp_tfevents_next_number(const char *folder);

/* Makes a text usable in a file name or a tag: bytes other than letters, digits and ._- become "_", and so does a
 * leading dot. */
void tp_tfevents_clean(char *text);

/* Returns the number of our event files in the folder. */
unsigned tp_tfevents_count(const char *folder);

/* Returns whether a running process wrote one of them (PID above 0). Such a file has every step, which no trace has. */
bool tp_tfevents_has_live(const char *folder);

/* Removes the files that earlier exports of this host (or worker) left in the folder, except `keep`. These have PID 0
 * and can be made again from a trace. Keeps files that a running process wrote, and those of other hosts and programs.
 * Returns 0 or TP_EIO. */
int tp_tfevents_remove_older(const char *folder, const char *host, const char *keep, struct tp_error *err);

#endif
