/* Words why a program used a device whose work was not recorded, and what to do. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_DEVICE_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_DEVICE_WORDS_H

#include "webreport/model/facts.h"

/* Returns one sentence with the evidence that the program used a device, in `arena`. */
struct tp_str tp_device_missing_headline(const struct tp_model *model, struct tp_arena *arena);

/* Returns advice: how to record the device, and what can lose its records although they were requested. In `arena`. */
const char *tp_device_missing_advice(const struct tp_model *model, struct tp_arena *arena);

#endif
