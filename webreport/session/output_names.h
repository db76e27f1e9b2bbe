/* Makes names of output files and folders from names of inputs. Different inputs get different names. */
#ifndef TP_WEBREPORT_SESSION_OUTPUT_NAMES_H
#define TP_WEBREPORT_SESSION_OUTPUT_NAMES_H

#include "webreport/trace/rundir.h"

/* The names for one profile of an export. */
struct tp_output_name {
    const char *run, *worker; /* names of run and worker, safe as parts of a path */
    /* the parts of RUN/WORKER.SPAN that distinguish the profile from others; "" if there is only one profile */
    const char *folder;
};

/* Returns one name for each file of each run, in the order of the files, in `arena`. Texts that would give the same
 * name because of replaced bytes, or because long names are cut, get a number: a_b, a_b-2. joins_cycles: captures of
 * one worker share a folder, whose name has no SPAN. */
struct tp_output_name *tp_output_names(const struct tp_runs *runs, bool joins_cycles, struct tp_arena *arena);

#endif
