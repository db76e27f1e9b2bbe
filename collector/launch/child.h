/* A program that runs on our behalf, as if we were not there: it has our standard streams and our place in the process
 * group, gets the signals that are sent to us, and its end is told in full. */
#ifndef TP_COLLECTOR_LAUNCH_CHILD_H
#define TP_COLLECTOR_LAUNCH_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/base/error.h"

/* What the kernel still knew of a process that was over. */
struct tp_child_end {
    bool is_known;
    char name[16]; /* as the kernel has it: of what it became last */
    uid_t user;    /* with whose rights it ended */
    gid_t group;
    bool is_confined; /* by seccomp, more than we are */
    int64_t cpu_us;   /* outside the kernel; with its children that it waited for */
    int64_t used_us;  /* the same and in the kernel */
};

struct tp_child {
    /* given */
    const char *path;
    char *const *argv;
    bool may_be_shell_text;             /* when exec does not know the format, /bin/sh reads it, as shells do */
    void (*prepare)(const void *given); /* called in the child before exec: environment, dispositions of signals */
    const void *given;
    /* called when it is forked and waits before its exec; an error ends it there: see refused. What it returns else, up
     * to 255, is `told` in the child. NULL: it does not wait */
    int (*forked)(void *state, pid_t pid, struct tp_error *err);
    void (*ended)(void *forked_state); /* called when it is over, and /proc still has what is left of it; or NULL */
    void *forked_state;
    const sigset_t *mask; /* signals that the program begins with blocked; NULL: those that the caller blocks */
    struct tp_child_watch {
        int fd;                        /* a descriptor to watch meanwhile, or -1 */
        void (*on_ready)(void *state); /* called when it can be read; NULL: nothing is watched */
        void *state;
    } watched[3];
    /* told */
    pid_t pid;
    int told;                /* in the child, for `prepare`: what `forked` returned */
    int start_error;         /* 0, or the errno of fork or exec, ECANCELED after `refused`: nothing ran */
    struct tp_error refused; /* what `forked` said */
    int exit_code;           /* as a shell tells it: 128 + signal for a death */
    int signal;              /* 0, or what it died of */
    int status;              /* as wait(2) has it */
    bool has_core;
    struct tp_child_end end;
};

/* Runs it to its end. Signals that end or stop are passed on to it meanwhile, so our handlers do not see them. A caller
 * that blocks signals before the start gives their mask, and signals that are pending then are passed on, too. */
void tp_child_run(struct tp_child *child);

/* Blocks the signals of tp_child_signals. *before receives the previous signal mask. */
void tp_child_block(sigset_t *before);
/* Returns a pending signal of tp_child_signals that is not ignored, or 0. */
int tp_child_pending(void);

/* The signals that ask a process to end: SIGINT, SIGTERM, SIGHUP, SIGQUIT. */
void tp_child_signals(sigset_t *set);

#endif
