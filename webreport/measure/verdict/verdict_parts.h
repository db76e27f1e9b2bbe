/* Chooses the headline of a verdict and fills its arguments (headline.c). */
#ifndef TP_WEBREPORT_MEASURE_VERDICT_VERDICT_PARTS_H
#define TP_WEBREPORT_MEASURE_VERDICT_VERDICT_PARTS_H

#include "webreport/measure/verdict/verdict.h"

/* Set headline_id and the arguments of the headline: the first for a program with a device, the second without. arena:
 * working memory. */
void tp_verdict_set_device_headline(struct tp_trace_verdict *verdict, const struct tp_model *model);
void tp_verdict_set_host_headline(struct tp_trace_verdict *verdict, const struct tp_model *model,
                                  struct tp_arena *arena);

#endif
