/* Defines the tables of counters of devices, which exist only in traces with samples of such counters. */
#ifndef TP_WEBREPORT_EXPORT_ROWS_COUNTER_ROWS_H
#define TP_WEBREPORT_EXPORT_ROWS_COUNTER_ROWS_H

#include "webreport/export/rows/rows_table.h"

/* the tables counters and counter_steps; the last entry has the name NULL */
extern const struct tp_rows_table tp_counter_rows_tables[];

#endif
