/* Runs a check: reads the budget, the run and its baseline from files, judges the run and stores the new baseline. */
#ifndef TP_WEBREPORT_SESSION_CHECK_SESSION_H
#define TP_WEBREPORT_SESSION_CHECK_SESSION_H

#include "webreport/compare/gate/gate.h"
#include "webreport/session/console.h"
#include "webreport/session/stored_history.h"
#include "webreport/session/summaries.h"

struct tp_check_session {
    const char *const *inputs;
    size_t input_count;
    const char *budget;   /* file; NULL: the built-in budget */
    const char *baseline; /* trace, .tps or folder of them; NULL: none */
    bool updates_baseline;
    const char *source_root; /* folder of the sources; NULL: the working folder */
    bool accepts;       /* this run begins a new level even if it broke a limit */
    const char *reason; /* why it is accepted; NULL: not given */
    int64_t committed_s; /* time of the commit of the code that ran, seconds of the epoch; 0: unknown */
    const char *label;  /* name of the new file in a folder of baselines; NULL: the name of the input */
    struct tp_trace_options read;
    struct tp_rule_overrides rules;
    struct tp_console *console;

    /* filled by tp_check_session_run */
    struct tp_budget limits;
    struct tp_summaries sides[2]; /* baseline, run */
    struct tp_check_input input;
    struct tp_check check;
    /* the runs in a folder of baselines and this run; count 0: the baseline is not a folder */
    struct tp_stored_history history;
};

/* Reads all inputs and judges the run, in `arena` (guard set by the caller). Returns 0, TP_EUSAGE for a budget that
 * cannot be read or has a mistake, or the result of tp_summaries_load. */
int tp_check_session_run(struct tp_check_session *session, struct tp_arena *arena, struct tp_error *err);

/* Stores the runs if updates_baseline is set. A folder of baselines gets LABEL.tps, with a note when a limit is broken
 * or the run is accepted. A baseline that is a file is replaced, unless a limit is broken and the run is not accepted.
 * A damaged input is never stored. Returns 0, TP_EIO, TP_ENOMEM. */
int tp_check_session_store(const struct tp_check_session *session, struct tp_arena *arena, struct tp_error *err);

#endif
