/* Lays a trace out as tables of rows, for csv and sqlite: the tables, their columns and cells. Both formats use one
 * list, so that a column has the same name and meaning in each. */
#ifndef TP_WEBREPORT_EXPORT_ROWS_EXPORT_ROWS_H
#define TP_WEBREPORT_EXPORT_ROWS_EXPORT_ROWS_H

#include "webreport/export/rows/rows_table.h"

/* Returns the table with this index, from 0: events, kernels, operators, steps, memory, links, tasks, and for a program
 * recorded from outside the tables of program_rows.h. NULL: no more tables. */
const struct tp_rows_table *tp_rows_table(const struct tp_rows *rows, unsigned index);

/* Prepares the rows in `arena` (guard set by the caller). */
void tp_rows_build(struct tp_rows *rows, const struct tp_model *model, struct tp_arena *arena);

#endif
