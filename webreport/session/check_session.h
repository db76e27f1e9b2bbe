/* Runs `check`: reads the budget, the run and the baseline from files, checks the run, and stores the new baseline. */
#ifndef TP_WEBREPORT_SESSION_CHECK_SESSION_H
#define TP_WEBREPORT_SESSION_CHECK_SESSION_H

#include "webreport/compare/gate/gate.h"
#include "webreport/session/console.h"
#include "webreport/session/stored_history.h"
#include "webreport/session/summaries.h"

struct tp_check_session {
    const char *const *inputs;
    size_t input_count;
    const char *budget;   /* path of the budget file; NULL for the built-in budget */
    const char *baseline; /* trace, .tps file, or folder of traces or .tps files; NULL without a baseline */
    bool updates_baseline;
    bool are_snapshots;      /* true: the inputs and the baseline are memory snapshots */
    const char *source_root; /* root folder of the source files; NULL for the working folder */
    bool accepts;            /* true: the run becomes the new accepted level, even if it breaks a limit */
    const char *reason;      /* reason for accepting the run; NULL if not given */
    int64_t committed_s;     /* time of the commit of the code that ran, seconds since 1970; 0 if unknown */
    const char *label;       /* name of the new file in a folder of stored runs; NULL for the name of the input */
    struct tp_trace_options read;
    struct tp_rule_overrides rules;
    struct tp_console *console;

    /* limits read from the budget, filled by tp_check_session_run */
    struct tp_budget limits;
    struct tp_summaries sides[2]; /* summaries of the baseline [0] and of the run [1] */
    struct tp_check_input input;
    struct tp_check check;
    /* runs of a folder of stored runs, including this run; count is 0 for other baselines */
    struct tp_stored_history history;
};

/* Reads all inputs and checks the run. Allocates from `arena`, whose guard the caller sets. Returns 0, TP_EUSAGE for an
 * unreadable or invalid budget, or the result of tp_summaries_load. */
int tp_check_session_run(struct tp_check_session *session, struct tp_arena *arena, struct tp_error *err);

/* Stores the run if updates_baseline is set. A folder of stored runs gets the file LABEL.tps, and a note if a limit is
 * broken or the run is accepted. A baseline file is replaced, unless the run breaks a limit and is not accepted.
 * Damaged inputs are never stored. Returns 0, TP_EIO or TP_ENOMEM. */
int tp_check_session_store(const struct tp_check_session *session, struct tp_arena *arena, struct tp_error *err);

#endif
