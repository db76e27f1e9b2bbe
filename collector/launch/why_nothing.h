/* Why nothing of a program was recorded: what is known of it becomes one sentence and what to do next. */
#ifndef TP_COLLECTOR_LAUNCH_WHY_NOTHING_H
#define TP_COLLECTOR_LAUNCH_WHY_NOTHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/launch/child.h"
#include "collector/launch/run_folder.h"

enum tp_nothing_cause {
    TP_NOTHING_DONE,       /* none of the others: the sources had nothing to see */
    TP_NOTHING_SHORT,      /* too little processor time for a sample */
    TP_NOTHING_DIED,       /* a signal ended it before the library began */
    TP_NOTHING_LOADER,     /* it ended before the library began */
    TP_NOTHING_PERMISSION, /* it ran as a user who may not write where the records go */
    TP_NOTHING_CONFINED,   /* seccomp */
    TP_NOTHING_REPLACED,   /* it became a program without the library */
    TP_NOTHING_PLAIN,      /* the same, and no library can be preloaded into that one */
    TP_NOTHING_STARTED,    /* it started a program that no library can be preloaded into, and did little itself */
    TP_NOTHING_REFUSED,    /* the kernel gives no samples, and the program has the signal of timers */
    TP_NOTHING_FULL,       /* no room on the disk */
    TP_NOTHING_CHOSEN      /* TRACEPRESS_WINDOW or TRACEPRESS_RANKS left it out, as far as can be told */
};

/* What is known when the program is over. */
struct tp_nothing {
    const char *name;             /* of the program, as it was asked for */
    const struct tp_child *child; /* over */
    const char *folder;           /* where records go, an absolute path */
    unsigned sample_rate;         /* samples a second that were asked for; 0: none */
    bool has_choice;              /* one of the two variables is set */
    bool has_entered;             /* the library began in the program's process */
    char entered_as[16];          /* the process's name then */
    char plain[64];               /* what it became or started, when no library can be preloaded into that; "" */
    const char *why_plain;        /* and why */
    bool is_started;              /* it started it, and is itself what it was */
    uint64_t free_bytes;          /* of the disk */
    int events_error;             /* 0, or the errno with which the kernel refuses events */
    long paranoid;                /* kernel.perf_event_paranoid; -1: not known */
    bool is_contained;            /* we are under a filter of seccomp ourselves, as in a container */
};

/* What can be done about a program into which no library can be preloaded. */
extern const char tp_nothing_outside[];

/* Fills what the folder, the words of the program and the kernel tell: has_entered and all below it. The library leaves
 * "PID NAME" in the file `entered.tmp` of the folder when it begins, and "PID=PATH" of what a process becomes or starts
 * (collector/exec_environment.h). */
void tp_nothing_look(struct tp_nothing *nothing, char *const *argv);

/* Decides, the causes in the order of the enum; DONE last. */
enum tp_nothing_cause tp_nothing_decide(const struct tp_nothing *nothing);

/* Writes the sentence and the next step. */
void tp_nothing_word(char *text, size_t size, const struct tp_nothing *nothing);

#endif
