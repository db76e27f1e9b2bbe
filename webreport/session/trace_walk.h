/* Walks over the traces of a command's inputs: finds them, reads each one, passes it to the user of the walk, and
 * releases it. `report`, `table` and `export` use this module.
 *
 * One trace is in memory at a time. An input that cannot be used is printed and counted, but does not stop the walk. */
#ifndef TP_WEBREPORT_SESSION_TRACE_WALK_H
#define TP_WEBREPORT_SESSION_TRACE_WALK_H

#include "webreport/measure/result/profile.h"
#include "webreport/session/console.h"
#include "webreport/session/trace_analysis.h"
#include "webreport/trace/rundir.h"
#include "webreport/trace/trace.h"

/* A trace that was read. It is released when tp_walk_user.use returns. */
struct tp_walked {
    const struct tp_run *run;
    const struct tp_run_file *file;
    /* path of the file; with keeps_copies, it may be the path of a copy, which can be read again */
    const char *path;
    struct tp_analysis *analysis; /* has only the trace; the arena's guard is set */
};

/* The functions that a walk calls; NULL for no call. Each returns 0, or a negative tp_status with *err, which stops the
 * walk. */
struct tp_walk_user {
    int (*found)(void *context, struct tp_error *err); /* called when the inputs are known */
    int (*begin_run)(void *context, const struct tp_run *run, struct tp_error *err);
    /* Called for each trace; must not be NULL. If it returns TP_ENOTFOUND, the trace lacks the wanted data; this is
     * printed, and the trace counts as unusable. */
    int (*use)(void *context, const struct tp_walked *walked, struct tp_error *err);
    int (*failed)(void *context, const struct tp_walked *walked, const char *why, struct tp_error *err);
    int (*end_run)(void *context, const struct tp_run *run, struct tp_error *err);
};

struct tp_trace_walk {
    const char *const *inputs; /* traces of any name, "-", and folders of traces */
    size_t input_count;
    struct tp_trace_options read; /* with is_strict, an input that cannot be used stops the walk with an error */
    /* the user reads each trace itself, so the traces of the analyses are empty; limits that the user reaches count as
     * limits of reading */
    bool is_unread;
    bool keeps_copies; /* the user reads each trace again, so pipes are copied to a temporary file without a name */
    const struct tp_rule_overrides *rules; /* overrides of --rule; NULL selects the defaults */
    struct tp_console *console;
    struct tp_arena *arena; /* memory for the whole walk; the caller sets its guard */
    const struct tp_walk_user *user;
    void *context; /* first argument of the user's functions */
    /* the found traces; filled by the walk */
    struct tp_runs runs;
    size_t file_count, done_count, usable_count;
    bool hit_limit; /* an input could not be used because of a limit */
};

/* Walks over the traces. Returns 0, or the error of a user's function. If no input can be used, returns TP_ENOTFOUND or
 * TP_ELIMIT. */
int tp_trace_walk(struct tp_trace_walk *walk, struct tp_error *err);

/* Returns whether a path names one of the found inputs, because an output must not be an input. */
bool tp_trace_walk_has_input(const struct tp_trace_walk *walk, const char *path);

/* Returns the profile of an analysis, which may be completed later. Both must outlive the profile. */
struct tp_profile tp_walked_profile(const struct tp_walked *walked);

#endif
