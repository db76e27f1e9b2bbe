/* Acts as Kineto's daemon. With KINETO_USE_DAEMON=1, PyTorch (2.3 and later) asks the daemon whether to make a trace.
 * `record` answers the processes through a datagram socket in its own folder, which PyTorch supports since 2.13.
 *
 * A message is { size_t size; char type[32]; }, followed by a body. The answer to "ctxt" { int32 gpu, pid; int64 job }
 * is "ctxt" { int32 }. The answer to "req" { int32 type, n; int64 job; int32 pids[n] } is "req" and a text of
 * KEY=VALUE lines, which may be empty. Bit 2 of the type means that an activity trace could start now. Processes ask
 * once a second, as KINETO_CONFIG sets. */
#ifndef TP_COLLECTOR_LAUNCH_KINETO_H
#define TP_COLLECTOR_LAUNCH_KINETO_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/error.h"

enum { TP_KINETO_PROCESSES = 1024 };

struct tp_kineto_options {
    const char *folder;   /* folder for the traces, which are named kineto.N_PID.json */
    uint64_t duration_ms; /* duration of the trace, ms; 0: the trace ends after a number of steps of the optimizer */
    uint64_t skip_first, wait, warmup, active, repeat;
    /* true: each process creates the file steps.PID.tmp in `folder` after its first step; false: no process creates
     * such a file, so a trace is requested only after several polls */
    bool has_step_files;
    bool has_shapes, has_stack, has_memory, has_flops, has_modules;
};

struct tp_kineto {
    int fd;          /* descriptor of the socket; -1: closed */
    char folder[64]; /* folder that contains the socket and the configuration */
    struct tp_kineto_options options;
    struct tp_kineto_process {
        int32_t pid;
        /* asked: number of polls in which the process was ready for a trace; answered: number of trace requests that
         * were sent to the process */
        uint32_t asked, answered;
    } processes[TP_KINETO_PROCESSES];
    unsigned process_count;
};

/* Opens the socket in a new folder under $TMPDIR or /tmp. The texts in the options must be valid until tp_kineto_close.
 * Returns 0 or TP_EIO. */
int tp_kineto_open(struct tp_kineto *kineto, const struct tp_kineto_options *options, struct tp_error *err);

/* Sets the environment variables for the program. Called in the child before exec. */
void tp_kineto_set_environment(const struct tp_kineto *kineto);

/* Answers all pending requests on kineto->fd without blocking. */
void tp_kineto_answer(void *kineto);

/* Closes the socket and removes its folder. */
void tp_kineto_close(struct tp_kineto *kineto);

#endif
