/* Declares the functions that find steps. steps.c uses markers, steps_inferred.c finds loops, and steps_unmarked.c
 * makes one step of the whole recording. */
#ifndef TP_WEBREPORT_MODEL_STEPS_PARTS_H
#define TP_WEBREPORT_MODEL_STEPS_PARTS_H

#include "webreport/model/facts.h"

/* Adds a step whose marker lasts from `start` to `end`, ns. event: as in struct tp_step. model->steps must have room
 * for the step. */
void tp_steps_add(struct tp_model *model, struct tp_str name, int64_t start, int64_t end, uint32_t event);

/* Returns the time from the first start to the last end of host activity. Uses the first of these groups that has
 * events: operators and regions; annotations and calls; device operations; any host event. */
struct tp_interval tp_steps_host_extent(const struct tp_model *model);

/* Makes one step of the whole recording, from the first to the last device operation. If the device was free before its
 * first operation, the step starts with the main thread. Without device operations, the step lasts as long as the main
 * thread's events; without such events, as long as `extent`. */
void tp_steps_add_whole_recording(struct tp_model *model, struct tp_interval extent);

/* Infers steps from repetitions on the main thread: calls of a module, backward passes, or operators. Adds no step if
 * nothing repeats, or if the repetitions differ. */
void tp_steps_infer(struct tp_model *model);

#endif
