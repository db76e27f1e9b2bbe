/* A program and all that it starts, recorded from outside: by events of the kernel, which are opened before its exec
 * and read in this process. Nothing is loaded into the program, no signal reaches it, and it goes on when we end.
 *
 *     tp_outside_new(&outside, &options, err);
 *     ... fork: the child waits; tp_outside_begin(outside, pid, err); the child goes on ...
 *     ... until it is over: when tp_outside_fd(outside) can be read, tp_outside_look(outside) ...
 *     tp_outside_end(outside, status);
 *     tp_outside_write(outside, path, err);
 *     tp_outside_free(outside);
 *
 * One thread. Memory is bounded (TP_MAX_OUTSIDE_BYTES): what does not fit is not recorded, the program goes on. */
#ifndef TP_COLLECTOR_OUTSIDE_H
#define TP_COLLECTOR_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/base/buf.h"
#include "writer/base/error.h"

struct tp_outside;

struct tp_outside_options {
    char *const *argv; /* PROGRAM and its arguments; borrowed until free */
    unsigned rate_hz;  /* samples a second of a thread that runs; 0: TP_OUTSIDE_RATE */
    bool is_whole;     /* by events of whole CPUs, where that is allowed; else only where there are many CPUs */
};

/* Fewer than from inside: each is read by us, and has what the kernel did, too. No divisor of what programs do
 * regularly. */
enum { TP_OUTSIDE_RATE = 199 };

/* Returns 0 with *out to be freed, or TP_ENOMEM, TP_EIO with *out NULL. */
int tp_outside_new(struct tp_outside **out, const struct tp_outside_options *options, struct tp_error *err);
void tp_outside_free(struct tp_outside *outside);

/* Whether the kernel allows its events here. Returns 0, or TP_EUNSUPPORTED: err says why not in a few words;
 * TP_ENOMEM. */
int tp_outside_probe(struct tp_error *err);

/* Opens the events of a child that has not called exec yet. Where the kernel refuses them it is recorded by looks at
 * /proc. Returns 0; TP_EUNSUPPORTED: that cannot be either, err says why in a few words; TP_ENOMEM. */
int tp_outside_begin(struct tp_outside *outside, pid_t pid, struct tp_error *err);

/* Opens the events of a process that runs, of its threads and of what it has started. Nothing is put into it, and it
 * goes on after the end. Where the kernel refuses them one of our user is recorded by looks at /proc. Returns 0;
 * TP_ENOTFOUND: there is no such process; TP_EUNSUPPORTED: it cannot be recorded, err says why in a few words;
 * TP_ENOMEM. */
int tp_outside_attach(struct tp_outside *outside, pid_t pid, struct tp_error *err);

/* The same of all that a user runs and begins meanwhile, but us. Returns 0; TP_ENOTFOUND: the user runs nothing;
 * else as above. */
int tp_outside_attach_user(struct tp_outside *outside, uid_t user, struct tp_error *err);

/* Keeps what is seen if this process is killed by SIGKILL. A copy of the process then calls save, which writes the
 * trace (tp_outside_write) and does nothing else. At most the last second is lost. kept_fd: descriptor that stays
 * open in the copy; -1: none. */
void tp_outside_keep(struct tp_outside *outside, void (*save)(void *context), void *context, int kept_fd);

/* A descriptor that can be read when it is time for tp_outside_look. Valid from new to free. */
int tp_outside_fd(const struct tp_outside *outside);

/* Reads what has happened; `outside` is a struct tp_outside, as struct tp_child_watch has it. */
void tp_outside_look(void *outside);

/* The program, a child of ours, is over and was not waited for: what /proc still has of it is read; `outside` as
 * above. */
void tp_outside_ended(void *outside);

/* The program is over: *status as wait(2) has it; NULL: it is not our child, or goes on. What still lives of the run is
 * recorded until now. */
void tp_outside_end(struct tp_outside *outside, const int *status);

/* Where the kernel refuses events: the samples that processes took inside, in the spools of a folder, are of the
 * recording, too, and the threads that took them are not. Else nothing. After tp_outside_end. */
void tp_outside_add_inside(struct tp_outside *outside, const char *folder);

enum tp_outside_mode {
    TP_OUTSIDE_INHERITED, /* events that a process hands on to what it starts */
    TP_OUTSIDE_WHOLE,     /* events of all that the CPUs run: what is not of the tree is dropped */
    TP_OUTSIDE_BY_LOOKS,  /* looks at /proc: no samples, states by totals */
};

/* What was seen. After the end. */
struct tp_outside_seen {
    enum tp_outside_mode mode;
    const char *refusal; /* of events, in words; "" where they were allowed; borrowed until free */
    bool is_whole_refused; /* it was asked for and is not allowed */
    uint64_t looks_left_out; /* by looks: those that would have cost too much */
    size_t process_count, thread_count, sample_count;
    uint64_t lost_count;      /* records that the kernel or we had no room for */
    uint32_t missed_words;    /* programs whose words were gone before we came */
    uint32_t missed_ends;     /* processes of which it is not known how they ended */
    uint32_t out_of_sight;    /* processes that took other rights, and are not seen from then on */
    uint64_t stacks_left_out; /* tenths of a second in which not every switch had a stack */
    uint64_t cut_count;       /* samples whose stack goes on behind what was copied of it */
    uint32_t dump_bytes;      /* copied of a sample's stack; 0: stacks are as far as there are frame pointers */
    uint64_t python_count;    /* samples with functions of Python */
    uint64_t python_unaligned; /* of these: the native frames are of another moment, or cut */
    uint64_t python_failed;   /* samples of threads whose frames could not be read */
    uint32_t python_unknown;  /* processes whose Python is not known, or whose memory may not be read */
    uint64_t whole_waits;     /* waits whose whole stack was read while they lasted */
    int64_t throttled_ns;     /* held back by a limit of processor time, in its groups of control; -1: not known */
    int64_t throttled_periods; /* in which it was */
    int64_t own_ns;           /* processor time of the recorder while it recorded */
    uint32_t budget_level;    /* what was left out to keep that small: own_budget.h */
    uint32_t unwatched;       /* threads that ran already and cannot be watched */
    bool is_user_only;        /* no stacks of the kernel, so no causes of waits */
    int64_t stopped_after_ns; /* the recording had no more room from then on; 0: it is whole */
};

struct tp_outside_seen tp_outside_seen(const struct tp_outside *outside);

/* What could not be seen, in words with commas between them; nothing is added when all was. */
void tp_outside_word(struct tp_buf *text, const struct tp_outside_seen *seen);

/* The same as a JSON object, for the trace. */
void tp_outside_put(struct tp_buf *json, const struct tp_outside_seen *seen);

/* Adds to names some of the processes that still run, "NAME (PID), NAME (PID)". Returns how many run. After the end. */
size_t tp_outside_living(const struct tp_outside *outside, struct tp_buf *names);

/* Writes the trace. After the end. Returns 0, TP_EIO, TP_ENOMEM. */
int tp_outside_write(struct tp_outside *outside, const char *path, struct tp_error *err);

#endif
