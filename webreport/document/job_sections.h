/* Jobs as sections of a page: what several outputs say of the same jobs. */
#ifndef TP_WEBREPORT_DOCUMENT_JOB_SECTIONS_H
#define TP_WEBREPORT_DOCUMENT_JOB_SECTIONS_H

#include "webreport/compare/job.h"

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

/* "J1" .. by rule. */
const char *tp_job_rule_id(enum tp_job_rule rule);

#endif
