/* Presents a trace as tables for the formats csv and sqlite. Both formats use the same tables, so that a column has the
 * same name and meaning in both. */
#ifndef TP_WEBREPORT_EXPORT_ROWS_EXPORT_ROWS_H
#define TP_WEBREPORT_EXPORT_ROWS_EXPORT_ROWS_H

#include "webreport/export/rows/rows_table.h"

/* Returns table number `index`, from 0, or NULL after the last one. The tables are events, kernels, operators, steps,
 * memory, links, tasks and operations, followed by ranges if the trace has annotations or modules, by rare tables of
 * other profilers, by counters and counter_steps if the trace has counters of devices, by critical_path and what_if,
 * by streams, launch_delays, kernel_durations and copies, by compiled if it has code of torch.compile, and by the
 * tables of program_rows.h if the program was recorded from outside. A memory snapshot has the tables of
 * snapshot_rows.h. */
const struct tp_rows_table *tp_rows_table(const struct tp_rows *rows, unsigned index);

/* Prepares the data for all tables in `arena`, whose guard the caller sets. */
void tp_rows_build(struct tp_rows *rows, const struct tp_model *model, struct tp_arena *arena);

#endif
