/* Explains why the recording of a program is empty, in one sentence with advice on what to do. */
#ifndef TP_COLLECTOR_LAUNCH_NO_RECORDS_H
#define TP_COLLECTOR_LAUNCH_NO_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/launch/child.h"
#include "collector/launch/run_folder.h"

enum tp_no_records_cause {
    TP_NO_RECORDS_UNKNOWN_CAUSE,   /* cause unknown: the sources recorded no events */
    TP_NO_RECORDS_TOO_SHORT,       /* the program used too little processor time to get a sample */
    TP_NO_RECORDS_DIED,            /* a signal killed the program before the library started */
    TP_NO_RECORDS_LOADER_EXIT,     /* the program exited before the library started */
    TP_NO_RECORDS_PERMISSION,      /* the program's user has no right to write to the folder of the records */
    TP_NO_RECORDS_CONFINED,        /* the program was confined by seccomp */
    TP_NO_RECORDS_REPLACED,        /* the program became another program without the library */
    TP_NO_RECORDS_NOT_PRELOADABLE, /* the program became another program into which no library can be preloaded */
    /* the program did little itself, and started another program into which no library can be preloaded */
    TP_NO_RECORDS_STARTED_OTHER,
    /* the kernel refuses events for samples, and the program uses the signal of the timers itself */
    TP_NO_RECORDS_REFUSED,
    TP_NO_RECORDS_FULL,    /* the disk is full */
    TP_NO_RECORDS_EXCLUDED /* TRACEPRESS_WINDOW or TRACEPRESS_RANKS probably excluded the program from the recording */
};

/* Information about the program, collected after its exit. */
struct tp_no_records {
    const char *name;             /* name of the program, as the user gave it */
    const struct tp_child *child; /* process of the program, which has exited */
    const char *folder;           /* folder of the records, an absolute path */
    unsigned sample_rate;         /* requested samples per second; 0: none */
    bool has_recording_choice;    /* true if TRACEPRESS_WINDOW or TRACEPRESS_RANKS is set */
    bool has_library_started;     /* true if the library started in the program's process */
    char library_start_name[16];  /* name of the process when the library started */
    /* program that the process became or started, and into which no library can be preloaded; "": no such program */
    char plain[64];
    const char *why_plain;    /* reason why no library can be preloaded into `plain` */
    bool is_started;          /* true: the process started `plain`; false: the process became `plain` */
    uint64_t free_bytes;      /* free space on the disk of the folder, bytes */
    int events_error;         /* errno with which the kernel refuses events for samples; 0: the kernel allows them */
    long perf_paranoid_level; /* value of kernel.perf_event_paranoid; -1: unknown */
    bool has_seccomp_filter;  /* true if this process itself has a seccomp filter, as in a container */
};

/* advice to use `record --outside` for a program into which no library can be preloaded */
extern const char tp_no_records_advice[];

/* Fills has_library_started and all members below it, from the folder, the arguments and the kernel. In the folder, the
 * function reads the file `entered.tmp`. The library appends "PID NAME" to this file when it starts. It appends
 * "PID=PATH" for each program that a process becomes or starts (collector/exec_environment.h). */
void tp_no_records_examine(struct tp_no_records *nothing, char *const *argv);

/* Returns the cause of the empty recording. The causes are tested in the order of the enum, except for DONE, which is
 * last. */
enum tp_no_records_cause tp_no_records_find_cause(const struct tp_no_records *nothing);

/* Writes the sentence about the cause, and the advice, to `text`. */
void tp_no_records_explain(char *text, size_t size, const struct tp_no_records *nothing);

#endif
