/* Records a program and all its descendants from outside, by kernel events that are opened before its exec and read in
 * this process. Nothing is loaded into the program, it gets no signals, and it continues when the recording ends.
 *
 *     tp_outside_new(&outside, &options, err);
 *     ... fork: the child waits; tp_outside_begin(outside, pid, err); the child continues ...
 *     ... until it exits: when tp_outside_fd(outside) is readable, tp_outside_look(outside) ...
 *     tp_outside_end(outside, status);
 *     tp_outside_write(outside, path, err);
 *     tp_outside_free(outside);
 *
 * One thread. Memory is limited (TP_MAX_OUTSIDE_BYTES). What does not fit is not recorded, and the program
 * continues. */
#ifndef TP_COLLECTOR_OUTSIDE_H
#define TP_COLLECTOR_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/base/buf.h"
#include "writer/base/error.h"

struct tp_outside;

struct tp_outside_options {
    char *const *argv; /* the program and its arguments; borrowed until free */
    unsigned rate_hz;  /* samples per second of a running thread; 0: TP_OUTSIDE_RATE */
    bool is_whole;     /* use events of whole CPUs if allowed; otherwise only on machines with many CPUs */
};

/* Default rate. It is lower than inside, because this process reads each sample and each includes kernel code. It
 * divides no common period of programs. */
enum { TP_OUTSIDE_RATE = 199 };

/* Returns 0 and sets *out, to be freed; or TP_ENOMEM or TP_EIO with *out NULL. */
int tp_outside_new(struct tp_outside **out, const struct tp_outside_options *options, struct tp_error *err);
void tp_outside_free(struct tp_outside *outside);

/* Checks whether the kernel allows its events here. Returns 0; TP_EUNSUPPORTED with the reason in err; TP_ENOMEM. */
int tp_outside_probe(struct tp_error *err);

/* Opens the events of a child that has not called exec yet. If the kernel refuses them, /proc is polled instead.
 * Returns 0; TP_EUNSUPPORTED with the reason in err if that is not possible either; TP_ENOMEM. */
int tp_outside_begin(struct tp_outside *outside, pid_t pid, struct tp_error *err);

/* Opens the events of a running process, its threads and its descendants. Nothing is loaded into it, and it continues
 * after the recording. If the kernel refuses events, /proc is polled for a process of our user. Returns 0, TP_ENOTFOUND
 * if there is no such process, TP_EUNSUPPORTED with the reason in err, or TP_ENOMEM. */
int tp_outside_attach(struct tp_outside *outside, pid_t pid, struct tp_error *err);

/* Does the same for all processes that a user runs or starts meanwhile, except this one. Returns TP_ENOTFOUND if the
 * user runs nothing, otherwise the same as tp_outside_attach. */
int tp_outside_attach_user(struct tp_outside *outside, uid_t user, struct tp_error *err);

/* Preserves the recorded data if this process is killed by SIGKILL. A copy of the process then calls save, which must
 * only write the trace (tp_outside_write). At most the last second is lost. kept_fd: descriptor that stays open in the
 * copy, or -1. */
void tp_outside_keep(struct tp_outside *outside, void (*save)(void *context), void *context, int kept_fd);

/* Returns a descriptor that becomes readable when tp_outside_look should be called. Valid from new to free. */
int tp_outside_fd(const struct tp_outside *outside);

/* Reads the pending events. outside: a struct tp_outside, as struct tp_child_watch requires. */
void tp_outside_look(void *outside);

/* Reads what /proc still has of the program, a child of this process that has exited and was not waited for. outside:
 * as above. */
void tp_outside_ended(void *outside);

/* Ends the recording. status: status from wait(2), or NULL if the process is not our child or still runs. Processes
 * that still run are recorded up to now. */
void tp_outside_end(struct tp_outside *outside, const int *status);

/* Adds the samples that processes took inside, from the spools in a folder, and removes the threads that took them.
 * Does nothing if the kernel allowed events. Call it after tp_outside_end. */
void tp_outside_add_inside(struct tp_outside *outside, const char *folder);

enum tp_outside_mode {
    TP_OUTSIDE_INHERITED, /* events that a process passes on to its children */
    TP_OUTSIDE_WHOLE,     /* events of everything that the CPUs run; other processes are dropped */
    TP_OUTSIDE_BY_LOOKS,  /* polling of /proc: no samples; states are derived from totals */
};

/* What was recorded and what was missed. Valid after the end. */
struct tp_outside_seen {
    enum tp_outside_mode mode;
    const char *refusal;     /* why events were refused; "" if they were allowed; borrowed until free */
    bool is_whole_refused;   /* whole CPUs were requested and are not allowed */
    uint64_t looks_left_out; /* when polling: polls that were skipped because of their cost */
    size_t process_count, thread_count, sample_count;
    uint64_t lost_count;       /* records that the kernel or this process had no room for */
    uint32_t missed_words;     /* programs whose arguments could not be read in time */
    uint32_t missed_ends;      /* processes with unknown exit status */
    uint32_t out_of_sight;     /* processes that changed their rights and were not recorded afterwards */
    uint64_t stacks_left_out;  /* tenths of a second in which only some switches have a stack */
    uint64_t cut_count;        /* samples whose stack is longer than the copied part */
    uint32_t dump_bytes;       /* bytes copied of the stack of a sample; 0: stacks rely on frame pointers */
    uint64_t python_count;     /* samples with Python functions */
    uint64_t python_unaligned; /* of these: the native frames are from another moment, or cut */
    uint64_t python_failed;    /* samples of threads whose Python frames could not be read */
    uint32_t python_unknown;   /* processes with an unknown Python version, or with unreadable memory */
    uint64_t whole_waits;      /* waits whose complete stack was read while they lasted */
    int64_t throttled_ns;      /* time in which a cgroup limit of processor time stopped the program; -1: unknown */
    int64_t throttled_periods; /* periods with such a stop */
    int64_t own_ns;            /* processor time of the recorder during the recording */
    uint32_t budget_level;     /* highest level of savings to limit that time: own_budget.h */
    uint32_t unwatched;        /* running threads that could not be watched */
    bool is_user_only;         /* no stacks of the kernel, so no causes of waits */
    int64_t stopped_after_ns;  /* memory was full from this time on; 0: the recording is complete */
};

struct tp_outside_seen tp_outside_seen(const struct tp_outside *outside);

/* Appends a list, separated by commas, of everything that could not be recorded. Appends nothing if everything was. */
void tp_outside_word(struct tp_buf *text, const struct tp_outside_seen *seen);

/* Appends the same facts as a JSON object for the trace. */
void tp_outside_put(struct tp_buf *json, const struct tp_outside_seen *seen);

/* Appends some of the processes that still run, as "NAME (PID), NAME (PID)". Returns how many run. Call it after the
 * end. */
size_t tp_outside_living(const struct tp_outside *outside, struct tp_buf *names);

/* Writes the trace. Call it after the end. Returns 0, TP_EIO, TP_ENOMEM. */
int tp_outside_write(struct tp_outside *outside, const char *path, struct tp_error *err);

#endif
