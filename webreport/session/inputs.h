/* Does the common work of commands that read traces: finds the inputs, prints what was repaired, and turns a status
 * into an exit code. */
#ifndef TP_WEBREPORT_SESSION_INPUTS_H
#define TP_WEBREPORT_SESSION_INPUTS_H

#include "webreport/session/console.h"
#include "webreport/trace/rundir.h"
#include "webreport/trace/trace.h"

/* Finds the traces (see tp_rundir_find) and prints which were found by their content. Allocates from `arena`, whose
 * guard the caller sets. *file_count: files of all runs. Returns 0, TP_ENOTFOUND (also for folders without traces) or
 * TP_ELIMIT. */
int tp_inputs_find(struct tp_runs *runs, size_t *file_count, struct tp_arena *arena, const struct tp_run_search *search,
                   struct tp_console *console, struct tp_error *err);

/* Prints which files of the folders are read because of their content, and which are skipped because they are not
 * regular files. */
void tp_inputs_say_found(struct tp_console *console, const struct tp_runs *runs);

/* Prints which recordings in the folders of a search have no trace yet, and the command that makes the traces. The
 * caller sets the guard of the arena. */
void tp_inputs_say_unfinished(struct tp_console *console, const struct tp_run_search *search, struct tp_arena *arena);

/* Returns TP_ENOTFOUND for a search that found no `wanted` ("traces"); *err gets the reason and the next step. The
 * caller sets the guard of the arena. */
int tp_inputs_none(const struct tp_runs *runs, const struct tp_run_search *search, const char *wanted,
                   struct tp_arena *arena, struct tp_error *err);

/* Prints one notice per kind of repair or oddity. */
void tp_inputs_say_notices(struct tp_console *console, const char *path, const struct tp_reading *reading);

/* Returns the last part of a path, in `arena`. Outputs use it as the name of a run, so that they do not reveal its
 * folder. */
const char *tp_inputs_shown_name(struct tp_arena *arena, const char *path);

/* Returns true when a path names a folder that exists, or ends in '/' and so names a folder to create. */
bool tp_inputs_is_folder(const char *path);

/* Returns a file's name without the endings of traces and summaries (".pt.trace.json.gz", ".tps"); at least `least`
 * bytes remain. Borrows `name`. */
struct tp_str tp_inputs_bare_name(struct tp_str name, size_t least);

/* Returns true when both paths name the same existing regular file: an output must not be an input. */
bool tp_inputs_is_same(const char *a, const char *b);

/* The files named on a command line; a name may be NULL: not given. */
struct tp_named_files {
    const char *const *outputs, *const *inputs;
    size_t output_count, input_count;
    const char *more[2]; /* inputs named by options: a budget, a baseline */
};

/* Returns what is wrong with the names, NULL: nothing. It is wrong when an output has no name, is an input, or has the
 * name of another output (except /dev/null), or when two inputs are "-". */
const char *tp_inputs_clash(const struct tp_named_files *named);

/* Returns the exit code (enum tp_exit) of a command that ends with this status. */
int tp_inputs_exit_code(int status);

#endif
