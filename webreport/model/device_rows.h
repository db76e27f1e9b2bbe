/* Determines the device on which each operation ran, and the name of this device in the trace (docs/definitions.md,
 * section 2).
 *
 * The argument "device" of an operation contains the device number. Without this argument, the device follows from the
 * process of the operation: from its other operations, labels, name or pid. */
#ifndef TP_WEBREPORT_MODEL_DEVICE_ROWS_H
#define TP_WEBREPORT_MODEL_DEVICE_ROWS_H

#include "webreport/model/facts.h"

/* Fills model->device_rows from the operations in model->devices. Leaves the rows empty if there are no operations. */
void tp_device_rows_build(struct tp_model *model);

/* Returns the device number of an operation or device annotation. Returns -1 if neither the event nor its process has a
 * device number. */
int64_t tp_device_id_of_event(const struct tp_model *model, const struct tp_event *e);

/* Sets the type name of each device, such as "NPU". If the trace has no number for a device, the device gets the name
 * of its process. */
void tp_device_rows_name_gpus(struct tp_model *model);

#endif
