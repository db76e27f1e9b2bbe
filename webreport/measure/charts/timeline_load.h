/* Load of the devices over time and phases of the main lane, only for the timeline view. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_LOAD_H
#define TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_LOAD_H

#include "webreport/measure/charts/timeline.h"

struct tp_pack;

enum { TP_LOAD_BUCKETS = 4096 }; /* of the viewer; a multiple of TP_TIMELINE_LOAD_BUCKETS */

/* Fills timeline->gpus with busy share and estimated SM efficiency per bucket of the drawing. Returns the finer curves
 * for the viewer: for each device TP_LOAD_BUCKETS bytes busy, then, if has_sm, as many of SM efficiency. */
struct tp_str tp_load_devices(struct tp_timeline *timeline, struct tp_arena *arena);

/* Fills timeline->phases from the annotations that the first walk found: the longest of the main lane, by start. */
void tp_load_phases(struct tp_timeline *timeline, const struct tp_pack *pack);

#endif
