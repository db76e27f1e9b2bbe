/* Declares the functions that find steps. steps.c uses markers, steps_inferred.c finds loops, and steps_unmarked.c
 * makes a single step of the whole recording. */
#ifndef TP_WEBREPORT_MODEL_STEPS_PARTS_H
#define TP_WEBREPORT_MODEL_STEPS_PARTS_H

#include "webreport/model/facts.h"

/* Adds a step with the host marker from start to end. event: as in struct tp_step. model->steps must have room. */
void tp_steps_add(struct tp_model *model, struct tp_str name, int64_t start, int64_t end, uint32_t event);

/* Returns the time from the first start to the last end of host activity. Uses the first of these groups that has
 * events: operators and regions; annotations and calls; device operations; any host event. */
struct tp_interval tp_steps_host_extent(const struct tp_model *model);

/* Makes a single step of the whole recording. It lasts from the begin of the host's main thread to the last device
 * operation, or to the end of the main thread if there are no device operations. If the device may still run work from
 * before the recording, the step begins with the first operation. extent: time of host activity. */
void tp_steps_use_recording(struct tp_model *model, struct tp_interval extent);

/* Infers steps from repetitions on the main thread: calls of a module, backward passes, or operators. Adds no step if
 * nothing repeats or the iterations differ. */
void tp_steps_infer(struct tp_model *model);

#endif
