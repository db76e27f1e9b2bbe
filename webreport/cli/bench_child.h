/* A command of `bench`: run in a process group of its own, its output in a file, its end with the time it took.
 *
 * Nothing of it outlives the call: what is left of its group is killed. Who asks us to end meanwhile, from the terminal
 * or otherwise, ends the command first. For one thread. */
#ifndef TP_WEBREPORT_CLI_BENCH_CHILD_H
#define TP_WEBREPORT_CLI_BENCH_CHILD_H

#include <stdint.h>

struct tp_bench_child {
    char *const *argv;  /* looked for in PATH; NULL-terminated */
    const char *folder; /* to run in; NULL: ours */
    const char *output; /* file that gets what it prints, anew */
    const char *side;   /* TRACEPRESS_BENCH_SIDE in its environment; NULL: it gets none of them */
    unsigned number;    /* TRACEPRESS_BENCH_RUN */
    /* told */
    int start_error; /* 0, or the errno of what could not be done: nothing ran */
    int exit_code;   /* as a shell tells it */
    int asked;       /* the signal that asked us to end, 0: none */
    int64_t wall_ns, cpu_ns; /* of the command and its children that were waited for */
};

/* Blocks the signals that ask to end; what comes between two commands is not lost. */
void tp_bench_child_prepare(void);

/* The signal that asked us to end since, 0: none. */
int tp_bench_child_asked(void);

/* Lets those signals through again: no more commands will run. */
void tp_bench_child_finish(void);

void tp_bench_child_run(struct tp_bench_child *child);

#endif
