/* Shared work of the commands that read traces: finds the inputs, prints what was repaired, and turns a status into an
 * exit code. */
#ifndef TP_WEBREPORT_SESSION_INPUTS_H
#define TP_WEBREPORT_SESSION_INPUTS_H

#include "webreport/session/console.h"
#include "webreport/trace/rundir.h"
#include "webreport/trace/trace.h"

/* Finds the traces (see tp_rundir_find), and prints which of them were found by their content. *file_count: number of
 * files of all runs. Allocates from `arena`, whose guard the caller sets. Returns 0, TP_ENOTFOUND (also for folders
 * without traces) or TP_ELIMIT. */
int tp_inputs_find(struct tp_runs *runs, size_t *file_count, struct tp_arena *arena, const struct tp_run_search *search,
                   struct tp_console *console, struct tp_error *err);

/* Prints which files of the folders are read because of their content, and which are skipped because they are no
 * regular files. */
void tp_inputs_print_found(struct tp_console *console, const struct tp_runs *runs);

/* Prints which recordings in the folders of a search have no trace yet, and the command that makes these traces.
 * Allocates from `arena`, whose guard the caller sets. */
void tp_inputs_print_unfinished(struct tp_console *console, const struct tp_run_search *search, struct tp_arena *arena);

/* Returns TP_ENOTFOUND for a search that found no inputs. *err: the reason, and what to do next. wanted: name of the
 * inputs, such as "traces". Allocates from an arena whose guard the caller sets. */
int tp_inputs_none_found(const struct tp_runs *runs, const struct tp_run_search *search, const char *wanted,
                         struct tp_arena *arena, struct tp_error *err);

/* Prints one notice for each kind of repair or irregularity in a trace. */
void tp_inputs_print_notices(struct tp_console *console, const char *path, const struct tp_reading *reading);

/* Returns the last part of a path, in `arena`. It serves as the name of a run, so that outputs do not reveal the user's
 * folders. */
const char *tp_inputs_shown_name(struct tp_arena *arena, const char *path);

/* Returns whether a path names an existing folder, or ends in '/' and so names a folder to create. */
bool tp_inputs_is_folder(const char *path);

/* Returns a file's name without the endings of traces and summaries (".pt.trace.json.gz", ".tps"). At least `least`
 * bytes remain. The result is a part of `name`. */
struct tp_str tp_inputs_bare_name(struct tp_str name, size_t least);

/* Returns whether both paths name the same existing regular file, because an output must not be an input. */
bool tp_inputs_is_same(const char *a, const char *b);

/* The files named on a command line. A name is NULL if it was not given. */
struct tp_named_files {
    const char *const *outputs, *const *inputs;
    size_t output_count, input_count;
    const char *more[2]; /* inputs named by options, such as a budget or a baseline */
};

/* Returns what is wrong with the names, or NULL if nothing is. An output must have a name, must not be an input, and
 * must not have the name of another output (except /dev/null). Only one input may be "-". */
const char *tp_inputs_find_conflict(const struct tp_named_files *named);

/* Returns the exit code (enum tp_exit) for a command that failed with this status, or succeeded with 0. */
int tp_inputs_exit_code(int status);

#endif
