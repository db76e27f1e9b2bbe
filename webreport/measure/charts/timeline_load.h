/* Load of the devices over time, and phases of the main lane. Used only by the timeline view. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_LOAD_H
#define TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_LOAD_H

#include "webreport/measure/charts/timeline.h"

struct tp_pack;

enum { TP_LOAD_BUCKETS = 4096 }; /* buckets of the viewer's curves, a multiple of TP_TIMELINE_LOAD_BUCKETS */

/* Fills timeline->gpus with the busy share and the estimated SM efficiency per bucket of the drawing. Returns the finer
 * curves for the viewer: for each device TP_LOAD_BUCKETS bytes of busy share, followed by as many bytes of SM
 * efficiency if has_sm is set. */
struct tp_str tp_load_devices(struct tp_timeline *timeline, struct tp_arena *arena);

/* Fills timeline->phases with the longest annotations of the main lane that the first walk found, in order of start. */
void tp_load_phases(struct tp_timeline *timeline, const struct tp_pack *pack);

#endif
