/* Names of files and folders for texts of inputs: what is told apart by its text is told apart by its name. */
#ifndef TP_WEBREPORT_SESSION_OUTPUT_NAMES_H
#define TP_WEBREPORT_SESSION_OUTPUT_NAMES_H

#include "webreport/trace/rundir.h"

/* Of one profile of a job. */
struct tp_output_name {
    const char *run, *worker; /* parts of a path */
    const char *folder;       /* RUN/WORKER.SPAN, of them what tells the profile apart; "": it is the only one */
};

/* One for each file of each run, in their order, in `arena`. Texts that differ only in bytes that no name may have, or
 * behind what is cut, are numbered: a_b, a_b-2. joins_cycles: captures of one worker share a folder, without SPAN. */
struct tp_output_name *tp_output_names(const struct tp_runs *runs, bool joins_cycles, struct tp_arena *arena);

#endif
