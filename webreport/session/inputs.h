/* What every command that reads traces does alike: finds its inputs, says what was repaired, turns a status into an
 * exit code. */
#ifndef TP_WEBREPORT_SESSION_INPUTS_H
#define TP_WEBREPORT_SESSION_INPUTS_H

#include "webreport/session/console.h"
#include "webreport/trace/rundir.h"
#include "webreport/trace/trace.h"

/* Finds the traces (see tp_rundir_find) in `arena`, whose guard is the caller's, and says which were found by their
 * content; *file_count: of all runs. Returns 0 or TP_ENOTFOUND (also for folders without traces), TP_ELIMIT. */
int tp_inputs_find(struct tp_runs *runs, size_t *file_count, struct tp_arena *arena, const struct tp_run_search *search,
                   struct tp_console *console, struct tp_error *err);

/* Says which files of the folders are read for their content, and which are no regular files and left out. */
void tp_inputs_say_found(struct tp_console *console, const struct tp_runs *runs);

/* Names the recordings in the folders of a search whose traces were not made, and the command that makes them. The guard of
 * the arena is the caller's. */
void tp_inputs_say_unfinished(struct tp_console *console, const struct tp_run_search *search, struct tp_arena *arena);

/* Returns TP_ENOTFOUND for a search that found nothing of what was `wanted` ("traces"), with the reason and the next
 * step. The guard of the arena is the caller's. */
int tp_inputs_none(const struct tp_runs *runs, const struct tp_run_search *search, const char *wanted,
                   struct tp_arena *arena, struct tp_error *err);

/* One notice per kind of repair or oddity. */
void tp_inputs_say_notices(struct tp_console *console, const char *path, const struct tp_reading *reading);

/* Last part of a path, as outputs call a run: they shall not tell where it was. In `arena`. */
const char *tp_inputs_shown_name(struct tp_arena *arena, const char *path);

/* Whether a path names a folder: one that is there, or, ending in '/', one to be made. */
bool tp_inputs_is_folder(const char *path);

/* A file's name without the endings of traces and summaries (".pt.trace.json.gz", ".tps"); at least `least` bytes stay.
 * Borrows. */
struct tp_str tp_inputs_bare_name(struct tp_str name, size_t least);

/* Whether two paths name one regular file that is there: an output must not be an input. */
bool tp_inputs_is_same(const char *a, const char *b);

/* The files that a command was given; a name may be NULL: it is not there. */
struct tp_named_files {
    const char *const *outputs, *const *inputs;
    size_t output_count, input_count;
    const char *more[2]; /* inputs that options name: a budget, a baseline */
};

/* What is wrong with the names, NULL: nothing. An output has no name, is an input, or has the name of another one (but
 * /dev/null); or two inputs are "-". */
const char *tp_inputs_clash(const struct tp_named_files *named);

/* The exit code (enum tp_exit) of a command that ends with this status. */
int tp_inputs_exit_code(int status);

#endif
