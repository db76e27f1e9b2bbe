/* What the files that find steps share: steps.c takes markers, steps_inferred.c finds loops,
 * steps_unmarked.c makes one step of everything. */
#ifndef TP_WEBREPORT_MODEL_STEPS_PARTS_H
#define TP_WEBREPORT_MODEL_STEPS_PARTS_H

#include "webreport/model/facts.h"

/* Adds a step from start to end, by its host marker; event: as in struct tp_step. model->steps has room. */
void tp_steps_add(struct tp_model *model, struct tp_str name, int64_t start, int64_t end, uint32_t event);

/* Returns the time from the first start to the last end of host activity: operators and regions; else annotations and
 * calls; else device operations; else any host event. */
struct tp_interval tp_steps_host_extent(const struct tp_model *model);

/* Makes one step of the whole recording: from the begin of the host's main thread to the last device operation, or of
 * the main thread alone. Where the device may have been at work of before the recording, the step begins with the first
 * operation. extent: the host activity. */
void tp_steps_use_everything(struct tp_model *model, struct tp_interval extent);

/* Infers steps from what repeats on the main thread: calls of a module, backward passes, operators. Adds no step where
 * nothing repeats, or where the iterations do not agree. */
void tp_steps_infer(struct tp_model *model);

#endif
