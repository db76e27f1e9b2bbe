/* Builds the jobs from `.tps` files: the summaries of many ranks, grouped by job and span. */
#ifndef TP_WEBREPORT_SESSION_JOB_SESSION_H
#define TP_WEBREPORT_SESSION_JOB_SESSION_H

#include "webreport/compare/job/job.h"
#include "webreport/session/console.h"
#include "webreport/trace/rundir.h"

/* Decides whether the inputs are a job. Returns 1 when every input is a summary or a folder with summaries and no
 * trace; 0 when no input is; TP_EUSAGE when only some are; TP_ENOMEM, TP_ELIMIT. */
int tp_job_is_asked(const struct tp_run_search *search);

struct tp_job_session {
    const char *const *inputs;
    size_t input_count;
    bool is_strict; /* an input that cannot be used is an error */
    struct tp_console *console;
};

/* Reads, unpacks and compares the inputs in `arena` (guard set by the caller). Prints and lists inputs that cannot be
 * used. Returns 0; without a usable input TP_ENOTFOUND, or TP_ELIMIT if a limit is the cause; TP_ENOMEM. */
int tp_job_session_run(struct tp_jobs *jobs, const struct tp_job_session *session, struct tp_arena *arena,
                       struct tp_error *err);

#endif
