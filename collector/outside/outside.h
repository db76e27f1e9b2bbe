/* Records a program and all its descendants from outside, by kernel events that are opened before its exec and read in
 * this process. Nothing is loaded into the program, it gets no signals, and it continues when the recording ends.
 *
 *     tp_outside_new(&outside, &options, err);
 *     ... fork: the child waits; tp_outside_begin(outside, pid, err); the child continues ...
 *     ... until it exits: when tp_outside_fd(outside) is readable, tp_outside_poll(outside) ...
 *     tp_outside_end(outside, status);
 *     tp_outside_write(outside, path, err);
 *     tp_outside_free(outside);
 *
 * Only one thread may use a recorder. Its memory is limited (TP_MAX_OUTSIDE_BYTES). When the limit is reached, the
 * recording stops, and the program continues. */
#ifndef TP_COLLECTOR_OUTSIDE_H
#define TP_COLLECTOR_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/base/buf.h"
#include "writer/base/error.h"

struct tp_outside;

struct tp_outside_options {
    char *const *argv; /* program and arguments, ending with NULL; borrowed until free */
    unsigned rate_hz;  /* samples per second of a running thread; 0: TP_OUTSIDE_RATE */
    bool is_whole;     /* true: uses events of whole CPUs if the kernel allows them; false: uses them only on machines
                        * with many CPUs */
};

/* Default rate of samples. It is lower than the rate inside a program, because this process reads each sample and each
 * sample contains kernel code. The rate is not a multiple of common periods of programs. */
enum { TP_OUTSIDE_RATE = 199 };

/* Creates a recorder in *out. Returns 0, and the caller frees *out. Returns TP_ENOMEM or TP_EIO with *out NULL. */
int tp_outside_new(struct tp_outside **out, const struct tp_outside_options *options, struct tp_error *err);
void tp_outside_free(struct tp_outside *outside);

/* Checks whether the kernel allows the needed events here. Returns 0, TP_EUNSUPPORTED with the reason in err, or
 * TP_ENOMEM. */
int tp_outside_probe(struct tp_error *err);

/* Opens the events of a child that has not called exec yet. If the kernel refuses them, polls /proc instead. Returns 0,
 * TP_EUNSUPPORTED with the reason in err if polling is not possible either, or TP_ENOMEM. */
int tp_outside_begin(struct tp_outside *outside, pid_t pid, struct tp_error *err);

/* Opens the events of a running process, its threads and its descendants. Nothing is loaded into the process, and it
 * continues after the recording. If the kernel refuses events, polls /proc, but only for a process of the same user.
 * Returns 0, TP_ENOTFOUND if there is no such process, TP_EUNSUPPORTED with the reason in err, or TP_ENOMEM. */
int tp_outside_attach(struct tp_outside *outside, pid_t pid, struct tp_error *err);

/* Attaches to all processes that a user runs now or starts during the recording, except this process. Returns
 * TP_ENOTFOUND if the user runs no process, otherwise the result of tp_outside_attach. */
int tp_outside_attach_user(struct tp_outside *outside, uid_t user, struct tp_error *err);

/* Preserves the recorded data if this process is killed by SIGKILL. A copy of the process then calls save, which must
 * only write the trace (tp_outside_write). At most the last second is lost. kept_fd: descriptor that stays open in the
 * copy, or -1. */
void tp_outside_set_backup_writer(struct tp_outside *outside, void (*save)(void *context), void *context, int kept_fd);

/* Returns a descriptor that becomes readable when tp_outside_poll should be called. The descriptor is valid from new to
 * free. */
int tp_outside_fd(const struct tp_outside *outside);

/* Reads the pending events. outside: a struct tp_outside; void * because struct tp_child_watch calls it. */
void tp_outside_poll(void *outside);

/* Polls /proc for the last time if the kernel refused events: after the exit of the program, but before the caller
 * waits for it with wait(2). The program is a child of this process. outside: a struct tp_outside. */
void tp_outside_read_last_facts(void *outside);

