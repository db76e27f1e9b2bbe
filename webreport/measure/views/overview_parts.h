/* Declares the function that overview_gpus.c contributes to the overview. */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_OVERVIEW_PARTS_H
#define TP_WEBREPORT_MEASURE_VIEWS_OVERVIEW_PARTS_H

#include "webreport/measure/views/overview.h"

/* Builds the table of GPUs: one row per device with events. */
void tp_gpu_summary_build(struct tp_table *table, const struct tp_model *model, struct tp_arena *arena);

#endif
