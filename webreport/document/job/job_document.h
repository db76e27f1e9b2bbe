/* Makes the document of jobs. For each job it shows the verdict, the causes of lost time, the ranks, groups and
 * collectives. */
#ifndef TP_WEBREPORT_DOCUMENT_JOB_JOB_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_JOB_JOB_DOCUMENT_H

#include "webreport/compare/job/job.h"
#include "webreport/document/block.h"
#include "webreport/document/name_text.h"

/* Makes the document in `arena`, whose guard the caller has set, with a page for each job. The document borrows the
 * jobs and also allocates from their arenas. redact: hides path prefixes and host names. source_url: pattern for
 * tp_source_link, or NULL. */
void tp_job_document(struct tp_document *document, const struct tp_jobs *jobs, bool redact, const char *source_url,
                     struct tp_arena *arena);

#endif
