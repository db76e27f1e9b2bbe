/* Kineto's daemon: what PyTorch (2.3 and later; the folder for sockets is newer, 2.13 has it) asks for a trace when
 * KINETO_USE_DAEMON=1. We answer one process after the other on a datagram socket in a folder of our own.
 *
 * Message: { size_t size; char type[32]; } and a body. "ctxt" { int32 gpu, pid; int64 job } is answered with "ctxt"
 * { int32 } ; "req" { int32 type, n; int64 job; int32 pids[n] } with "req" and a text of KEY=VALUE lines, or with none.
 * Type has the bit 2 when an activity trace could begin now. Processes ask once a second (our KINETO_CONFIG). */
#ifndef TP_COLLECTOR_LAUNCH_KINETO_H
#define TP_COLLECTOR_LAUNCH_KINETO_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/error.h"

enum { TP_KINETO_PROCESSES = 1024 };

struct tp_kineto_options {
    const char *folder;   /* where traces go: kineto.N_PID.json */
    uint64_t duration_ms; /* 0: by steps of the optimizer */
    uint64_t skip_first, wait, warmup, active, repeat;
    bool has_step_files; /* a process makes the file steps.PID.tmp in `folder` when it has stepped; else some polls must
                            do */
    bool has_shapes, has_stack, has_memory, has_flops, has_modules;
};

struct tp_kineto {
    int fd;          /* of the socket; -1: closed */
    char folder[64]; /* of the socket and the configuration */
    struct tp_kineto_options options;
    struct tp_kineto_process {
        int32_t pid;
        uint32_t asked, answered; /* times it was ready for a trace; traces it was told to make */
    } processes[TP_KINETO_PROCESSES];
    unsigned process_count;
};

/* Opens the socket in a folder of its own under $TMPDIR or /tmp. The options' texts must outlive it. 0 or TP_EIO. */
int tp_kineto_open(struct tp_kineto *kineto, const struct tp_kineto_options *options, struct tp_error *err);

/* Sets the variables of the program; in the child, before exec. */
void tp_kineto_set_environment(const struct tp_kineto *kineto);

/* Answers everything that waits on kineto->fd; never blocks. */
void tp_kineto_answer(void *kineto);

/* Closes the socket and removes its folder. */
void tp_kineto_close(struct tp_kineto *kineto);

#endif
