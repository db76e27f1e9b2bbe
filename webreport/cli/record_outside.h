/* Records from outside: this process reads events of the kernel, either alone (`tracepress record --outside`, -p) or in
 * addition to the recording of the preload library inside the program. */
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
    struct tp_run_note *note; /* note for run.json; its end is filled in */
    const sigset_t *mask;     /* signals that the program begins with blocked */
    pid_t attached;       /* a running process to record instead of a program; 0: none */
    bool is_of_user;      /* record all programs of this user instead */
    uid_t user;
    int64_t duration_ns;  /* duration of the recording; 0: until the process ends or a signal asks to end */
    int start_error;          /* result: errno of exec if nothing ran */
    /* result: recording in addition to the one from inside; false after the end without a trace */
    bool is_on;
    bool is_refused;          /* result: the kernel refuses events, in addition to a recording from inside */
    struct tp_outside *outside; /* from tp_record_beside_open to _end */
};

/* The answer to the child (struct tp_child): whether the recording from outside takes samples. */
enum { TP_RECORD_SAMPLED, TP_RECORD_NOT_SAMPLED };

/* Runs the program and makes the outputs. Returns true and sets *exit_code to that of the program. Returns false when
 * nothing ran: start_error is set when the program cannot be run; it is 0 when the kernel refuses events, which has
 * been printed: the program can still be recorded from inside. */
bool tp_record_outside(struct tp_record_outside *record, int *exit_code);

/* Prepares to record `child`, which will run next, also from outside. If this is impossible, prints why; the child
 * still runs. */
void tp_record_beside_open(struct tp_record_outside *record, struct tp_child *child);

/* Ends the recording after the child ended: writes the trace, prints its path, and frees the memory of `open`. child
 * NULL: nothing ran. Returns true when there is a trace. */
bool tp_record_beside_end(struct tp_record_outside *record, const struct tp_child *child);

/* Records a running process, which continues afterwards, and makes the outputs. Returns the exit code; *has_begun:
 * something was recorded. */
int tp_record_attached(struct tp_record_outside *record, bool *has_begun);

#endif
