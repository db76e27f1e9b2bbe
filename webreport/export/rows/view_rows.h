/* Defines the tables whose rows are those of tables of the report. They exist only if they have rows. */
#ifndef TP_WEBREPORT_EXPORT_ROWS_VIEW_ROWS_H
#define TP_WEBREPORT_EXPORT_ROWS_VIEW_ROWS_H

#include "webreport/export/rows/rows_table.h"

/* the tables streams, launch_delays, kernel_durations and copies; the last entry has the name NULL */
extern const struct tp_rows_table tp_view_rows_tables[];

#endif
