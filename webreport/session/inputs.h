/* Does the work that is common to all commands with traces: finds the inputs, prints notices about them, and chooses
 * exit codes. */
#ifndef TP_WEBREPORT_SESSION_INPUTS_H
#define TP_WEBREPORT_SESSION_INPUTS_H

#include "webreport/model/facts.h"
#include "webreport/session/console.h"
#include "webreport/trace/rundir.h"
#include "webreport/trace/trace.h"

/* Finds traces as tp_rundir_find does, and prints which files were recognized by their content. *file_count: number of
 * files in all runs. Allocates from `arena`, whose guard the caller sets. Returns 0, TP_ELIMIT, or TP_ENOTFOUND if an
 * input does not exist or if there are no traces. */
int tp_inputs_find(struct tp_runs *runs, size_t *file_count, struct tp_arena *arena, const struct tp_run_search *search,
                   struct tp_console *console, struct tp_error *err);

/* Prints which files in folders were recognized by their content, and which are ignored because they are not regular
 * files. */
void tp_inputs_print_found(struct tp_console *console, const struct tp_runs *runs);

/* Prints how many recordings in the searched folders have no trace yet, and the command that makes these traces.
 * Allocates from `arena`, whose guard the caller sets. */
void tp_inputs_print_unfinished(struct tp_console *console, const struct tp_run_search *search, struct tp_arena *arena);

/* Sets *err after a search without results: the reason, and advice for the user. Returns TP_ENOTFOUND. wanted: what was
 * searched, such as "traces". Allocates from `arena`, whose guard the caller sets. */
int tp_inputs_set_not_found_error(const struct tp_runs *runs, const struct tp_run_search *search, const char *wanted,
                                  struct tp_arena *arena, struct tp_error *err);

/* Prints the producer of a trace of another profiler and what it cannot show, and one notice for each kind of damage or
 * repair in the trace. */
void tp_inputs_print_notices(struct tp_console *console, const char *path, const struct tp_trace *trace);

/* Prints that a trace is only a capture trace, and for how many graphs. Allocates from `arena`. */
void tp_inputs_print_map(struct tp_console *console, const char *path, const struct tp_captures *captures,
                         struct tp_arena *arena);

/* Prints how many kernels of graphs were joined with captured calls. Prints nothing for traces without graphs or
 * without captures. Allocates from `arena`. */
void tp_inputs_print_joined(struct tp_console *console, const char *path, const struct tp_model *model,
                            struct tp_arena *arena);

/* Returns the last part of a path, in `arena`. Outputs use it as the name of a run, so that they do not reveal the
 * user's folders. */
const char *tp_inputs_last_path_part(struct tp_arena *arena, const char *path);

/* Returns true if a path names an existing folder, or ends in '/' and so names a folder to be created. */
bool tp_inputs_is_folder(const char *path);

/* Returns the number of traces below a folder. include: the option --include; NULL: none. Returns 0 if the folder
 * cannot be searched. */
size_t tp_inputs_count_traces(const char *folder, const char *include);

/* Returns the start of `name` without the endings of traces and summaries (".pt.trace.json.gz", ".tps"). Keeps at least
 * `least` bytes. */
struct tp_str tp_inputs_name_without_endings(struct tp_str name, size_t least);

/* Returns true if both paths name the same existing regular file, so that an output does not overwrite an input. */
bool tp_inputs_are_same_file(const char *a, const char *b);

/* The files that a command line names. Each name can be NULL. */
struct tp_named_files {
    const char *const *outputs, *const *inputs;
    size_t output_count, input_count;
    const char *more[2]; /* inputs that options name, such as a budget or a baseline */
};

/* Returns the first mistake in the names as a sentence; NULL if none exists. An output needs a name, must not be an
 * input, and must differ from all other outputs (except /dev/null). Only one input may be "-". */
const char *tp_inputs_find_conflict(const struct tp_named_files *named);

/* Returns the exit code (enum tp_exit) of a command. status: result of the command, a tp_status; 0 means success. */
int tp_inputs_exit_code(int status);

#endif
