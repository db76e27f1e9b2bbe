/* The headline of a verdict (verdict_words.c), from the facts that it already holds. In the arena. */
#ifndef TP_WEBREPORT_MEASURE_VERDICT_VERDICT_PARTS_H
#define TP_WEBREPORT_MEASURE_VERDICT_VERDICT_PARTS_H

#include "webreport/measure/verdict/verdict.h"

#define TP_BOUND_PERCENT 66.0 /* compute of two thirds of W: the device is the limit, whatever else there is */

/* Returns what shares are of: "the steps", "the recording" .. Static. */
const char *tp_verdict_period(const struct tp_model *model);

struct tp_str tp_verdict_device_words(const struct tp_trace_verdict *verdict, const struct tp_model *model,
                                      struct tp_arena *arena);
struct tp_str tp_verdict_host_words(const struct tp_trace_verdict *verdict, const struct tp_model *model,
                                    struct tp_arena *arena);

#endif
