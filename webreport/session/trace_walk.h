/* Processes the traces of a command one by one: finds them, reads each trace, passes it to the caller's functions and
 * releases it. Used by `report`, `table` and `export`.
 *
 * Memory contains only one trace at a time, and the traces that tp_trace_walk_keep keeps. The walk prints and counts an
 * unusable input, and continues with the next input. */
#ifndef TP_WEBREPORT_SESSION_TRACE_WALK_H
#define TP_WEBREPORT_SESSION_TRACE_WALK_H

#include "webreport/measure/result/profile.h"
#include "webreport/session/capture_maps.h"
#include "webreport/session/console.h"
#include "webreport/session/trace_analysis.h"
#include "webreport/trace/rundir.h"
#include "webreport/trace/trace.h"

/* A trace that was read. It is released when tp_walk_user.use returns, unless tp_trace_walk_keep keeps it. */
struct tp_walked {
    const struct tp_run *run;
    const struct tp_run_file *file;
    /* path for reading the trace again; the path of a copy if the input is a pipe and copies_pipes is set */
    const char *path;
    struct tp_analysis *analysis; /* analysis that contains only the trace so far; the guard of its arena is set */
};

/* The caller's functions; NULL for functions that are not needed. Each returns 0, or a negative tp_status with *err,
 * which ends the walk. */
struct tp_walk_user {
    int (*found)(void *context, struct tp_error *err); /* called when all inputs are found */
    int (*begin_run)(void *context, const struct tp_run *run, struct tp_error *err);
    /* Called for each trace; must not be NULL. May return TP_ENOTFOUND if the trace lacks the needed data; then the
     * reason is printed and the trace counts as unusable. */
    int (*use)(void *context, const struct tp_walked *walked, struct tp_error *err);
    int (*failed)(void *context, const struct tp_walked *walked, const char *why, struct tp_error *err);
    int (*end_run)(void *context, const struct tp_run *run, struct tp_error *err);
};

struct tp_trace_walk {
    const char *const *inputs; /* traces of any name, "-", and folders of traces */
    size_t input_count;
    struct tp_trace_options read; /* options for reading traces; with is_strict, the walk continues after an unusable
                                     input but fails at its end */
    /* true: the traces stay empty, because `use` reads each trace itself; a limit that `use` reaches makes the input
     * unusable */
    bool skips_reading;
    bool may_keep;     /* true: `use` may keep traces; `begin_run` may set it for the run */
    bool copies_pipes; /* true: copy pipes to a temporary file, because `use` reads each trace a second time */
    const struct tp_rule_overrides *rules; /* changes to rules by the option --rule; NULL for the default rules */
    struct tp_console *console;
    struct tp_arena *arena; /* memory for the whole walk, whose guard the caller sets */
    const struct tp_walk_user *user;
    void *context; /* first argument of the functions of `user` */
    /* traces that were found, filled by the walk */
    struct tp_capture_maps maps; /* capture traces that belong to the traces */
    struct tp_runs runs;
    size_t file_count, done_count, usable_count;
    bool hit_limit;     /* true if a limit made an input unusable */
    bool keeps_current; /* true if the trace that `use` has at the moment is kept */
    struct tp_vec kept; /* kept analyses of the run; elements: struct tp_analysis * */
};

/* Reads all traces and calls the caller's functions for each. Returns 0, or the error of one of these functions.
 * Returns TP_ENOTFOUND or TP_ELIMIT if no input is usable. */
int tp_trace_walk(struct tp_trace_walk *walk, struct tp_error *err);

/* Keeps the trace that was passed to `use`, which calls this function, until `end_run` of its run has returned.
 * may_keep must be set. */
void tp_trace_walk_keep(struct tp_trace_walk *walk);

/* Releases all kept traces. */
void tp_trace_walk_release_kept(struct tp_trace_walk *walk);

/* Returns true if a path is one of the inputs that were found, so that an output does not overwrite an input. */
bool tp_trace_walk_has_input(const struct tp_trace_walk *walk, const char *path);

/* Returns the label of a profile: RUN/WORKER, followed by the recording number if the file name has one. RUN is omitted
 * if there is only one run. */
struct tp_str tp_walked_label(const struct tp_trace_walk *walk, const struct tp_walked *walked, struct tp_arena *arena);

/* Returns a profile that refers to the parts of an analysis, which may be built later. walked and its analysis must
 * outlive the profile. */
struct tp_profile tp_walked_profile(const struct tp_walked *walked);

#endif
