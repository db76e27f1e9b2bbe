/* The jobs of `.tps` files: the summaries of many ranks, by job and span. */
#ifndef TP_WEBREPORT_SESSION_JOB_SESSION_H
#define TP_WEBREPORT_SESSION_JOB_SESSION_H

#include "webreport/compare/job/job.h"
#include "webreport/session/console.h"
#include "webreport/trace/rundir.h"

/* 1 when every input is a summary, or a folder of summaries that holds no trace: then it is a job's. 0: none is.
 * TP_EUSAGE when some are, TP_ENOMEM, TP_ELIMIT. */
int tp_job_is_asked(const struct tp_run_search *search);

struct tp_job_session {
    const char *const *inputs;
    size_t input_count;
    bool is_strict; /* an input that cannot be used is an error */
    struct tp_console *console;
};

/* Reads, unpacks and compares them in `arena` (guard set by the caller). Inputs that cannot be used are said and
 * listed. Returns 0; TP_ENOTFOUND without any usable one; TP_ELIMIT when that is due to a limit; TP_ENOMEM. */
int tp_job_session_run(struct tp_jobs *jobs, const struct tp_job_session *session, struct tp_arena *arena,
                       struct tp_error *err);

#endif
