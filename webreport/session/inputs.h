/* Does the work that all commands with traces share: finds the inputs, prints notices about them, and makes exit
 * codes. */
#ifndef TP_WEBREPORT_SESSION_INPUTS_H
#define TP_WEBREPORT_SESSION_INPUTS_H

#include "webreport/session/console.h"
#include "webreport/trace/rundir.h"
#include "webreport/trace/trace.h"

/* Finds the traces like tp_rundir_find, and prints which ones were found by their content. *file_count: number of
 * files in all runs. Allocates from `arena`, whose guard the caller sets. Returns 0, TP_ELIMIT, or TP_ENOTFOUND,
 * also if folders have no traces. */
int tp_inputs_find(struct tp_runs *runs, size_t *file_count, struct tp_arena *arena, const struct tp_run_search *search,
                   struct tp_console *console, struct tp_error *err);

/* Prints which files in folders are used because of their content, and which are ignored because they are not
 * regular files. */
void tp_inputs_print_found(struct tp_console *console, const struct tp_runs *runs);

/* Prints the number of recordings in the folders of a search that have no trace yet, and the command that makes
 * their traces. Allocates from `arena`, whose guard the caller sets. */
void tp_inputs_print_unfinished(struct tp_console *console, const struct tp_run_search *search, struct tp_arena *arena);

/* Sets *err for a search that found no inputs: the reason, and what the user can do. Returns TP_ENOTFOUND. wanted:
 * name of the inputs, such as "traces". Allocates from an arena whose guard the caller sets. */
int tp_inputs_set_not_found_error(const struct tp_runs *runs, const struct tp_run_search *search, const char *wanted,
                                  struct tp_arena *arena, struct tp_error *err);

/* Prints one notice for each kind of repair or oddity in a trace. */
void tp_inputs_print_notices(struct tp_console *console, const char *path, const struct tp_reading *reading);

/* Returns the last part of a path, in `arena`. Outputs use it as the name of a run, so that they do not reveal the
 * user's folders. */
const char *tp_inputs_shown_name(struct tp_arena *arena, const char *path);

/* Returns true if a path names an existing folder, or ends in '/' and so names a folder to be created. */
bool tp_inputs_is_folder(const char *path);

/* Returns the name of a file without the endings of traces and summaries (".pt.trace.json.gz", ".tps"), as a part of
 * `name`. Leaves at least `least` bytes. */
struct tp_str tp_inputs_bare_name(struct tp_str name, size_t least);

/* Returns true if both paths name the same existing regular file. Used to keep an output from replacing an input. */
bool tp_inputs_are_same_file(const char *a, const char *b);

/* The files that a command line names. A name is NULL if it was not given. */
struct tp_named_files {
    const char *const *outputs, *const *inputs;
    size_t output_count, input_count;
    const char *more[2]; /* inputs that options name, such as a budget or a baseline */
};

/* Returns the first mistake in the names as a sentence; NULL if there is none. An output needs a name, must not be
 * an input, and must not equal another output (except /dev/null). Only one input may be "-". */
const char *tp_inputs_find_conflict(const struct tp_named_files *named);

/* Returns the exit code (enum tp_exit) of a command that ended with the tp_status `status`; 0 means success. */
int tp_inputs_exit_code(int status);

#endif
