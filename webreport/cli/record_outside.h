/* Recording from outside: by events of the kernel that this process reads, alone (`tracepress record --outside`, -p) or
 * beside what the preload library records inside of the program. */
#ifndef TP_WEBREPORT_CLI_RECORD_OUTSIDE_H
#define TP_WEBREPORT_CLI_RECORD_OUTSIDE_H

#include "collector/launch/child.h"
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
    const sigset_t *mask;     /* signals that the program begins with blocked */
    pid_t attached;       /* a process that runs, instead; 0: none */
    bool is_of_user;      /* all that this user runs, instead */
    uid_t user;
    int64_t duration_ns;  /* of what is recorded of it; 0: until it is over or a signal asks to end */
    int start_error;          /* told: errno of exec, when nothing ran */
    bool is_on;               /* told: beside the recording from inside; false from the end on where there is no trace */
    bool is_refused;          /* told: the kernel refuses events, beside */
    struct tp_outside *outside; /* from tp_record_beside_open to _end */
};

/* What the child is told (struct tp_child) of a recording beside the one from inside: whether that takes samples. */
enum { TP_RECORD_SAMPLED, TP_RECORD_NOT_SAMPLED };

/* Runs the program and makes the outputs. Returns true with *exit_code, the program's; false with start_error set when
 * it cannot be run, or 0 where the kernel refuses events: that has been said, nothing ran, and it can be recorded from
 * inside. */
bool tp_record_outside(struct tp_record_outside *record, int *exit_code);

/* Lets `child`, which is about to run, be recorded from outside, too. Where that cannot be, it runs all the same, and a
 * line says why. */
void tp_record_beside_open(struct tp_record_outside *record, struct tp_child *child);

/* The child has ended: writes the trace, says so, and frees what `open` made. child NULL: nothing ran. Returns true when
 * there is a trace. */
bool tp_record_beside_end(struct tp_record_outside *record, const struct tp_child *child);

/* Records a process that runs, which goes on, and makes the outputs. Returns the exit code; *has_begun: something was
 * recorded. */
int tp_record_attached(struct tp_record_outside *record, bool *has_begun);

#endif
