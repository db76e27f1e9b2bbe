/* Explains why nothing of a program was recorded, in one sentence with advice on what to do. */
#ifndef TP_COLLECTOR_LAUNCH_WHY_NOTHING_H
#define TP_COLLECTOR_LAUNCH_WHY_NOTHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/launch/child.h"
#include "collector/launch/run_folder.h"

enum tp_nothing_cause {
    TP_NOTHING_DONE,       /* no other cause: the sources saw no events */
    TP_NOTHING_SHORT,      /* too little processor time for a sample */
    TP_NOTHING_DIED,       /* a signal killed it before the library started */
    TP_NOTHING_LOADER,     /* it exited before the library started */
    TP_NOTHING_PERMISSION, /* its user may not write to the folder of the records */
    TP_NOTHING_CONFINED,   /* seccomp */
    TP_NOTHING_REPLACED,   /* it became a program without the library */
    TP_NOTHING_PLAIN,      /* it became a program into which no library can be preloaded */
    TP_NOTHING_STARTED,    /* it started a program into which no library can be preloaded, and did little itself */
    TP_NOTHING_REFUSED,    /* the kernel gives no samples, and the program uses the signal of the timers */
    TP_NOTHING_FULL,       /* the disk is full */
    TP_NOTHING_CHOSEN      /* TRACEPRESS_WINDOW or TRACEPRESS_RANKS probably excluded it */
};

/* The known facts after the program has exited. */
struct tp_nothing {
    const char *name;             /* of the program, as the user gave it */
    const struct tp_child *child; /* the exited program */
    const char *folder;           /* of the records, an absolute path */
    unsigned sample_rate;         /* requested samples per second; 0: none */
    bool has_choice;              /* TRACEPRESS_WINDOW or TRACEPRESS_RANKS is set */
    bool has_entered;             /* the library started in the program's process */
    char entered_as[16];          /* the process's name at that moment */
    char plain[64];               /* program that it became or started and into which no library can be preloaded; or
                                   * "" */
    const char *why_plain;        /* the reason for `plain` */
    bool is_started;              /* true: it started `plain` and is still the same program itself */
    uint64_t free_bytes;          /* free bytes on the disk */
    int events_error;             /* 0, or the errno with which the kernel refuses events */
    long paranoid;                /* kernel.perf_event_paranoid; -1: unknown */
    bool is_contained;            /* this process has a seccomp filter itself, as in a container */
};

/* Advice for a program into which no library can be preloaded. */
extern const char tp_nothing_outside[];

/* Fills has_entered and all members below it, from the folder, the arguments and the kernel. The library appends "PID
 * NAME" to the file `entered.tmp` in the folder when it starts, and "PID=PATH" for each program that a process becomes
 * or starts (collector/exec_environment.h). */
void tp_nothing_look(struct tp_nothing *nothing, char *const *argv);

/* Returns the cause, tested in the order of the enum with DONE last. */
enum tp_nothing_cause tp_nothing_decide(const struct tp_nothing *nothing);

/* Writes the sentence and the advice. */
void tp_nothing_word(char *text, size_t size, const struct tp_nothing *nothing);

#endif
