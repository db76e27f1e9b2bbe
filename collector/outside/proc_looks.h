/* What /proc tells of a living process. Nothing is kept; any thread. */
#ifndef TP_COLLECTOR_OUTSIDE_PROC_LOOKS_H
#define TP_COLLECTOR_OUTSIDE_PROC_LOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/buf.h"

/* Memory and I/O of a process. Fields that could not be read stay as they are. */
struct tp_proc_usage {
    int64_t resident_bytes;
    int64_t read_call_bytes, write_call_bytes; /* by system calls: rchar, wchar */
    int64_t read_disk_bytes, write_disk_bytes; /* read_bytes, write_bytes */
};

/* All of /proc/PID/NAME, NUL-terminated, or as much as `text` may hold; false: nothing could be read. */
bool tp_proc_load(struct tp_buf *text, uint32_t pid, const char *name);

/* Reads /proc/PID/statm and /proc/PID/io; `text` is room for that. False: neither could be read. */
bool tp_proc_read_usage(struct tp_proc_usage *usage, uint32_t pid, struct tp_buf *text);

/* Its words, each with a NUL behind it, into `text`; false: it has none, as in the first moments of an exec. */
bool tp_proc_read_words(struct tp_buf *text, uint32_t pid);

/* How far a process has come: gone, or over and waiting for its parent; on its way there, which takes a while where it had
 * much memory; neither. */
enum tp_proc_life { TP_PROC_OVER, TP_PROC_ENDING, TP_PROC_ALIVE };
enum tp_proc_life tp_proc_life(uint32_t pid, struct tp_buf *text);

#endif
