/* Builds, packs and unpacks the part of a summary that is used to compare ranks. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_COMPARISON_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_COMPARISON_H

#include "webreport/measure/summary/columns.h"
#include "webreport/measure/summary/summary_parts.h"

/* Fills summary->comparison. This member stays NULL if there is no collective, or if there is more data than a file may
 * contain. */
void tp_summary_comparison_build(struct tp_summary_work *work);

/* Writes the comparison. */
void tp_comparison_pack(struct tp_column_writer *writer, const struct tp_rank_summary *rank);

/* Reads the comparison into reader->arena. Returns NULL if the process has no collective. The caller sets the worker
 * from the summary's key. */
const struct tp_rank_summary *tp_comparison_unpack(struct tp_column_reader *reader);

#endif
