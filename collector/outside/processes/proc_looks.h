/* Reads facts about living processes from /proc. Stores nothing; any thread. */
#ifndef TP_COLLECTOR_OUTSIDE_PROCESSES_PROC_LOOKS_H
#define TP_COLLECTOR_OUTSIDE_PROCESSES_PROC_LOOKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/base/buf.h"

/* Memory and I/O of a process. Fields that cannot be read are not changed. */
struct tp_proc_usage {
    int64_t resident_bytes;
    int64_t read_call_bytes, write_call_bytes; /* through system calls: rchar, wchar */
    int64_t read_disk_bytes, write_disk_bytes; /* read_bytes, write_bytes */
};

/* Reads /proc/PID/NAME, NUL-terminated, as much as `text` can have. Returns false if nothing could be read. */
bool tp_proc_load(struct tp_buf *text, uint32_t pid, const char *name);

/* Reads /proc/PID/statm and /proc/PID/io. Returns false if both fail. text: scratch buffer. */
bool tp_proc_read_usage(struct tp_proc_usage *usage, uint32_t pid, struct tp_buf *text);

/* Reads the arguments of a process, each with a NUL, into `text`. Returns false if none exist, as at the beginning
 * of an exec. */
bool tp_proc_read_words(struct tp_buf *text, uint32_t pid);

/* Gets the user of a process. Returns false if it does not exist. */
bool tp_proc_user(uid_t *user, uint32_t pid);

/* Returns whether the process belongs to our user. */
bool tp_proc_is_ours(uint32_t pid);

/* Calls take for each process of the system. */
void tp_proc_each(void (*take)(void *context, uint32_t pid), void *context);

/* Fields of /proc/PID/stat. */
struct tp_proc_stat {
    char name[16];
    char state;     /* 'R', 'S', 'D', 'Z' .. */
    bool is_ending; /* is exiting */
    bool is_kernel; /* a kernel thread */
    uint32_t parent, thread_count;
    uint64_t started;  /* start time, which distinguishes two processes of the same number */
    uint64_t words_at; /* address of its arguments, which changes at each exec; 0: not readable */
    int status;        /* of a zombie: the status of wait(2) */
};

/* Returns false if the process does not exist. */
bool tp_proc_read_stat(struct tp_proc_stat *stat, uint32_t pid, struct tp_buf *text);

/* Reads how long a thread ran, and how long it was ready without a CPU, in ns, according to the kernel. Returns false
 * if the thread does not exist. */
bool tp_proc_read_times(int64_t *running_ns, int64_t *ready_ns, uint32_t pid, uint32_t tid, struct tp_buf *text);

/* Lists the threads of a process, the main thread first. Returns their number, at most `room`; 0: the process does not
 * exist. */
size_t tp_proc_list_threads(uint32_t *tids, size_t room, uint32_t pid);

/* Calls take for each living process that this thread has started. */
void tp_proc_each_child(uint32_t pid, uint32_t tid, struct tp_buf *text, void (*take)(void *context, uint32_t child),
                        void *context);

/* State of a process. It is over if it is gone or only waits for its parent. Exiting takes time if the process has much
 * memory. */
enum tp_proc_life { TP_PROC_OVER, TP_PROC_ENDING, TP_PROC_ALIVE };
enum tp_proc_life tp_proc_life(uint32_t pid, struct tp_buf *text);

#endif
