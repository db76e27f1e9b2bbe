/* Runs a command of `bench` in a separate process group, with its output in a file, and measures its time.
 *
 * Processes of this group that still run when the command exits are killed. If tracepress receives a signal to stop
 * while the command runs, it passes the signal to the command and waits until the command exits. Use these functions
 * from one thread only. */
#ifndef TP_WEBREPORT_CLI_BENCH_CHILD_H
#define TP_WEBREPORT_CLI_BENCH_CHILD_H

#include <stdint.h>

struct tp_bench_child {
    char *const *argv;  /* command and its arguments, NULL-terminated; the command is searched in PATH */
    const char *folder; /* working folder of the command; NULL: the current folder */
    const char *output; /* file for the output of the command; an existing file is overwritten */
    /* value of TRACEPRESS_BENCH_SIDE in the command's environment; NULL sets neither TRACEPRESS_BENCH_SIDE nor
     * TRACEPRESS_BENCH_RUN */
    const char *side;
    unsigned number; /* value of TRACEPRESS_BENCH_RUN in the command's environment */
    /* the following members are results */
    int start_error;         /* errno if the command could not be started, else 0 */
    int exit_code;           /* exit code as in a shell: 128 + the signal's number if a signal killed the command */
    int stop_signal;         /* number of the signal that asked tracepress to stop; 0: no signal */
    int64_t wall_ns, cpu_ns; /* wall time and CPU time of the command and its reaped children, ns */
};

/* Blocks the signals that ask tracepress to stop, so that a signal between two commands is not lost. */
void tp_bench_child_block_signals(void);

/* Returns the number of a signal that has asked tracepress to stop since tp_bench_child_block_signals, or 0. */
int tp_bench_child_pending_signal(void);

/* Unblocks the signals. Call this function after the last command. */
void tp_bench_child_unblock_signals(void);

void tp_bench_child_run(struct tp_bench_child *child);

#endif
