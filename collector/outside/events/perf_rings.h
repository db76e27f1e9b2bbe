/* Opens kernel events that a process passes on to all its descendants, and reads their ring buffers.
 *
 * Each CPU has two rings. One has samples, switches, mappings, forks and exits, and is read from time to time. A small
 * one has names of programs and wakes its reader for each record, so that a short-lived process can be examined while
 * it exists. Nothing is loaded into the program, and it never waits. One thread. */
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
    size_t bytes;     /* size of its data, a power of two */
    bool is_of_names; /* its records only wake the recorder: the other rings have the same records */
    uint64_t limit;   /* for whole CPUs: end of the data at the last scan */
};

struct tp_perf_rings {
    struct tp_perf_ring *rings;
    size_t count;
    int *stack_fds; /* events that write stacks of switches into the rings of their CPUs */
    uint64_t *stack_ids;
    size_t stack_count;
    int *other_fds; /* events of threads that existed before, writing into the same rings */
    size_t other_count, room, cpu_count;
    unsigned rate_hz;
    bool has_all;        /* stacks of switches are recorded, and there are rings for names */
    bool is_attached;    /* attached to running processes: events start immediately */
    bool is_whole;       /* events of everything that the CPUs run */
    uint32_t dump_bytes; /* bytes of the stack in each sample; 0: none */
    bool is_user_only;   /* the kernel does not allow its own stacks */
    bool stacks_are_off;
    int64_t window_ns;       /* start of the interval in which window_stacks counts */
    uint64_t window_stacks;  /* stacks of switches in the interval */
    bool names_are_silent;   /* the rings of names are paused */
    int64_t calm_ns;         /* start of the interval in which thread_records counts */
    uint64_t thread_records; /* starts and exits of threads in the interval */
    uint64_t windows_spent;  /* intervals in which only some switches had a stack */
    void *copy;              /* buffer for a record that wraps around the end of its ring */
};

/* Returns whether there are so many CPUs that inherited events would cost each fork more than events of whole CPUs. */
bool tp_perf_rings_has_many_cpus(void);

/* Opens the events of thread `pid` with rate_hz samples per second. They start at its exec, or with is_attached
 * immediately. pid -1: opens events of everything that the CPUs run, which start immediately and are not inherited.
 * Returns 0, TP_EUNSUPPORTED with advice in err if the kernel refuses them, TP_ENOTFOUND if the thread has exited, or
 * TP_ENOMEM. Release the rings also after an error. */
int tp_perf_rings_open(struct tp_perf_rings *rings, pid_t pid, unsigned rate_hz, bool is_attached,
                       struct tp_error *err);

/* Adds another running thread to the same rings. Returns 0 or an errno: ESRCH if the thread has exited, or EMFILE. */
int tp_perf_rings_add(struct tp_perf_rings *rings, pid_t tid);

void tp_perf_rings_release(struct tp_perf_rings *rings);

/* Closes the events before the end; their statistics stay until release. */
void tp_perf_rings_close(struct tp_perf_rings *rings);

/* Calls take for each FORK record in the rings of whole CPUs without removing it. tp_perf_rings_read then reads up to
 * the same position. This works because a process has a FORK record before it does anything. */
void tp_perf_rings_scan(struct tp_perf_rings *rings, void (*take)(void *context, const struct perf_event_header *head),
                        void *context);

/* Calls take for each record, ring by ring. The record is aligned and valid during the call. */
void tp_perf_rings_read(struct tp_perf_rings *rings, void (*take)(void *context, const struct perf_event_header *head),
                        void *context);

/* Returns whether an event records stacks of switches. */
bool tp_perf_rings_is_switch(const struct tp_perf_rings *rings, uint64_t event_id);

/* Keeps the stacks of switches within their limit. count: stacks since the last call. */
void tp_perf_rings_budget(struct tp_perf_rings *rings, uint64_t count, int64_t now_ns);

/* Pauses the rings of names while many threads start and exit. count: such records since the last call. While the rings
 * are paused, the arguments of new programs are read only at polls. */
void tp_perf_rings_calm(struct tp_perf_rings *rings, uint64_t count, int64_t now_ns);

/* Switches stacks of switches off for good. */
void tp_perf_rings_end_stacks(struct tp_perf_rings *rings);

/* Opens an event of thread `tid` alone and returns its descriptor, or -1; see outside_tree.c. The caller closes it. */
int tp_perf_keep_apart(pid_t tid);

#endif
