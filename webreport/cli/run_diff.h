/* The job behind `tracepress diff`: both sides read, compared, written. */
#ifndef TP_WEBREPORT_CLI_RUN_DIFF_H
#define TP_WEBREPORT_CLI_RUN_DIFF_H

#include "webreport/print/print.h"
#include "webreport/session/diff_side.h"

struct tp_diff_job {
    const char *paths[TP_SIDES];
    const char *html, *json, *markdown; /* NULL: not wanted; "-": standard output */
    struct tp_compare_options compare;
    struct tp_print_options print;
    struct tp_diff_read read;
    bool redact, exits_zero, fails_inconclusive;
    struct tp_console *console;
};

/* Runs it. Returns an exit code (enum tp_exit); everything that went wrong has been said. */
int tp_diff_run(const struct tp_diff_job *job);

#endif
