/* A trace as tables of rows, for csv and sqlite: which tables, which columns, what stands in a cell. One list for both,
 * so a column is called and means the same everywhere. */
#ifndef TP_WEBREPORT_EXPORT_ROWS_EXPORT_ROWS_H
#define TP_WEBREPORT_EXPORT_ROWS_EXPORT_ROWS_H

#include "webreport/export/rows/rows_table.h"

/* All tables in turn: events, kernels, operators, steps, memory, links, tasks, and of a program recorded from outside
 * those of program_rows.h. index: from 0 on; NULL: there are no more. */
const struct tp_rows_table *tp_rows_table(const struct tp_rows *rows, unsigned index);

/* Prepares rows in `arena` (guard set by the caller). */
void tp_rows_build(struct tp_rows *rows, const struct tp_model *model, struct tp_arena *arena);

#endif
