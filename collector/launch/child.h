/* Runs a program as if its parent were not there. The program has our standard streams and our process group, and gets
 * the signals that are sent to us. Its exit is reported completely. */
#ifndef TP_COLLECTOR_LAUNCH_CHILD_H
#define TP_COLLECTOR_LAUNCH_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/base/error.h"

/* State of a process at its exit, before its parent waited for it. */
struct tp_child_end {
    bool is_known;
    char name[16]; /* as known to the kernel: of the last program that it became */
    uid_t user;    /* effective user at its exit */
    gid_t group;
    bool is_confined; /* more confined by seccomp than this process */
    int64_t cpu_us;   /* processor time in user mode, including children that it waited for */
    int64_t used_us;  /* processor time in user and kernel mode */
};

struct tp_child {
    /* set by the caller */
    const char *path;
    char *const *argv;
    bool may_be_shell_text;             /* if exec does not know the format, /bin/sh reads the file, as shells do */
    void (*prepare)(const void *given); /* called in the child before exec, to set environment and signal
                                         * dispositions */
    const void *given;
    /* called after fork while the child waits before its exec; NULL: the child does not wait. An error ends the child,
     * see `refused`. A result of 0 to 255 becomes `answer` in the child */
    int (*forked)(void *state, pid_t pid, struct tp_error *err);
    void (*ended)(void *forked_state); /* called after the exit, while /proc still has the process; or NULL */
    void *forked_state;
    const sigset_t *mask; /* signals blocked at the start of the program; NULL: those that the caller blocks */
    struct tp_child_watch {
        int fd;                        /* descriptor to watch meanwhile, or -1 */
        void (*on_ready)(void *state); /* called when it is readable; NULL: nothing is watched */
        void *state;
    } watched[3];
    /* set by tp_child_run */
    pid_t pid;
    int answer;              /* result of `forked`, for `prepare` in the child */
    int start_error;         /* 0, or the errno of fork or exec; ECANCELED after `refused`; if not 0, nothing ran */
    struct tp_error refused; /* error of `forked` */
    int exit_code;           /* as in a shell: 128 + signal if a signal killed it */
    int signal;              /* signal that killed it, or 0 */
    int status;              /* status of wait(2) */
    bool has_core;
    struct tp_child_end end;
};

/* Runs the program and waits for its exit. Passes signals that end or stop a process on to it, so our handlers do not
 * see them. A caller that has blocked signals passes the previous mask in `mask`; pending signals are then passed on
 * too. */
void tp_child_run(struct tp_child *child);

/* Blocks the signals of tp_child_signals. *before receives the previous signal mask. */
void tp_child_block(sigset_t *before);
/* Returns a pending signal of tp_child_signals that is not ignored, or 0. */
int tp_child_pending(void);

/* Fills the set of signals that ask a process to end: SIGINT, SIGTERM, SIGHUP, SIGQUIT. */
void tp_child_signals(sigset_t *set);

#endif
