/* Builds jobs from `.tps` files. A job has the summaries of all ranks with the same job name and recording number. */
#ifndef TP_WEBREPORT_SESSION_JOB_SESSION_H
#define TP_WEBREPORT_SESSION_JOB_SESSION_H

#include "webreport/compare/job/job.h"
#include "webreport/session/console.h"
#include "webreport/trace/rundir.h"

/* Returns 1 if the inputs are a job: every input is a summary, or a folder with summaries and without traces. Returns 0
 * if no input is a summary, and TP_EUSAGE if only some are. Can also return TP_ENOMEM or TP_ELIMIT. */
int tp_job_detect_inputs(const struct tp_run_search *search);

struct tp_job_session {
    const char *const *inputs;
    size_t input_count;
    bool is_strict; /* option --strict: an unusable input is an error */
    struct tp_console *console;
};

/* Reads, unpacks and compares the summaries. Prints and lists unusable inputs. Allocates from `arena`, whose guard the
 * caller sets. Returns 0 or TP_ENOMEM. If no input can be used, returns TP_ENOTFOUND, or TP_ELIMIT if the cause is a
 * limit. */
int tp_job_session_run(struct tp_jobs *jobs, const struct tp_job_session *session, struct tp_arena *arena,
                       struct tp_error *err);

#endif
