/* Finds the inputs of commands that read summaries: traces and `.tps` files that are named, in folders, or listed in a
 * file. */
#ifndef TP_WEBREPORT_SESSION_SUMMARY_INPUTS_H
#define TP_WEBREPORT_SESSION_SUMMARY_INPUTS_H

#include "webreport/measure/summary/summary_file.h"
#include "webreport/trace/rundir.h"

struct tp_summary_input {
    const char *path, *base;
    const struct tp_run_file *trace; /* trace file; NULL for a `.tps` file */
};

struct tp_summary_inputs {
    /* traces sorted by run, worker and recording, followed by `.tps` files sorted by path */
    struct tp_summary_input *items;
    size_t count;
    size_t helper_count; /* number of traces of helper processes (rundir.h), which are not in `items` */
    /* paths of named files that do not exist (const char *); empty with TP_INPUTS_MUST_EXIST */
    struct tp_vec missing;
    struct tp_runs runs; /* runs with the traces that were found */
};

enum tp_inputs_wanted {
    TP_INPUTS_MUST_EXIST,     /* a named file that does not exist is an error */
    TP_INPUTS_MAY_BE_MISSING, /* a named file that does not exist is added to `missing` */
    TP_INPUTS_SUMMARIES       /* like TP_INPUTS_MAY_BE_MISSING, but all files and "-" count as summaries */
};

/* Finds the inputs of a search. A file that begins like a summary is a summary; other files and "-" are traces. In a
 * folder, finds traces, or *.tps if the folder has no traces. Allocates from `arena`, whose guard the caller sets.
 * Returns 0, TP_ENOTFOUND, TP_ELIMIT, or TP_EIO if a folder cannot be read. */
int tp_summary_inputs_find(struct tp_summary_inputs *inputs, struct tp_arena *arena, const struct tp_run_search *search,
                           enum tp_inputs_wanted wanted, struct tp_error *err);

/* Returns whether a path names a regular file that begins like a summary. Does not open pipes. */
bool tp_summary_inputs_is_summary(const char *path);

/* Appends the nonempty lines of a file ("-" for standard input) to `paths`, as const char * in the arena of `paths`.
 * Returns 0, TP_ENOTFOUND or TP_ELIMIT. */
int tp_summary_inputs_read_list(struct tp_vec *paths, const char *file, struct tp_error *err);

/* Adds the summaries in a `.tps` file ("-" for standard input) to the set. Returns the result of tp_summary_set_read,
 * or TP_EIO. */
int tp_summary_inputs_read(struct tp_summary_set *set, const char *path, struct tp_error *err);

#endif
