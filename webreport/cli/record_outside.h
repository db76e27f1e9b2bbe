/* Records from outside: this process reads perf events of the Linux kernel. With `tracepress record --outside` and -p,
 * this is the only recording. Otherwise it is made in addition to the recording of the preload library inside the
 * program. */
#ifndef TP_WEBREPORT_CLI_RECORD_OUTSIDE_H
#define TP_WEBREPORT_CLI_RECORD_OUTSIDE_H

#include "collector/launch/child.h"
#include "collector/launch/program.h"
#include "collector/launch/run_folder.h"
#include "webreport/cli/record_options.h"
#include "webreport/session/console.h"

/* Arguments and results of a recording; all pointers are borrowed. */
struct tp_record_outside {
    const struct tp_record_options *options;
    struct tp_console *console;
    char *const *argv; /* name of the program, and its arguments; NULL-terminated */
    const struct tp_program *program;
    const struct tp_run_folder *folder;
    struct tp_run_note *note; /* note for run.json; the recording adds how the program exited */
    const sigset_t *mask;     /* signals that were blocked when this process started; restored in the program */
    pid_t attached;           /* process id of a running process to record; 0: run a program */
    bool is_of_user;          /* true: all programs of the user are recorded; false: a single program */
    uid_t user;
    /* duration of the recording, ns; 0: until the process exits or a signal asks to stop */
    int64_t duration_ns;
    int start_error; /* result: errno if the program could not be executed; else 0 */
    /* result: true if the recording from outside runs in addition to the recording inside the program; false after the
     * exit if there is no trace */
    bool is_on;
    bool is_refused; /* result: true if the Linux kernel refuses the events for an additional recording from outside */
    struct tp_outside *outside; /* made by tp_record_outside_open, freed by tp_record_outside_finish */
};

/* Values of tp_child.answer, from which the child learns whether samples are taken from outside. */
enum { TP_RECORD_SAMPLED, TP_RECORD_NOT_SAMPLED };

/* Runs the program and makes the outputs. Returns true and sets *exit_code to the program's exit code. Returns false if
 * no program ran. In that case, start_error is set if the program cannot be executed. If start_error is 0, the Linux
 * kernel refuses events and the reason was printed; the program can still be recorded from inside. */
bool tp_record_outside(struct tp_record_outside *record, int *exit_code);

/* Prepares a recording from outside of `child`, the next program to run, in addition to the recording inside the
 * program. If this is impossible, prints the reason; the child still runs. */
void tp_record_outside_open(struct tp_record_outside *record, struct tp_child *child);

/* Finishes the recording after the child has exited. Writes the trace, prints its path, and frees the memory of
 * tp_record_outside_open. child: NULL if no program ran. Returns whether there is a trace. */
bool tp_record_outside_finish(struct tp_record_outside *record, const struct tp_child *child);

/* Records a running process, which continues afterwards, and makes the outputs. *has_begun: whether anything was
 * recorded. Returns the exit code. */
int tp_record_attached_processes(struct tp_record_outside *record, bool *has_begun);

#endif
