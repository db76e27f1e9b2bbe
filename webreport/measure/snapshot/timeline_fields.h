/* Defines the JSON of a memory timeline (format tracepress.memory_timeline/1). */
#ifndef TP_WEBREPORT_MEASURE_SNAPSHOT_TIMELINE_FIELDS_H
#define TP_WEBREPORT_MEASURE_SNAPSHOT_TIMELINE_FIELDS_H

#include "webreport/trace/snapshot/memory_timeline.h"
#include "writer/base/fields.h"

extern const struct tp_fields tp_memory_timeline_fields; /* members of struct tp_memory_timeline */

#endif
