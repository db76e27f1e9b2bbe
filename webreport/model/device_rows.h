/* Decides on which device each operation ran, and what the trace calls that device (docs/definitions.md, section 2).
 *
 * An operation names its device in args.device. Otherwise the device is known from the operation's process: from other
 * operations, labels, name or pid. */
#ifndef TP_WEBREPORT_MODEL_DEVICE_ROWS_H
#define TP_WEBREPORT_MODEL_DEVICE_ROWS_H

#include "webreport/model/facts.h"

/* Fills model->device_rows from the operations in model->devices. Leaves the rows empty if there are no operations. */
void tp_device_rows_build(struct tp_model *model);

/* Returns the device number of an operation or device annotation, or -1 if its process has no operation. */
int64_t tp_device_of(const struct tp_model *model, const struct tp_event *e);

/* Sets the word of each device ("NPU"). A device without a number gets the name of its process. */
void tp_device_rows_name(struct tp_model *model);

#endif
