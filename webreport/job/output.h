/* A finished job as JSON, as sections of the page, as Markdown. */
#ifndef TP_WEBREPORT_JOB_OUTPUT_H
#define TP_WEBREPORT_JOB_OUTPUT_H

#include "webreport/job/job.h"
#include "webreport/render/page.h"
#include "writer/base/json_out.h"

/* An input that could not be used. */
struct tp_job_failed {
    struct tp_str file, why;
};

/* All jobs of one output, in order. */
struct tp_jobs {
    struct tp_job *items;
    size_t count;
    struct tp_job_failed *failed;
    size_t failed_count;
    uint64_t duplicate_count; /* records that another one of the same rank replaced */
    uint64_t left_out_count;  /* records of jobs and spans beyond TP_MAX_JOB_SPANS */
};

/* {"schema":"tracepress-job", ..}: every number of the page, and the distributed view of `report --json`. */
void tp_jobs_json(const struct tp_jobs *jobs, struct tp_json *json);

/* The page. Of the options: redact, separate_assets, source_url, templates_dir, max_bytes. The texts of *files live in
 * the arena of the jobs, whose guard is the caller's. Returns 0; TP_EUSAGE for a source address that is no link;
 * TP_ELIMIT when the shortest page is beyond max_bytes; a template's TP_EFORMAT. */
int tp_jobs_page(struct tp_page_files *files, const struct tp_jobs *jobs, const struct tp_page_options *options,
                 struct tp_arena *arena, struct tp_error *err);

/* The digest: at most TP_MAX_MARKDOWN_BYTES. line: scratch of the caller's, who releases both. */
void tp_jobs_markdown(const struct tp_jobs *jobs, struct tp_buf *out, struct tp_buf *line);

/* "J1" .. by rule. */
const char *tp_job_rule_id(enum tp_job_rule rule);

/* ---- heat.c ---- */

enum {
    TP_JOB_HEAT_RANKS = 1000,
    TP_JOB_HEAT_STEPS = 200,
    TP_JOB_HEAT_NOTHING = 0xC4CAD2 /* colour where no such step was recorded, or no rank is comparable */
};

/* Excess over comparable ranks: a cell per rank and step, or per some of each. */
struct tp_job_heat {
    uint32_t column_count, row_count; /* ranks across, steps down */
    uint32_t ranks_per_cell, steps_per_cell;
    float *share; /* [row * column_count + column]: largest excess as a share of the cluster's step; NaN: none */
};

void tp_job_heat_build(struct tp_job_heat *heat, const struct tp_job *job, struct tp_arena *arena);
/* The picture, a pixel per cell, as a data: address. */
const char *tp_job_heat_picture(const struct tp_job_heat *heat, struct tp_arena *arena);
/* Colours and what they stand for: number of classes, then the lower end of one (share; -1 for the lowest). */
unsigned tp_job_heat_class_count(void);
void tp_job_heat_class(unsigned index, uint32_t *colour, const char **label);

#endif
