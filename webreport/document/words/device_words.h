/* Writes why the work of a device was not recorded although the program used the device, and what to do. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_DEVICE_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_DEVICE_WORDS_H

#include "webreport/model/facts.h"

/* Returns the evidence that the program used a device, in one or two sentences. The text is in `arena`. */
struct tp_str tp_device_missing_headline(const struct tp_model *model, struct tp_arena *arena);

/* Returns advice on how to record the device, and on what can prevent the recording of a requested device. The text is
 * in `arena`. */
const char *tp_device_missing_advice(const struct tp_model *model, struct tp_arena *arena);

#endif
