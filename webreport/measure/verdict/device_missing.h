/* Words for a program that used a device of which no work was recorded: what shows it, and what to do. */
#ifndef TP_WEBREPORT_MEASURE_VERDICT_DEVICE_MISSING_H
#define TP_WEBREPORT_MEASURE_VERDICT_DEVICE_MISSING_H

#include "webreport/model/facts.h"

/* Returns one sentence: what shows that the program used a device. In `arena`. */
struct tp_str tp_device_missing_headline(const struct tp_model *model, struct tp_arena *arena);

/* Returns what to do: how to record the device, and what loses its records although they were asked for. */
const char *tp_device_missing_advice(const struct tp_model *model, struct tp_arena *arena);

#endif
