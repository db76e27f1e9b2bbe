/* Defines the tables of the critical path and of the gains of changes (docs/definitions.md, section "What if"). Both
 * exist only if they have rows. */
#ifndef TP_WEBREPORT_EXPORT_ROWS_WHAT_IF_ROWS_H
#define TP_WEBREPORT_EXPORT_ROWS_WHAT_IF_ROWS_H

#include "webreport/export/rows/rows_table.h"

/* the tables critical_path and what_if; the last entry has the name NULL */
extern const struct tp_rows_table tp_what_if_rows_tables[];

#endif
