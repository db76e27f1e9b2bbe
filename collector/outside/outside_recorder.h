/* Declares the complete state of the recorder from outside. Only outside.c, outside_attach.c and outside_seen.c include
 * this header. */
#ifndef TP_COLLECTOR_OUTSIDE_RECORDER_H
#define TP_COLLECTOR_OUTSIDE_RECORDER_H

#include <time.h>

#include "collector/outside/code/jit_names.h"
#include "collector/outside/events/perf_rings.h"
#include "collector/outside/outside.h"
#include "collector/outside/outside_backup.h"
#include "collector/outside/polling/polling_recorder.h"
#include "collector/outside/processes/exit_codes.h"
#include "collector/outside/processes/recorder_budget.h"
#include "collector/outside/processes/running_tree.h"
#include "collector/outside/processes/throttling.h"
#include "collector/outside/python/python_stacks.h"
#include "collector/outside/tree/late_exits.h"
#include "collector/outside/tree/pending.h"
#include "collector/outside/tree/record_notes.h"
#include "collector/outside/tree/usage_polls.h"
#include "collector/outside/tree/watched_processes.h"
#include "collector/outside/waiting_stacks.h"

#define TP_SECOND_NS 1000000000ll

struct tp_outside {
    struct tp_outside_options options;
    struct tp_arena arena;
    struct tp_outside_tree tree;
    struct tp_perf_rings rings;
    struct tp_recorder_budget budget;
    struct tp_outside_backup keeper;
    struct tp_python_stacks python;
    struct tp_jit_names made;
    struct tp_waiting_stacks still;
    struct tp_throttling_span throttling;
    struct tp_throttling throttled; /* throttled time of the program between the start and the end of the recording */
    bool is_throttling_known;
    struct tp_exit_codes codes;
    struct tp_pending pending;
    struct tp_record_notes notes;
    struct tp_late_exits late_exit_list;
    struct tp_usage_polls usage;
    struct tp_buf text;
    uint32_t next_thread;                           /* number of the thread whose wait the next poll examines first */
    uint64_t switch_stacks_in_poll, thread_records; /* counts of the current poll: stacks at context switches, and
                                                     * starts and exits of threads */
    uint64_t dropped_count;
    int64_t own_ns; /* processor time of this process up to the end of the recording, ns */
    int64_t begin_ns, end_ns, clock_ns, polled_ns, recording_stopped_ns;
    uint32_t out_of_sight;
    pid_t pid;
    int watch, timer;
    bool do_samples_wake_recorder, is_attached;
    struct tp_running_tree running; /* processes to which the recorder attaches */
    struct tp_id_map forked;        /* threads with a fork event since the attach, as keys */
    uint32_t unwatched;
    enum tp_outside_mode mode;
    struct tp_watched_processes watched; /* recorded processes, for events of whole CPUs */
    uint64_t stacks_of_other_processes;  /* count of stacks at context switches of processes that are not recorded */
    bool is_whole_refused;
    struct tp_polling_recorder looked;
    bool is_of_user; /* true if all processes of a user are recorded */
    uid_t user;
    struct tp_vec roots;         /* processes of the user whose parent belongs to another user; elements: uint32_t */
    struct tp_id_map candidates; /* key: process id; value: number of the last process listing that showed the
                                  * process */
    uint32_t listing;
    void (*find_new_processes)(struct tp_outside *recorder,
                               int64_t time_ns); /* function that searches for new processes of the
                                                  * user; NULL: not needed */
    int64_t processes_listed_ns;
    struct tp_error refused; /* reason why the kernel refused events, if polling is used */
};

static inline int64_t tp_outside_clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * TP_SECOND_NS + now.tv_nsec;
}

static inline int64_t tp_outside_now_ns(void)
{
    return tp_outside_clock_ns(CLOCK_MONOTONIC);
}

/* Opens the events of whole CPUs or of thread `pid`, or checks that /proc can be polled instead. Returns 0 or an error,
 * whose reason is then in recorder->refused. */
int tp_outside_open(struct tp_outside *recorder, pid_t pid);

/* Starts the recording. */
void tp_outside_start(struct tp_outside *recorder);

/* Starts polling. The caller has set the guard of the arena. recorder: a struct tp_outside. */
int tp_outside_begin_polling(void *recorder, struct tp_error *err);

/* Reads all records from the rings. */
void tp_outside_read_rings(struct tp_outside *recorder);

#endif
