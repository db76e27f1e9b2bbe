/* Words the verdict on a program that used a device whose work was not recorded: the evidence, and advice. */
#ifndef TP_WEBREPORT_MEASURE_VERDICT_DEVICE_MISSING_H
#define TP_WEBREPORT_MEASURE_VERDICT_DEVICE_MISSING_H

#include "webreport/model/facts.h"

/* Returns one sentence with the evidence that the program used a device, in `arena`. */
struct tp_str tp_device_missing_headline(const struct tp_model *model, struct tp_arena *arena);

/* Returns advice: how to record the device, and what can lose its records although they were requested. */
const char *tp_device_missing_advice(const struct tp_model *model, struct tp_arena *arena);

#endif
