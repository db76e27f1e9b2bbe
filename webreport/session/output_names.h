/* Makes names of output files and folders from the names of inputs. Different inputs get different names. */
#ifndef TP_WEBREPORT_SESSION_OUTPUT_NAMES_H
#define TP_WEBREPORT_SESSION_OUTPUT_NAMES_H

#include "webreport/trace/rundir.h"

/* Names for the output of one profile. */
struct tp_output_name {
    const char *run, *worker; /* names of run and worker, with only characters that are safe in a path */
    /* the parts of RUN/WORKER.SPAN in which the profiles differ; "" for a single profile */
    const char *folder;
};

/* Returns the names for each file of each run, in the order of the files, in `arena`. If different inputs give equal
 * names, because unsafe bytes are replaced and long texts are cut, the names get a number (a_b, a_b-2).
 * uses_one_folder_per_worker: true to give all captures of a worker one folder, without SPAN. */
struct tp_output_name *tp_output_names_make(const struct tp_runs *runs, bool uses_one_folder_per_worker,
                                            struct tp_arena *arena);

#endif
