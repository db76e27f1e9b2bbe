/* Reads facts about living processes from /proc. Stores nothing, so any thread may call these functions. */
#ifndef TP_COLLECTOR_OUTSIDE_PROCESSES_PROC_FILES_H
#define TP_COLLECTOR_OUTSIDE_PROCESSES_PROC_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/base/buf.h"

/* Memory and I/O of a process. Members whose value cannot be read are not changed. */
struct tp_proc_usage {
    int64_t resident_bytes;
    int64_t read_call_bytes, write_call_bytes; /* bytes moved by system calls: rchar, wchar of /proc/PID/io */
    int64_t read_disk_bytes,
        write_disk_bytes; /* bytes moved to and from disks: read_bytes, write_bytes of /proc/PID/io */
};

/* Reads /proc/PID/NAME into `text` and adds a NUL. Stops at the limit of the buffer. Returns false if nothing could be
 * read. */
bool tp_proc_load_file(struct tp_buf *text, uint32_t pid, const char *name);

/* Reads /proc/PID/statm and /proc/PID/io. Returns false if both fail. text: scratch buffer. */
bool tp_proc_read_usage(struct tp_proc_usage *usage, uint32_t pid, struct tp_buf *text);

/* Reads the arguments of a process into `text`, each followed by a NUL. Returns false if none exist, for example
 * during an exec. */
bool tp_proc_read_arguments(struct tp_buf *text, uint32_t pid);

/* Sets *user to the owner of a process. Returns false if the process does not exist. */
bool tp_proc_read_user(uid_t *user, uint32_t pid);

/* Returns whether the process has the same user as this process. */
bool tp_proc_is_same_user(uint32_t pid);

/* Calls `take` for each process of the system. */
void tp_proc_each_process(void (*take)(void *context, uint32_t pid), void *context);

/* Fields of /proc/PID/stat. */
struct tp_proc_stat {
    char name[16];
    char state;     /* state of the process: 'R', 'S', 'D', 'Z' .. */
    bool is_ending; /* true if the process is exiting */
    bool is_kernel; /* true for a kernel thread */
    uint32_t parent, thread_count;
    uint64_t started;      /* start time in clock ticks since boot; distinguishes two processes with the same id */
    uint64_t arguments_at; /* address of the arguments in memory, which changes at each exec; 0: not readable */
    int status;            /* exit status, as wait(2) returns it; only for a process that has exited and waits for its
                            * parent */
};

/* Reads /proc/PID/stat. Returns false if the process does not exist. text: scratch buffer. */
bool tp_proc_read_stat(struct tp_proc_stat *stat, uint32_t pid, struct tp_buf *text);

/* Reads the kernel's totals of a thread, ns: how long it ran, and how long it was ready without a CPU. Returns false if
 * the thread does not exist. */
bool tp_proc_read_times(int64_t *running_ns, int64_t *ready_ns, uint32_t pid, uint32_t tid, struct tp_buf *text);

/* Fills `tids` with the thread ids of a process, main thread first. Returns their number, at most `room`; 0: the
 * process does not exist. */
size_t tp_proc_list_threads(uint32_t *tids, size_t room, uint32_t pid);

/* Calls `take` for each living process that thread `tid` of process `pid` has started. */
void tp_proc_each_child(uint32_t pid, uint32_t tid, struct tp_buf *text, void (*take)(void *context, uint32_t child),
                        void *context);

/* State of a process. TP_PROC_OVER: does not exist, or has exited and waits for its parent. TP_PROC_ENDING: is exiting,
 * which takes time with much memory. */
enum tp_proc_life { TP_PROC_OVER, TP_PROC_ENDING, TP_PROC_ALIVE };
enum tp_proc_life tp_proc_life(uint32_t pid, struct tp_buf *text);

#endif
