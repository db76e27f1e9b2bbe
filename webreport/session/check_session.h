/* A check from its files: the budget, the runs, their baseline, the verdict; and the new baseline. */
#ifndef TP_WEBREPORT_SESSION_CHECK_SESSION_H
#define TP_WEBREPORT_SESSION_CHECK_SESSION_H

#include "webreport/compare/gate/gate.h"
#include "webreport/session/console.h"
#include "webreport/session/stored_history.h"
#include "webreport/session/summaries.h"

struct tp_check_session {
    const char *const *inputs;
    size_t input_count;
    const char *budget;   /* file; NULL: the one built in */
    const char *baseline; /* trace, .tps or folder of them; NULL: none */
    bool updates_baseline;
    const char *source_root; /* folder of the sources; NULL: the working folder */
    bool accepts;       /* a new level begins with this run, whatever it broke */
    const char *reason; /* why; NULL: nobody says */
    int64_t committed_s; /* when what ran was committed, seconds of the epoch; 0: not known */
    const char *label;  /* name of the new file in a folder of baselines; NULL: that of the input */
    struct tp_trace_options read;
    struct tp_rule_overrides rules;
    struct tp_console *console;

    /* what tp_check_session_run makes */
    struct tp_budget limits;
    struct tp_summaries sides[2]; /* baseline, run */
    struct tp_check_input input;
    struct tp_check check;
    struct tp_stored_history history; /* the runs of a folder of baselines and this one; count 0: there is no such folder */
};

/* Reads everything and judges it, in `arena` (guard set by the caller). Returns 0; TP_EUSAGE for a budget that cannot
 * be read or has a mistake; what tp_summaries_load returns. */
int tp_check_session_run(struct tp_check_session *session, struct tp_arena *arena, struct tp_error *err);

/* Stores the runs when that was asked for: as LABEL.tps in the folder PATH, with a note when a limit is broken or they
 * are accepted; or as PATH, which stays as it is when a limit is broken and nobody accepts that. A damaged input is
 * never stored. Returns 0, TP_EIO, TP_ENOMEM. */
int tp_check_session_store(const struct tp_check_session *session, struct tp_arena *arena, struct tp_error *err);

#endif
