/* What /proc tells of a living process. Nothing is kept; any thread. */
#ifndef TP_COLLECTOR_OUTSIDE_PROCESSES_PROC_LOOKS_H
#define TP_COLLECTOR_OUTSIDE_PROCESSES_PROC_LOOKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

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

/* Its user; false: it is not there. */
bool tp_proc_user(uid_t *user, uint32_t pid);

/* True where it is of the user that we are. */
bool tp_proc_is_ours(uint32_t pid);

/* Calls take for each process of the system. */
void tp_proc_each(void (*take)(void *context, uint32_t pid), void *context);

/* What /proc/PID/stat says of a process. */
struct tp_proc_stat {
    char name[16];
    char state; /* 'R', 'S', 'D', 'Z' .. */
    bool is_ending; /* it has begun to end */
    bool is_kernel; /* a thread of the kernel's own */
    uint32_t parent, thread_count;
    uint64_t started;  /* not the same for two processes of one number */
    uint64_t words_at; /* where its words lie: elsewhere after each exec; 0: that may not be seen */
    int status;        /* of one that is over and waits for its parent: as wait(2) has it */
};

/* False: it is not there. */
bool tp_proc_read_stat(struct tp_proc_stat *stat, uint32_t pid, struct tp_buf *text);

/* Nanoseconds that a thread ran, and that it was ready and had no CPU, both as far as the kernel has counted. False: the
 * thread is not there. */
bool tp_proc_read_times(int64_t *running_ns, int64_t *ready_ns, uint32_t pid, uint32_t tid, struct tp_buf *text);

/* The threads of a process, the one of its own number first; returns how many, at most `room`. 0: it is not there. */
size_t tp_proc_list_threads(uint32_t *tids, size_t room, uint32_t pid);

/* Calls take for each process that this thread has begun and that is there. */
void tp_proc_each_child(uint32_t pid, uint32_t tid, struct tp_buf *text,
                        void (*take)(void *context, uint32_t child), void *context);

/* How far a process has come: gone, or over and waiting for its parent; on its way there, which takes a while where it had
 * much memory; neither. */
enum tp_proc_life { TP_PROC_OVER, TP_PROC_ENDING, TP_PROC_ALIVE };
enum tp_proc_life tp_proc_life(uint32_t pid, struct tp_buf *text);

#endif
