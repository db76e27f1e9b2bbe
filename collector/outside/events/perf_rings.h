/* Events of the kernel that a process hands on to all that it starts, and the rings in which they tell.
 *
 * Of each CPU two rings: one with samples, switches, mappings, forks and ends, which is read from time to time; a small
 * one with names of programs, whose reader is woken by each, so that what has to be asked of a short process is asked
 * while it is there. Nothing is loaded into the program, and it waits for nobody. One thread. */
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
    size_t bytes;     /* of its data, a power of two */
    bool is_of_names; /* its records only wake the recorder: the other rings have the same records */
    uint64_t limit;   /* of whole CPUs: what was there at the last scan */
};

struct tp_perf_rings {
    struct tp_perf_ring *rings;
    size_t count;
    int *stack_fds; /* events that tell stacks of switches, into the rings of their CPUs */
    uint64_t *stack_ids;
    size_t stack_count;
    int *other_fds; /* events of threads that were there before, into the same rings */
    size_t other_count, room, cpu_count;
    unsigned rate_hz;
    bool has_all;     /* stacks of switches and a ring for names */
    bool is_attached; /* to what runs: events begin at once */
    bool is_whole;    /* events of all that the CPUs run */
    uint32_t dump_bytes; /* of its stack with each sample; 0: none */
    bool is_user_only; /* the kernel shows no stacks of its own to us */
    bool stacks_are_off;
    int64_t window_ns;      /* begin of the time for which window_stacks counts */
    uint64_t window_stacks; /* stacks of switches in it */
    bool names_are_silent;   /* the rings of names take no records */
    int64_t calm_ns;         /* time from which on thread_records counts */
    uint64_t thread_records; /* begins and ends of threads since then */
    uint64_t windows_spent; /* windows in which not all switches had a stack */
    void *copy;             /* of a record that lies around the end of its ring */
};

/* So many CPUs that inherited events would cost each fork more than events of whole CPUs cost. */
bool tp_perf_rings_has_many_cpus(void);

/* Opens the events of thread `pid`, which begin at its exec, is_attached: at once; rate_hz samples a second. pid -1: of
 * all that the CPUs run, at once, and no event is inherited. Returns 0;
 * TP_EUNSUPPORTED: the kernel refuses them, err says how; TP_ENOTFOUND: it is over; TP_ENOMEM. Release it after an
 * error, too. */
int tp_perf_rings_open(struct tp_perf_rings *rings, pid_t pid, unsigned rate_hz, bool is_attached,
                       struct tp_error *err);

/* Another thread that runs, into the same rings. Returns 0 or an errno: ESRCH, it is over; EMFILE. */
int tp_perf_rings_add(struct tp_perf_rings *rings, pid_t tid);

void tp_perf_rings_release(struct tp_perf_rings *rings);

/* Closes the events before the end; what is known of them stays until release. */
void tp_perf_rings_close(struct tp_perf_rings *rings);

/* Of whole CPUs: calls take for each FORK record that is there, which stay, before tp_perf_rings_read reads what was
 * there at the begin of this call: a process has a FORK record before it does anything. */
void tp_perf_rings_scan(struct tp_perf_rings *rings,
                        void (*take)(void *context, const struct perf_event_header *head), void *context);

/* Calls take for each record that is there, ring after ring; the record is valid for the call, and aligned. */
void tp_perf_rings_read(struct tp_perf_rings *rings, void (*take)(void *context, const struct perf_event_header *head),
                        void *context);

/* True for a sample of an event that tells stacks of switches. */
bool tp_perf_rings_is_switch(const struct tp_perf_rings *rings, uint64_t event_id);

/* Keeps stacks of switches within their budget; `count` were told since the last call. */
void tp_perf_rings_budget(struct tp_perf_rings *rings, uint64_t count, int64_t now_ns);

/* Pauses the rings of names while many threads begin and end. count: such records since the last call. While the rings
 * are paused, the words of new programs are read at looks only. */
void tp_perf_rings_calm(struct tp_perf_rings *rings, uint64_t count, int64_t now_ns);

/* No stacks of switches from now on. */
void tp_perf_rings_end_stacks(struct tp_perf_rings *rings);

/* An event of thread `tid` alone, or -1; see outside_tree.c. The caller closes it. */
int tp_perf_keep_apart(pid_t tid);

#endif
