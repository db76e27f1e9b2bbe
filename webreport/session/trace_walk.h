/* The traces of a command's inputs, one after the other: found, read, handed over, dropped. What `report`, `table` and
 * `export` start from.
 *
 * One trace is in memory at a time. An input that cannot be used is said, counted, and not fatal. */
#ifndef TP_WEBREPORT_SESSION_TRACE_WALK_H
#define TP_WEBREPORT_SESSION_TRACE_WALK_H

#include "webreport/measure/result/profile.h"
#include "webreport/session/console.h"
#include "webreport/session/trace_analysis.h"
#include "webreport/trace/rundir.h"
#include "webreport/trace/trace.h"

/* A trace that was read, on its way; all of it goes when tp_walk_user.use returns. */
struct tp_walked {
    const struct tp_run *run;
    const struct tp_run_file *file;
    const char *path;             /* of the file, or with keeps_copies of a copy that can be read again */
    struct tp_analysis *analysis; /* trace alone; the arena's guard is set */
};

/* What is done with the traces. Functions that are NULL are not called; each returns 0, or a negative tp_status with
 * *err that ends the walk. */
struct tp_walk_user {
    int (*found)(void *context, struct tp_error *err); /* the inputs are known */
    int (*begin_run)(void *context, const struct tp_run *run, struct tp_error *err);
    /* Never NULL. TP_ENOTFOUND: the trace lacks what is wanted, which is said, and it counts as not usable. */
    int (*use)(void *context, const struct tp_walked *walked, struct tp_error *err);
    int (*failed)(void *context, const struct tp_walked *walked, const char *why, struct tp_error *err);
    int (*end_run)(void *context, const struct tp_run *run, struct tp_error *err);
};

struct tp_trace_walk {
    const char *const *inputs; /* traces of any name, "-", folders of traces */
    size_t input_count;
    struct tp_trace_options read; /* is_strict: it ends with an error when an input could not be used */
    bool is_unread; /* the user reads each trace itself: those of the analyses are empty, limits that it meets are
                       those of reading */
    bool
        keeps_copies; /* the user reads each trace again: of pipes a copy is kept, in a temporary file without a name */
    const struct tp_rule_overrides *rules; /* NULL: the defaults */
    struct tp_console *console;
    struct tp_arena *arena; /* of the whole walk; its guard is the caller's */
    const struct tp_walk_user *user;
    void *context; /* of the user's functions */
    /* filled by the walk */
    struct tp_runs runs;
    size_t file_count, done_count, usable_count;
    bool hit_limit; /* is why an input could not be used */
};

/* Walks. Returns 0, what a function of the user returned, TP_ENOTFOUND or TP_ELIMIT without a usable input. */
int tp_trace_walk(struct tp_trace_walk *walk, struct tp_error *err);

/* Whether a path names one of the inputs found, which an output must not be. */
bool tp_trace_walk_reads(const struct tp_trace_walk *walk, const char *path);

/* The profile of an analysis that was built, or is to be built; it borrows both. */
struct tp_profile tp_walked_profile(const struct tp_walked *walked);

#endif
