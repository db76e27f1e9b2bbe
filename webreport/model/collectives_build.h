/* Finds the collectives of a trace and the time of each collective (docs/definitions.md, D10). */
#ifndef TP_WEBREPORT_MODEL_COLLECTIVES_BUILD_H
#define TP_WEBREPORT_MODEL_COLLECTIVES_BUILD_H

#include "webreport/model/facts.h"

/* Fills model->collectives. The caller must have filled the marks, operators, launches and devices of the model. */
void tp_collectives_build(struct tp_model *model);

/* Returns the time from the first start to the last end of the collective's kernels. Without kernels, returns the
 * time of the host call. */
struct tp_interval tp_collective_interval(const struct tp_collective *record);

#endif
