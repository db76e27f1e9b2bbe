/* Converts the rows of a summary to columns of a SummaryProcess and back (writer/proto/summary.proto). */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_ROWS_PACK_H
#define TP_WEBREPORT_MEASURE_SUMMARY_ROWS_PACK_H

#include "webreport/measure/summary/columns.h"
#include "webreport/measure/summary/summary.h"

/* Writes the rows with their sketches and counts per step. */
void tp_rows_pack(struct tp_column_writer *writer, const struct tp_summary *summary);

/* Fills the rows of the summary. The caller must have filled the steps of the summary. */
void tp_rows_unpack(struct tp_column_reader *reader, struct tp_summary *summary);

#endif
