/* Reduces the number of rows of a summary. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_TRIM_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_TRIM_H

#include "webreport/measure/summary/summary.h"

/* Keeps at most `most` (>= 1) generated kernels, and rows of each kind: the largest rows, and the row "(rest)" with the
 * sums of the others. The total of all rows does not change. Rows of a kind must be adjacent, largest first. New rows
 * are in `arena`, whose guard the caller sets; the old rows do not change. */
void tp_summary_trim(struct tp_summary *summary, uint32_t most, struct tp_arena *arena);

#endif
