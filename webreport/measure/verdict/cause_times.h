/* Finds the times of each cause on a device: why it works, or why it is idle. */
#ifndef TP_WEBREPORT_MEASURE_VERDICT_CAUSE_TIMES_H
#define TP_WEBREPORT_MEASURE_VERDICT_CAUSE_TIMES_H

#include "webreport/measure/verdict/verdict.h"

/* Splits the analysed steps into the causes of the device's time. Every nanosecond has exactly one cause. Leaves
 * times->of[TP_TIME_QUEUE] empty, because most short gaps belong to it, and its set would need much memory. */
void tp_cause_times_find(struct tp_cause_times *times, const struct tp_model *model, const struct tp_gpu *gpu,
                         struct tp_arena *arena);

/* Returns the time of the cause TP_TIME_QUEUE, ns. */
int64_t tp_queue_ns(const struct tp_gpu *gpu);

/* Returns the times of the cause TP_TIME_QUEUE, in `arena`. */
struct tp_intervals tp_find_queue_times(const struct tp_gpu *gpu, struct tp_arena *arena);

#endif
