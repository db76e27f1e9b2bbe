/* Computes the load of the devices over time and the phases of the main lane. Private to the timeline view. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_LOAD_H
#define TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_LOAD_H

#include "webreport/measure/charts/timeline.h"

struct tp_pack;

enum { TP_LOAD_BUCKETS = 4096 }; /* number of buckets of the viewer's curves; a multiple of TP_TIMELINE_LOAD_BUCKETS */

/* Fills timeline->gpus with busy share and estimated SM efficiency per bucket of the drawing. Returns the finer curves
 * for the viewer. Each device has TP_LOAD_BUCKETS bytes of busy share and, if has_sm_efficiency is set, TP_LOAD_BUCKETS
 * bytes of SM efficiency. */
struct tp_str tp_timeline_pack_device_load(struct tp_timeline *timeline, struct tp_arena *arena);

/* Fills timeline->phases in order of start. Chooses the longest annotations of the main lane among those that the first
 * walk found. */
void tp_timeline_add_phases(struct tp_timeline *timeline, const struct tp_pack *pack);

#endif
