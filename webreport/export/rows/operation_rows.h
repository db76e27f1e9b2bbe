/* Defines the table of device operations with their origin: owner, shapes, module and source line. */
#ifndef TP_WEBREPORT_EXPORT_ROWS_OPERATION_ROWS_H
#define TP_WEBREPORT_EXPORT_ROWS_OPERATION_ROWS_H

#include "webreport/export/rows/rows_table.h"

extern const struct tp_rows_table tp_operation_rows_table;

#endif
