/* Runs a command of `bench` in its own process group, with its output in a file, and measures its time.
 *
 * No process of its group outlives the call: the remaining ones are killed. A signal that asks us to end meanwhile ends
 * the command first. For one thread. */
#ifndef TP_WEBREPORT_CLI_BENCH_CHILD_H
#define TP_WEBREPORT_CLI_BENCH_CHILD_H

#include <stdint.h>

struct tp_bench_child {
    char *const *argv;  /* searched in PATH; NULL-terminated */
    const char *folder; /* working folder of the command; NULL: ours */
    const char *output; /* file of its output, which is overwritten */
    const char *side;   /* TRACEPRESS_BENCH_SIDE in its environment; NULL: this and TRACEPRESS_BENCH_RUN are not set */
    unsigned number;    /* TRACEPRESS_BENCH_RUN */
    /* results */
    int start_error; /* 0, or the errno of the failure: nothing ran */
    int exit_code;   /* exit code as in a shell */
    int asked;       /* the signal that asked us to end; 0: none */
    int64_t wall_ns, cpu_ns; /* time of the command and of its children that were waited for */
};

/* Blocks the signals that ask to end, so that a signal between two commands is not lost. */
void tp_bench_child_prepare(void);

/* Returns the signal that asked us to end since then; 0: none. */
int tp_bench_child_asked(void);

/* Unblocks these signals: no more commands will run. */
void tp_bench_child_finish(void);

void tp_bench_child_run(struct tp_bench_child *child);

#endif
