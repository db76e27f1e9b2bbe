/* Builds the TensorBoard event file of one profile in memory. */
#ifndef TP_WEBREPORT_EXPORT_TFEVENTS_EXPORT_TFEVENTS_H
#define TP_WEBREPORT_EXPORT_TFEVENTS_EXPORT_TFEVENTS_H

#include "webreport/export/export_formats.h"
#include "writer/tfevents.h"

/* Builds the records of a profile's event file in `events`, for callers that need no file. The caller initializes and
 * releases `events`. Returns 0, TP_ENOMEM or TP_ELIMIT. Returns normally even after a failed allocation. */
int tp_export_tfevents_build(const struct tp_export *export, struct tp_tfevents *events);

#endif
