/* Builds a job from the summaries of its ranks, then calls the stages of job_parts.h in their order.
 *
 * A summary can be freed after tp_job_add_summary. All data is in the arena, whose guard the caller sets.
 * Single-threaded. */
#ifndef TP_WEBREPORT_COMPARE_JOB_JOB_BUILD_H
#define TP_WEBREPORT_COMPARE_JOB_JOB_BUILD_H

#include "webreport/compare/job/job.h"

/* Initializes an empty job. span: number of the recording within the job; TP_NULL_INT if unknown. */
void tp_job_init(struct tp_job *job, struct tp_arena *arena, struct tp_str name, int64_t span);
/* Adds a rank. Ranks must be added in the order of tp_summary_key_compare. The caller may then free the summary. */
void tp_job_add_summary(struct tp_job *job, const struct tp_summary *summary);
/* Compares the ranks and fills the results. */
void tp_job_finish(struct tp_job *job);

#endif
