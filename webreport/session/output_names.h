/* Makes names of output files and folders from the names of inputs. Different inputs get different names. */
#ifndef TP_WEBREPORT_SESSION_OUTPUT_NAMES_H
#define TP_WEBREPORT_SESSION_OUTPUT_NAMES_H

#include "webreport/trace/rundir.h"

/* Names for one profile in an export. */
struct tp_output_name {
    const char *run, *worker; /* names of run and worker, in characters that are safe in a path */
    /* the part of RUN/WORKER.SPAN that distinguishes this profile from the others; "" for a single profile */
    const char *folder;
};

/* Returns the names for each file of each run, in the order of the files, in `arena`. Equal names get a number (a_b,
 * a_b-2), because bytes are replaced and long texts are cut. joins_cycles: true to give all captures of a worker one
 * folder, without SPAN. */
struct tp_output_name *tp_output_names_make(const struct tp_runs *runs, bool joins_cycles, struct tp_arena *arena);

#endif
