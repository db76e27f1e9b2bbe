/* Opens kernel events that a process passes on to all its descendants, and reads their ring buffers.
 *
 * Each CPU has two rings. One ring contains samples, context switches, mappings, forks and exits, and is read from
 * time to time. The other, small ring contains names of programs. Its reader wakes for each record, so that a
 * short-lived process can be examined while it exists. Nothing is loaded into the program, and the program never
 * waits. Only one thread may use this module. */
#ifndef TP_COLLECTOR_OUTSIDE_EVENTS_PERF_RINGS_H
#define TP_COLLECTOR_OUTSIDE_EVENTS_PERF_RINGS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/base/error.h"

struct tp_perf_ring {
    int fd, cpu;
    char *map;
    size_t bytes;      /* size of the ring's data in bytes, a power of two */
    bool is_name_ring; /* true: a name ring, whose records only wake the recorder, because the other rings contain them
                        * too */
    uint64_t limit;    /* position at which the last tp_perf_rings_scan ended; only with events of whole CPUs */
};

struct tp_perf_rings {
    struct tp_perf_ring *rings;
    size_t count;
    int *stack_fds; /* descriptors of the events that record stacks at context switches; each event writes into the ring
                     * of its CPU */
    uint64_t *stack_ids;
    size_t stack_event_count;
    int *other_fds; /* events of threads that existed before the recording; their records are in the rings of the
                     * CPUs */
    size_t other_count, room, cpu_count;
    unsigned rate_hz;
    bool has_stack_events_and_name_rings; /* true if stacks are recorded at context switches and name rings exist */
    bool is_attached;                     /* true if attached to running processes, so that events start immediately */
    bool is_whole;                        /* true if events cover everything that the CPUs run */
    uint32_t dump_bytes;                  /* bytes of the stack in each sample; 0: no copy of the stack */
    bool is_user_only;                    /* true if the kernel does not allow stacks that contain kernel functions */
    bool are_switch_stacks_off;
    int64_t window_ns;                  /* start of the interval of switch_stacks_in_interval, ns */
    uint64_t switch_stacks_in_interval; /* count of stacks at context switches in the interval */
    bool are_name_rings_paused;         /* true while the name rings are paused */
    int64_t name_interval_ns;           /* start of the interval of thread_records, ns */
    uint64_t thread_records;            /* count of starts and exits of threads in the interval */
    uint64_t limited_interval_count;    /* number of intervals in which stacks reached their limit, so that only some
                                         * context switches have a stack */
    void *copy;                         /* buffer for a record that wraps around the end of its ring */
};

/* Returns whether the machine has so many CPUs that inherited events slow a fork more than events of whole CPUs do. */
bool tp_perf_rings_has_many_cpus(void);

/* Opens the events of thread `pid` with rate_hz samples per second. The events start at the thread's exec, or
 * immediately with is_attached. pid -1: opens events of everything that the CPUs run, which start immediately and are
 * not inherited. Returns 0 on success. Returns TP_EUNSUPPORTED with advice in err if the kernel refuses the events,
 * TP_ENOTFOUND if the thread has exited, or TP_ENOMEM. The caller releases the rings also after an error. */
int tp_perf_rings_open(struct tp_perf_rings *rings, pid_t pid, unsigned rate_hz, bool is_attached,
                       struct tp_error *err);

/* Adds the events of another running thread to the rings. Returns 0 or an errno: ESRCH if the thread has exited, or
 * EMFILE. */
int tp_perf_rings_add_thread(struct tp_perf_rings *rings, pid_t tid);

void tp_perf_rings_release(struct tp_perf_rings *rings);

/* Closes the events. Statistics can be read until release. */
void tp_perf_rings_close(struct tp_perf_rings *rings);

/* Calls `take` for each FORK record in the rings of whole CPUs, but leaves all records in the rings. The next
 * tp_perf_rings_read reads up to the same position. A FORK record precedes all other records of its process. So the
 * caller knows the process of each record before it reads the record. */
void tp_perf_rings_scan(struct tp_perf_rings *rings, void (*take)(void *context, const struct perf_event_header *head),
                        void *context);

/* Calls `take` for each record, ring by ring. The record is aligned and valid during the call. */
void tp_perf_rings_read(struct tp_perf_rings *rings, void (*take)(void *context, const struct perf_event_header *head),
                        void *context);

/* Returns whether the event with this id records stacks at context switches. */
bool tp_perf_rings_is_switch_event(const struct tp_perf_rings *rings, uint64_t event_id);

/* Keeps the number of stacks recorded at context switches within a limit. count: stacks since the last call. */
void tp_perf_rings_limit_stacks(struct tp_perf_rings *rings, uint64_t count, int64_t now_ns);

/* Pauses the name rings while many threads start and exit. count: records of starts and exits since the last call.
 * While the rings are paused, the arguments of new programs are read only at polls. */
void tp_perf_rings_pause_names(struct tp_perf_rings *rings, uint64_t count, int64_t now_ns);

/* Stops recording stacks at context switches. */
void tp_perf_rings_end_stacks(struct tp_perf_rings *rings);

/* Opens an extra event only for thread `tid`, which stops the kernel from exchanging the thread's events with other
 * threads (outside_tree.c). Returns the descriptor, which the caller closes, or -1. */
int tp_perf_open_thread_event(pid_t tid);

#endif
