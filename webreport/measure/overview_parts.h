/* Parts of the overview that have files of their own. */
#ifndef TP_WEBREPORT_MEASURE_OVERVIEW_PARTS_H
#define TP_WEBREPORT_MEASURE_OVERVIEW_PARTS_H

#include "webreport/measure/overview.h"

/* Table of the devices with events (overview_gpus.c). */
void tp_gpu_summary_build(struct tp_table *table, const struct tp_model *model, struct tp_arena *arena);
/* What the used steps hold (step_counts.c). */
void tp_step_counts_build(struct tp_step_counts *counts, const struct tp_model *model);
void tp_step_counts_json(const struct tp_step_counts *counts, struct tp_json *json);

#endif
