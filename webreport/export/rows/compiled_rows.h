/* Defines the table of compiled code, which exists only in traces with such code. */
#ifndef TP_WEBREPORT_EXPORT_ROWS_COMPILED_ROWS_H
#define TP_WEBREPORT_EXPORT_ROWS_COMPILED_ROWS_H

#include "webreport/export/rows/rows_table.h"

extern const struct tp_rows_table tp_compiled_rows_table;

#endif
