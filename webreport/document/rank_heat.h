/* The heat map of a job: how much longer each rank took than comparable ones, step by step. */
#ifndef TP_WEBREPORT_DOCUMENT_RANK_HEAT_H
#define TP_WEBREPORT_DOCUMENT_RANK_HEAT_H

#include "webreport/compare/job.h"

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
