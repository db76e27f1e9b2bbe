/* Decides which device each operation ran on, and what the trace calls that device (docs/definitions.md, section 2).
 *
 * An operation names its device itself (args.device), or its process does: by other operations, labels, name or pid. */
#ifndef TP_WEBREPORT_MODEL_DEVICE_ROWS_H
#define TP_WEBREPORT_MODEL_DEVICE_ROWS_H

#include "webreport/model/facts.h"

/* Fills model->device_rows; the operations must be known (model->devices). Without operations it stays empty. */
void tp_device_rows_build(struct tp_model *model);

/* Returns the device number of an operation or device annotation, or -1 if no operation runs in its process. */
int64_t tp_device_of(const struct tp_model *model, const struct tp_event *e);

/* Gives each device its word ("NPU"); a device without a number gets the name of its process. */
void tp_device_rows_name(struct tp_model *model);

#endif
