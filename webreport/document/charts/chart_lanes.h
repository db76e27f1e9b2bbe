/* Draws the states of threads over time as stacked areas: running at the bottom, then waits by cause, ready at the
 * top. */
#ifndef TP_WEBREPORT_DOCUMENT_CHARTS_CHART_LANES_H
#define TP_WEBREPORT_DOCUMENT_CHARTS_CHART_LANES_H

#include "webreport/document/charts/causes.h"
#include "webreport/measure/program/program_view.h"

/* The states of a thread, for a lane of `columns` columns. Each column shows what part of its time the thread spends in
 * each state; in the time before and after the thread's life, the lane is empty. */
struct tp_lane_areas {
    struct tp_row_area areas[TP_LOOKS];
    size_t count;
};

/* Fills the areas of a thread of the tree (index in tree->threads). Memory is in `arena`. */
void tp_lane_areas_fill(struct tp_lane_areas *lane, struct tp_arena *arena, const struct tp_process_tree *tree,
                        uint32_t thread, unsigned columns);

#endif
