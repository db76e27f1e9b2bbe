/* The headline of a verdict (verdict_words.c), from the facts that it already holds. In the arena. */
#ifndef TP_WEBREPORT_MEASURE_VERDICT_PARTS_H
#define TP_WEBREPORT_MEASURE_VERDICT_PARTS_H

#include "webreport/measure/verdict.h"

struct tp_str tp_verdict_device_words(const struct tp_trace_verdict *verdict, const struct tp_model *model,
                                      struct tp_arena *arena);
struct tp_str tp_verdict_host_words(const struct tp_trace_verdict *verdict, const struct tp_model *model,
                                    struct tp_arena *arena);

#endif
