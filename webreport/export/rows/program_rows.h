/* Defines the tables of a program that was recorded from outside: processes, threads, states, samples, functions and
 * stacks. */
#ifndef TP_WEBREPORT_EXPORT_ROWS_PROGRAM_ROWS_H
#define TP_WEBREPORT_EXPORT_ROWS_PROGRAM_ROWS_H

#include "webreport/export/rows/rows_table.h"
#include "webreport/measure/program/sampled.h"

struct tp_program_rows {
    struct tp_sampled sampled;
    struct tp_vec frames; /* frames of the stacks of samples and waits, innermost first */
};

/* Builds the data of the tables in `arena`, whose guard the caller sets. The trace must have states of threads. */
struct tp_program_rows *tp_program_rows_new(const struct tp_trace *trace, struct tp_arena *arena);

/* all tables of a program; the last entry has the name NULL */
extern const struct tp_rows_table tp_program_rows_tables[];

#endif
