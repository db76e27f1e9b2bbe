/* Finds the evidence that a program used a device whose work was not recorded. The sentences are in
 * webreport/document/words/device_words.c. */
#ifndef TP_WEBREPORT_MEASURE_VERDICT_DEVICE_MISSING_H
#define TP_WEBREPORT_MEASURE_VERDICT_DEVICE_MISSING_H

#include "webreport/model/facts.h"

/* evidence in addition to model->missing */
struct tp_device_missing {
    bool is_capture; /* every recorded launch is inside the capture of a device graph */
    /* first device in the memory records; NULL if the memory records name no GPU */
    const struct tp_memory_place *place;
};

/* Returns the evidence in a model. The result points into the trace. arena: working memory. */
struct tp_device_missing tp_device_missing_find(const struct tp_model *model, struct tp_arena *arena);

#endif
