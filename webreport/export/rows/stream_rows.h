/* Defines the tables of streams and of launch delays (docs/definitions.md, section "Streams"), which exist only if they
 * have rows. */
#ifndef TP_WEBREPORT_EXPORT_ROWS_STREAM_ROWS_H
#define TP_WEBREPORT_EXPORT_ROWS_STREAM_ROWS_H

#include "webreport/export/rows/rows_table.h"

/* the tables streams and launch_delays; the last entry has the name NULL */
extern const struct tp_rows_table tp_stream_rows_tables[];

#endif
