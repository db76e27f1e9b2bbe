/* Walks over the traces of a command's inputs: finds them, reads each one, passes it to the user and releases it.
 * `report`, `table` and `export` use it.
 *
 * One trace is in memory at a time. An input that cannot be used is printed and counted; it is not fatal. */
#ifndef TP_WEBREPORT_SESSION_TRACE_WALK_H
#define TP_WEBREPORT_SESSION_TRACE_WALK_H

#include "webreport/measure/result/profile.h"
#include "webreport/session/console.h"
#include "webreport/session/trace_analysis.h"
#include "webreport/trace/rundir.h"
#include "webreport/trace/trace.h"

/* A trace that was read; it is released when tp_walk_user.use returns. */
struct tp_walked {
    const struct tp_run *run;
    const struct tp_run_file *file;
    /* path of the file; with keeps_copies possibly that of a copy, which can be read again */
    const char *path;
    struct tp_analysis *analysis; /* only the trace; the arena's guard is set */
};

/* The functions called during a walk. Functions that are NULL are not called. Each returns 0, or a negative tp_status
 * with *err, which ends the walk. */
struct tp_walk_user {
    int (*found)(void *context, struct tp_error *err); /* the inputs are known */
    int (*begin_run)(void *context, const struct tp_run *run, struct tp_error *err);
    /* Never NULL. TP_ENOTFOUND: the trace lacks the wanted data; this is printed and the trace counts as unusable. */
    int (*use)(void *context, const struct tp_walked *walked, struct tp_error *err);
    int (*failed)(void *context, const struct tp_walked *walked, const char *why, struct tp_error *err);
    int (*end_run)(void *context, const struct tp_run *run, struct tp_error *err);
};

struct tp_trace_walk {
    const char *const *inputs; /* traces of any name, "-", folders of traces */
    size_t input_count;
    struct tp_trace_options read; /* is_strict: the walk ends with an error when an input cannot be used */
    bool is_unread; /* the user reads each trace itself: the traces of the analyses are empty, and limits that the
                       user exceeds count as limits of reading */
    bool
        keeps_copies; /* the user reads each trace again: pipes are copied to a temporary file without a name */
    const struct tp_rule_overrides *rules; /* NULL: the defaults */
    struct tp_console *console;
    struct tp_arena *arena; /* arena of the whole walk; guard set by the caller */
    const struct tp_walk_user *user;
    void *context; /* argument of the user's functions */
    /* filled by the walk */
    struct tp_runs runs;
    size_t file_count, done_count, usable_count;
    bool hit_limit; /* an input could not be used because of a limit */
};

/* Walks over the traces. Returns 0, the error of a user's function, or TP_ENOTFOUND or TP_ELIMIT without a usable
 * input. */
int tp_trace_walk(struct tp_trace_walk *walk, struct tp_error *err);

/* Returns true when a path names one of the inputs found: an output must not be an input. */
bool tp_trace_walk_reads(const struct tp_trace_walk *walk, const char *path);

/* Returns the profile of an analysis, which may be built later; it borrows both. */
struct tp_profile tp_walked_profile(const struct tp_walked *walked);

#endif
