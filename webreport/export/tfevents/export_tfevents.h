/* The TensorBoard event file of one profile, in memory. */
#ifndef TP_WEBREPORT_EXPORT_TFEVENTS_EXPORT_TFEVENTS_H
#define TP_WEBREPORT_EXPORT_TFEVENTS_EXPORT_TFEVENTS_H

#include "webreport/export/export_formats.h"
#include "writer/tfevents.h"

/* The records of a profile's event file in `events` (initialised by the caller, who releases it). 0, TP_ENOMEM,
 * TP_ELIMIT; never through the arena's guard. For callers that want no file. */
int tp_export_tfevents_build(const struct tp_export *export, struct tp_tfevents *events);

#endif
