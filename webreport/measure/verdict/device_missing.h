/* Finds the evidence that a program used a device whose work was not recorded. The sentences are in
 * webreport/document/words/device_words.c. */
#ifndef TP_WEBREPORT_MEASURE_VERDICT_DEVICE_MISSING_H
#define TP_WEBREPORT_MEASURE_VERDICT_DEVICE_MISSING_H

#include "webreport/model/facts.h"

/* The evidence, in addition to `missing` of the model. */
struct tp_device_missing {
    bool is_capture;                     /* every recorded launch is inside the capture of a graph */
    const struct tp_memory_place *place; /* first device that memory records name; NULL: none of a GPU */
};

/* Returns the evidence of a model; it points into the trace. Memory of `arena` is only for the search. */
struct tp_device_missing tp_device_missing_find(const struct tp_model *model, struct tp_arena *arena);

#endif
