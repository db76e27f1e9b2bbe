/* The jobs of one output in words: of each the verdict, what holds it up, its ranks, groups and collectives. */
#ifndef TP_WEBREPORT_DOCUMENT_JOB_JOB_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_JOB_JOB_DOCUMENT_H

#include "webreport/compare/job/job.h"
#include "webreport/document/block.h"
#include "webreport/document/name_text.h"

/* Makes the document in `arena` (guard set by the caller), a page per job; it borrows the jobs, whose arena serves,
 * too. redact: hides path prefixes and host names. source_url: as tp_source_link has it; may be NULL. */
void tp_job_document(struct tp_document *document, const struct tp_jobs *jobs, bool redact, const char *source_url,
                     struct tp_arena *arena);

/* The ranks of a report as their job's page has them: verdict and findings, and those with the replay as a record.
 * job: of tp_job_of_steps, replayed. */
void tp_job_ranks_document(struct tp_document *document, const struct tp_naming *naming, const struct tp_job *job);

/* ---- parts (job_findings.c, job_shown.c, rank_heat.c) ---- */

struct tp_job_wording {
    struct tp_document *document;
    const struct tp_jobs *jobs;
    const struct tp_job *job;
    struct tp_naming naming;
    struct tp_arena *arena;
};

/* What is said first: held up by what, or even. The document is not needed. */
struct tp_verdict_block tp_job_verdict(const struct tp_job_wording *wording);
/* All findings, costliest first. */
void tp_job_put_findings(const struct tp_job_wording *wording);
/* A member of a record: a table of job_tables.h, whole. */
void tp_job_record_table(struct tp_object *record, const char *key, const struct tp_job *job,
                         void (*build)(struct tp_table *table, const struct tp_job *job, size_t max_runs));
/* Findings and replay. */
void tp_job_record_causes(struct tp_object *record, const struct tp_job *job);
/* A section with the picture of ranks and steps; nothing without comparable ranks. */
void tp_job_put_heat(const struct tp_job_wording *wording);
/* The heat map and the tables, a section each. */
void tp_job_put_tables(const struct tp_job_wording *wording);

#endif