/* Ends the recording. Processes that still run are recorded up to now. status: status from wait(2); NULL if the process
 * is not a child of this one or still runs. */
void tp_outside_end(struct tp_outside *outside, const int *status);

/* Adds the samples that the preload library recorded inside the processes, from the spools in a folder. Removes the
 * threads that recorded them. Does nothing if the kernel allowed events. Call it after tp_outside_end. */
void tp_outside_add_inside(struct tp_outside *outside, const char *folder);

enum tp_outside_mode {
    TP_OUTSIDE_INHERITED, /* events that a process passes on to its children */
    TP_OUTSIDE_WHOLE,     /* events of everything that the CPUs run; records of other processes are dropped */
    TP_OUTSIDE_POLLING,   /* polling of /proc without samples; thread states are derived from the kernel's totals */
};

/* Counts of recorded and missed data; valid after tp_outside_end. */
struct tp_outside_seen {
    enum tp_outside_mode mode;
    const char *refusal;         /* reason why events were refused; "" if they were allowed; borrowed until free */
    bool is_whole_refused;       /* true if events of whole CPUs were requested and are not allowed */
    uint64_t skipped_poll_count; /* count of polls that were skipped because of their cost; 0 with events */
    size_t process_count, thread_count, sample_count;
    uint64_t lost_count;         /* count of records lost because a buffer of the kernel or of this process was full */
    uint32_t missed_arguments;   /* count of programs whose arguments could not be read in time */
    uint32_t unknown_exit_count; /* count of processes with unknown exit status */
    uint32_t out_of_sight;       /* count of processes that changed their rights and were not recorded afterwards */
    uint64_t stacks_left_out;    /* total length of the intervals in which only some context switches have a stack, in
                                  * tenths of a second */
    uint64_t cut_count;          /* count of samples whose stack is longer than the copied part */
    uint32_t dump_bytes;         /* bytes of the stack that are copied in a sample; 0: stacks rely on frame pointers */
    uint64_t python_count;       /* count of samples with Python functions */
    uint64_t unaligned_python_samples; /* count of samples in python_count whose native frames are incomplete or from
                                        * another moment */
    uint64_t failed_python_samples;    /* count of samples of threads whose Python frames could not be read */
    uint32_t python_unknown;           /* count of processes with an unknown Python version or unreadable memory */
    uint64_t complete_stack_waits;     /* count of waits whose complete stack was read during the wait */
    int64_t throttled_ns;      /* time in which a cgroup limit of processor time stopped the program, ns; -1: unknown */
    int64_t throttled_periods; /* count of the cgroup's periods in which the limit stopped the program */
    int64_t own_ns;            /* processor time of the recorder during the recording, ns */
    uint32_t budget_level;     /* highest level of savings that the recorder used to limit own_ns (recorder_budget.h) */
    uint32_t unwatched;        /* count of threads that already ran and whose events could not be opened */
    bool is_user_only;         /* true if there are no stacks of the kernel, and therefore no causes of waits */
    int64_t stopped_after_ns;  /* time until memory was full and the recording stopped, ns; 0: the recording is
                                * complete */
};

struct tp_outside_seen tp_outside_seen(const struct tp_outside *outside);

/* Appends a list of all data that could not be recorded, separated by commas. Appends nothing if everything was
 * recorded. */
void tp_outside_put_missed_text(struct tp_buf *text, const struct tp_outside_seen *seen);

/* Appends the same data as tp_outside_put_missed_text, as a JSON object for the trace. */
void tp_outside_put_missed_json(struct tp_buf *json, const struct tp_outside_seen *seen);

/* Appends some of the processes that still run, as "NAME (PID), NAME (PID)". Returns the number of all running
 * processes. Call this function after tp_outside_end. */
size_t tp_outside_list_running(const struct tp_outside *outside, struct tp_buf *names);

/* Writes the trace. Call this function after tp_outside_end. Returns 0, TP_EIO or TP_ENOMEM. */
int tp_outside_write(struct tp_outside *outside, const char *path, struct tp_error *err);

#endif
