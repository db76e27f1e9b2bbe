/* Finds the files that commands on summaries read: traces and `.tps` files, named, in folders, or listed in a file. */
#ifndef TP_WEBREPORT_SESSION_SUMMARY_INPUTS_H
#define TP_WEBREPORT_SESSION_SUMMARY_INPUTS_H

#include "webreport/measure/summary/summary_file.h"
#include "webreport/trace/rundir.h"

struct tp_summary_input {
    const char *path, *base;
    const struct tp_run_file *trace; /* NULL: a `.tps` file */
};

struct tp_summary_inputs {
    struct tp_summary_input *items; /* traces by run, worker, span; then `.tps` files in the order of the paths */
    size_t count;
    size_t helper_count;   /* traces of helpers (rundir.h), which are left out */
    struct tp_vec missing; /* const char *: named files that do not exist; empty when that is an error */
    struct tp_runs runs;   /* the traces found */
};

enum tp_inputs_wanted {
    TP_INPUTS_ALL,      /* a path that does not exist is an error */
    TP_INPUTS_ANY,      /* such a path is listed as missing */
    TP_INPUTS_SUMMARIES /* such a path is listed as missing; all files and "-" are summaries */
};

/* Finds the inputs of a search: a file that begins like a summary is a summary, other files and "-" are traces; folders
 * are searched for traces, and a folder without traces for *.tps. The caller sets the arena's guard. Returns 0,
 * TP_ENOTFOUND, TP_EIO (a folder), TP_ELIMIT. */
int tp_summary_inputs_find(struct tp_summary_inputs *inputs, struct tp_arena *arena, const struct tp_run_search *search,
                           enum tp_inputs_wanted wanted, struct tp_error *err);

/* Appends the nonempty lines of a file ("-": standard input) to `paths` (const char *); the lines are in the vector's
 * arena. Returns 0, TP_ENOTFOUND, TP_ELIMIT. */
int tp_summary_inputs_list(struct tp_vec *paths, const char *file, struct tp_error *err);

/* Adds the processes of a `.tps` file ("-": standard input) to the set. Returns the result of tp_summary_set_read, or
 * TP_EIO. */
int tp_summary_inputs_read(struct tp_summary_set *set, const char *path, struct tp_error *err);

#endif
