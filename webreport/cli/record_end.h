/* Ends a call of `record` after the program ended: turns raw records into traces, makes the other outputs from the
 * traces, and prints the result. After a signal that asks us to end meanwhile, `recover` can finish the run. */
#ifndef TP_WEBREPORT_CLI_RECORD_END_H
#define TP_WEBREPORT_CLI_RECORD_END_H

#include "collector/launch/child.h"
#include "collector/launch/program.h"
#include "collector/launch/run_folder.h"
#include "webreport/cli/record_options.h"
#include "webreport/session/console.h"

/* Everything is borrowed. */
struct tp_record_end {
    const struct tp_record_options *options;
    struct tp_console *console;
    char *const *argv; /* PROGRAM and its arguments */
    const struct tp_program *program;
    struct tp_run_folder *folder;
    struct tp_run_note *note; /* note for run.json; its end is filled in */
    bool has_outside;         /* a trace from outside exists already */
};

/* Ends the call of `record`. The signals of tp_child.leaves_blocked are blocked: the first one that arrives meanwhile
 * writes the raw records to the disk, prints the line with `recover` and ends the process with the program's exit
 * code. */
void tp_record_end(const struct tp_record_end *end, const struct tp_child *child);

/* Returns the wall-clock time in ns. */
int64_t tp_record_now_ns(void);

/* Fills in the end of the program in the note for run.json. */
void tp_record_end_note(struct tp_run_note *note, const struct tp_child *child);

/* Writes run.json; prints an error if this fails, which has no other effect. */
void tp_record_write_note(struct tp_console *console, const struct tp_run_folder *folder,
                          const struct tp_run_note *note);

#endif
