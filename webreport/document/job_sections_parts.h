/* Parts of the job page that have files of their own. */
#ifndef TP_WEBREPORT_DOCUMENT_JOB_SECTIONS_PARTS_H
#define TP_WEBREPORT_DOCUMENT_JOB_SECTIONS_PARTS_H

#include "webreport/document/data.h"
#include "webreport/document/job_sections.h"
#include "webreport/document/name_text.h"
#include "webreport/document/rank_heat.h"

/* Level of detail: what is shown of one job. */
struct tp_job_page_limits {
    size_t rows;       /* of each table */
    size_t drill_down; /* worst ranks whose row opens */
    bool has_heat;
};

/* One job of the page. */
struct tp_job_page {
    const struct tp_jobs *jobs;
    const struct tp_job *job;
    struct tp_arena *arena;
    struct tp_naming naming;
    const struct tp_job_page_limits *limits;
};

/* Title, notices, verdict, split, figures, findings. */
void tp_job_page_put_overview(const struct tp_job_page *page, struct tp_object *root);
/* The heat map; nothing without steps. */
void tp_job_page_put_heat(const struct tp_job_page *page, struct tp_object *root);
/* The list of sections with tables. */
void tp_job_page_put_tables(const struct tp_job_page *page, struct tp_object *root);

#endif
