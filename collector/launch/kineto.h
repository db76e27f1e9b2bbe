/* Acts as Kineto's daemon. With KINETO_USE_DAEMON=1, PyTorch (2.3 and later) asks the daemon whether to make a trace.
 * `record` answers the processes through a datagram socket in its own folder, which PyTorch supports since 2.13.
 *
 * A message is { size_t size; char type[32]; }, followed by a body. "ctxt" { int32 gpu, pid; int64 job } is answered
 * with "ctxt" { int32 }. "req" { int32 type, n; int64 job; int32 pids[n] } is answered with "req" and a text of
 * KEY=VALUE lines, which may be empty. Bit 2 of the type means that an activity trace could start now. Processes ask
 * once a second, as KINETO_CONFIG sets. */
#ifndef TP_COLLECTOR_LAUNCH_KINETO_H
#define TP_COLLECTOR_LAUNCH_KINETO_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/error.h"

enum { TP_KINETO_PROCESSES = 1024 };

struct tp_kineto_options {
    const char *folder;   /* folder for traces: kineto.N_PID.json */
    uint64_t duration_ms; /* duration of the trace in ms; 0: the trace is counted in steps of the optimizer */
    uint64_t skip_first, wait, warmup, active, repeat;
    bool has_step_files; /* true: a process creates the file steps.PID.tmp in `folder` after its first step; false: the
                          * trace is requested only after several polls of the process */
    bool has_shapes, has_stack, has_memory, has_flops, has_modules;
};

struct tp_kineto {
    int fd;          /* descriptor of the socket; -1: closed */
    char folder[64]; /* folder of the socket and the configuration */
    struct tp_kineto_options options;
    struct tp_kineto_process {
        int32_t pid;
        uint32_t asked, answered; /* asked: requests in which the process was ready for a trace; answered: traces
                                   * requested from the process */
    } processes[TP_KINETO_PROCESSES];
    unsigned process_count;
};

/* Opens the socket in a new folder under $TMPDIR or /tmp. The texts in the options must be valid until tp_kineto_close.
 * Returns 0 or TP_EIO. */
int tp_kineto_open(struct tp_kineto *kineto, const struct tp_kineto_options *options, struct tp_error *err);

/* Sets the environment variables for the program; called in the child before exec. */
void tp_kineto_set_environment(const struct tp_kineto *kineto);

/* Answers all pending requests on kineto->fd without blocking. */
void tp_kineto_answer(void *kineto);

/* Closes the socket and removes its folder. */
void tp_kineto_close(struct tp_kineto *kineto);

#endif
