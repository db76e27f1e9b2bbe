/* `tracepress record --outside`: the program is recorded by events of the kernel that this process reads; nothing is
 * put into it. */
#ifndef TP_WEBREPORT_CLI_RECORD_OUTSIDE_H
#define TP_WEBREPORT_CLI_RECORD_OUTSIDE_H

#include "collector/launch/program.h"
#include "collector/launch/run_folder.h"
#include "webreport/cli/record_options.h"
#include "webreport/session/console.h"

/* Everything is borrowed. */
struct tp_record_outside {
    const struct tp_record_options *options;
    struct tp_console *console;
    char *const *argv; /* PROGRAM and its arguments */
    const struct tp_program *program;
    const struct tp_run_folder *folder;
    struct tp_run_note *note; /* of run.json; the end is filled in */
    pid_t attached;       /* a process that runs, instead; 0: none */
    int64_t duration_ns;  /* of what is recorded of it; 0: until it is over or a signal asks to end */
    int start_error;          /* told: errno of exec, when nothing ran */
};

/* Runs the program and makes the outputs. Returns true with *exit_code, the program's; false with start_error set when
 * it cannot be run, or 0 where the kernel refuses events: that has been said, nothing ran, and it can be recorded from
 * inside. */
bool tp_record_outside(struct tp_record_outside *record, int *exit_code);

/* Records a process that runs, which goes on, and makes the outputs. Returns the exit code; *has_begun: something was
 * recorded. */
int tp_record_attached(struct tp_record_outside *record, bool *has_begun);

#endif
