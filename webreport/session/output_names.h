/* Makes names of output files and folders from names of inputs: different inputs get different names. */
#ifndef TP_WEBREPORT_SESSION_OUTPUT_NAMES_H
#define TP_WEBREPORT_SESSION_OUTPUT_NAMES_H

#include "webreport/trace/rundir.h"

/* The names for one profile of a job. */
struct tp_output_name {
    const char *run, *worker; /* parts of a path */
    const char *folder;       /* the parts of RUN/WORKER.SPAN that distinguish the profile; "": it is the only one */
};

/* Returns one name for each file of each run, in their order, in `arena`. Texts that differ only in bytes that are not
 * allowed in names, or only after the cut of a long name, are numbered: a_b, a_b-2. joins_cycles: captures of one
 * worker share a folder, without SPAN. */
struct tp_output_name *tp_output_names(const struct tp_runs *runs, bool joins_cycles, struct tp_arena *arena);

#endif
