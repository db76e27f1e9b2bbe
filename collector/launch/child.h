/* Runs a program as if its parent did not exist. The program has the parent's standard streams and process group. The
 * parent passes on the signals that it receives, and reports all details of the program's exit. */
#ifndef TP_COLLECTOR_LAUNCH_CHILD_H
#define TP_COLLECTOR_LAUNCH_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/base/error.h"

/* State of a process at its exit. */
struct tp_child_end {
    bool is_known;
    char name[16]; /* name of the process in the kernel, which is the name of the last program that it ran */
    uid_t user;    /* effective user at the exit of the process */
    gid_t group;
    bool is_confined; /* true if seccomp confines the process more than it confines this process */
    int64_t cpu_us;   /* processor time in user mode, us; includes children for which the process waited */
    int64_t used_us;  /* processor time in user and kernel mode, us; includes children for which the process waited */
};

struct tp_child {
    /* The caller sets the following members. */
    const char *path;
    char *const *argv;
    bool may_run_by_shell;              /* true: /bin/sh runs a file whose format exec does not know, as in shells */
    void (*prepare)(const void *given); /* called in the child before exec, to set the environment and the signal
                                         * dispositions */
    const void *given;
    /* called after fork, while the child waits before its exec. A negative result makes the child exit (see `refused`).
     * A result of 0 to 255 becomes the member `answer` in the child. NULL: the child does not wait */
    int (*forked)(void *state, pid_t pid, struct tp_error *err);
    /* called after the exit, while the process is still in /proc; NULL: not called */
    void (*ended)(void *forked_state);
    void *forked_state;
    /* signals that are blocked when the program starts; NULL: the signals that the caller blocks */
    const sigset_t *mask;
    struct tp_child_watch {
        int fd;                        /* descriptor that is watched while the program runs; -1: none */
        void (*on_ready)(void *state); /* called when `fd` is readable; NULL: nothing is watched */
        void *state;
    } watched[3];
    /* tp_child_run sets the following members. */
    pid_t pid;
    int answer;              /* result of `forked`; `prepare` reads it in the child */
    int start_error;         /* errno of fork or exec; ECANCELED if `forked` returned an error; 0: the program has
                              * started */
    struct tp_error refused; /* error that `forked` returned */
    int exit_code;           /* exit code as in a shell: 128 + signal if a signal killed the program */
    int signal;              /* number of the signal that killed the program; 0: none */
    int status;              /* status of the exit, as wait(2) returns it */
    bool has_core;
    struct tp_child_end end;
};

/* Runs the program and waits for its exit. Passes on signals that end or stop a process, so that handlers of this
 * process do not run. A caller that has blocked signals sets `mask` to its previous mask. Then pending signals are
 * passed on too. */
void tp_child_run(struct tp_child *child);

/* Blocks the signals of tp_child_fill_signals. *before: receives the previous signal mask. */
void tp_child_block_signals(sigset_t *before);
/* Returns a pending signal of tp_child_fill_signals that is not ignored, or 0. */
int tp_child_pending_signal(void);

/* Fills the set of signals that ask a process to end: SIGINT, SIGTERM, SIGHUP, SIGQUIT. */
void tp_child_fill_signals(sigset_t *set);

#endif
