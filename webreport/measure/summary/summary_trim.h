/* Reduces the rows of a summary. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_TRIM_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_TRIM_H

#include "webreport/measure/summary/summary.h"

/* Leaves at most `most` (>= 1) rows of each kind, the heaviest and the rest: sums do not change. Rows of a kind are
 * adjacent, heaviest first. New rows are in `arena`, whose guard is set; the old ones do not change. */
void tp_summary_trim(struct tp_summary *summary, uint32_t most, struct tp_arena *arena);

#endif
