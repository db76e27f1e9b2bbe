/* Draws the states of threads over time as paths: running at the top, ready in the middle, blocked at the bottom. */
#ifndef TP_WEBREPORT_DOCUMENT_CHARTS_CHART_LANES_H
#define TP_WEBREPORT_DOCUMENT_CHARTS_CHART_LANES_H

#include "webreport/document/charts/chart.h"
#include "webreport/measure/program/program_view.h"

enum { TP_LANE_WIDTH = 4000, TP_LANE_HEIGHT = 18 }; /* width and height of a lane, in units of the viewBox */

/* Returns the color category of a part of the wall time (enum in webreport/measure/program/program_parts.h). */
enum tp_chart_kind tp_program_part_kind(unsigned part);

/* Appends an object (kind, fill, path) to `paths` for each color of a thread's intervals. Joins intervals until at
 * most max_intervals remain. A joined interval shows its total running, ready and waiting times next to each other. */
void tp_chart_put_lane(struct tp_list *paths, struct tp_arena *arena, const struct tp_process_tree *tree,
                       uint32_t thread, uint32_t max_intervals);

/* Appends ticks (x, label) for the time axis of the tree. */
void tp_chart_put_lane_times(struct tp_list *times, struct tp_arena *arena, const struct tp_process_tree *tree);

#endif
