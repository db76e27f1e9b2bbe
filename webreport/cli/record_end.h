/* What `record` does when the program is over: raw records become traces, traces become the other outputs, and what
 * became of it is said. A signal that asks us to end meanwhile leaves a run that `recover` finishes. */
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
    struct tp_run_note *note; /* of run.json; the end is filled in */
    bool has_outside;         /* a trace from outside is there already */
};

/* Does it all. The signals of tp_child.leaves_blocked are blocked: while this works, the first of them brings the raw
 * records to the disk, says the line with `recover` and ends the process with the program's exit code. */
void tp_record_end(const struct tp_record_end *end, const struct tp_child *child);

/* Wall-clock time. */
int64_t tp_record_now_ns(void);

/* Fills in what run.json says of the end. */
void tp_record_end_note(struct tp_run_note *note, const struct tp_child *child);

/* Writes run.json; that it cannot is said, and changes nothing. */
void tp_record_write_note(struct tp_console *console, const struct tp_run_folder *folder,
                          const struct tp_run_note *note);

#endif
