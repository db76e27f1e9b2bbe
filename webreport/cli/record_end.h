/* Finishes a `record` command after the program has exited. Turns raw records into traces, makes the other outputs
 * from the traces, and prints the result. If a signal stops this work, `recover` can finish the run. */
#ifndef TP_WEBREPORT_CLI_RECORD_END_H
#define TP_WEBREPORT_CLI_RECORD_END_H

#include "collector/launch/child.h"
#include "collector/launch/program.h"
#include "collector/launch/run_folder.h"
#include "webreport/cli/record_options.h"
#include "webreport/session/console.h"

/* Arguments of tp_record_end; all pointers are borrowed. */
struct tp_record_end {
    const struct tp_record_options *options;
    struct tp_console *console;
    char *const *argv; /* name of the program, and its arguments; NULL-terminated */
    const struct tp_program *program;
    struct tp_run_folder *folder;
    struct tp_run_note *note; /* note for run.json; tp_record_end adds how the program exited */
    bool has_outside;         /* true: a trace of the recording from outside already exists */
};

/* Finishes a `record` command. The signals of tp_child_fill_signals must be blocked. The first such signal that arrives
 * during the call stops the work. The function then writes the raw records to the disk, prints the `recover` command,
 * and exits with the program's exit code. */
void tp_record_end(const struct tp_record_end *end, const struct tp_child *child);

/* Returns the wall clock time, ns since 1970. */
int64_t tp_record_now_ns(void);

/* Stores in the note for run.json how and when the program exited. */
void tp_record_fill_exit_note(struct tp_run_note *note, const struct tp_child *child);

/* Writes run.json. A failure is only printed. */
void tp_record_write_note(struct tp_console *console, const struct tp_run_folder *folder,
                          const struct tp_run_note *note);

#endif
