/* Computes the load of the devices over time. Private to the timeline view. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_LOAD_H
#define TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_LOAD_H

#include "webreport/measure/charts/timeline.h"

enum { TP_LOAD_BUCKETS = 4096 }; /* number of buckets of the viewer's curves */

/* Fills timeline->gpus. Returns the curves of the devices for the viewer. Each device has TP_LOAD_BUCKETS bytes of busy
 * share, TP_LOAD_BUCKETS bytes of SM efficiency if has_sm_efficiency is set, and TP_LOAD_BUCKETS bytes of queue depth
 * if queue_depth is not 0. */
struct tp_str tp_timeline_pack_device_load(struct tp_timeline *timeline, struct tp_arena *arena);

#endif
