/* A finished job as JSON, as sections of the page, as Markdown. */
#ifndef TP_WEBREPORT_PRINT_JOB_PRINT_H
#define TP_WEBREPORT_PRINT_JOB_PRINT_H

#include "webreport/document/job_sections.h"
#include "webreport/document/rank_heat.h"
#include "webreport/print/report_page.h"
#include "writer/base/json_out.h"

/* {"schema":"tracepress-job", ..}: every number of the page, and the distributed view of `report --json`. */
void tp_jobs_json(const struct tp_jobs *jobs, struct tp_json *json);

/* The page. Of the options: redact, separate_assets, source_url, templates_dir, max_bytes. The texts of *files live in
 * the arena of the jobs, whose guard is the caller's. Returns 0; TP_EUSAGE for a source address that is no link;
 * TP_ELIMIT when the shortest page is beyond max_bytes; a template's TP_EFORMAT. */
int tp_jobs_page(struct tp_page_files *files, const struct tp_jobs *jobs, const struct tp_page_options *options,
                 struct tp_arena *arena, struct tp_error *err);

/* The digest: at most TP_MAX_MARKDOWN_BYTES. line: scratch of the caller's, who releases both. */
void tp_jobs_markdown(const struct tp_jobs *jobs, struct tp_buf *out, struct tp_buf *line);

#endif
