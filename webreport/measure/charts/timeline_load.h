/* Load of the devices over time and phases of the main lane, for the timeline view only. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_LOAD_H
#define TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_LOAD_H

#include "webreport/measure/charts/timeline.h"

struct tp_pack;

enum { TP_LOAD_BUCKETS = 4096 }; /* of the viewer; a multiple of TP_TIMELINE_LOAD_BUCKETS */

/* Fills timeline->gpus with busy share and estimated SM efficiency per bucket of the drawing; returns the finer curves
 * for the viewer: per device TP_LOAD_BUCKETS bytes busy, then, when it has_sm, as many of SM efficiency. */
struct tp_str tp_load_devices(struct tp_timeline *timeline, struct tp_arena *arena);

/* Fills timeline->phases from what the first walk found: the longest of the main lane, by start. */
void tp_load_phases(struct tp_timeline *timeline, const struct tp_pack *pack);

#endif
