/* Runs a check: reads the budget, the run and its baseline from files, judges the run, and stores the new baseline. */
#ifndef TP_WEBREPORT_SESSION_CHECK_SESSION_H
#define TP_WEBREPORT_SESSION_CHECK_SESSION_H

#include "webreport/compare/gate/gate.h"
#include "webreport/session/console.h"
#include "webreport/session/stored_history.h"
#include "webreport/session/summaries.h"

struct tp_check_session {
    const char *const *inputs;
    size_t input_count;
    const char *budget;   /* budget file; NULL selects the built-in budget */
    const char *baseline; /* trace, .tps file, or folder of them; NULL without a baseline */
    bool updates_baseline;
    const char *source_root; /* folder of the source files; NULL selects the working folder */
    bool accepts;            /* the run begins a new accepted level, even if it broke a limit */
    const char *reason;      /* reason why it is accepted; NULL if not given */
    int64_t committed_s;     /* time of the commit of the code that ran, seconds since 1970; 0 if unknown */
    const char *label;       /* name of the new file in a folder of baselines; NULL selects the name of the input */
    struct tp_trace_options read;
    struct tp_rule_overrides rules;
    struct tp_console *console;

    /* parsed budget, filled by tp_check_session_run */
    struct tp_budget limits;
    struct tp_summaries sides[2]; /* baseline and run */
    struct tp_check_input input;
    struct tp_check check;
    /* the runs in a folder of baselines, and this run; its count is 0 if the baseline is not a folder */
    struct tp_stored_history history;
};

/* Reads all inputs and judges the run. Allocates from `arena`, whose guard the caller sets. Returns 0, TP_EUSAGE if the
 * budget cannot be read or has a mistake, or the result of tp_summaries_load. */
int tp_check_session_run(struct tp_check_session *session, struct tp_arena *arena, struct tp_error *err);

/* Stores the runs if updates_baseline is set. A folder of baselines gets LABEL.tps, and a note if a limit is broken or
 * the run is accepted. A baseline that is a file is replaced, unless a limit is broken and the run is not accepted. A
 * damaged input is never stored. Returns 0, TP_EIO or TP_ENOMEM. */
int tp_check_session_store(const struct tp_check_session *session, struct tp_arena *arena, struct tp_error *err);

#endif
