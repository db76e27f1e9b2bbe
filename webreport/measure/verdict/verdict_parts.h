/* Words the headline of a verdict from its facts (verdict_words.c). Allocates from the arena. */
#ifndef TP_WEBREPORT_MEASURE_VERDICT_VERDICT_PARTS_H
#define TP_WEBREPORT_MEASURE_VERDICT_VERDICT_PARTS_H

#include "webreport/measure/verdict/verdict.h"

#define TP_BOUND_PERCENT 66.0 /* share of compute in W from which on the device is the limit */

/* Returns the base of shares in words: "the steps", "the recording" .. Static. */
const char *tp_verdict_period(const struct tp_model *model);

struct tp_str tp_verdict_device_words(const struct tp_trace_verdict *verdict, const struct tp_model *model,
                                      struct tp_arena *arena);
struct tp_str tp_verdict_host_words(const struct tp_trace_verdict *verdict, const struct tp_model *model,
                                    struct tp_arena *arena);

#endif
