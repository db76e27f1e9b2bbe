/* Finds problems with the threads and processes that a program starts: many threads, many short processes, or long
 * waits for child processes. docs/definitions.md section 23 has the conditions. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_STARTS_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_STARTS_H

#include "webreport/measure/program/program_view.h"

/* Adds the findings `threads`, `child_processes` and `short_processes`. The times and counts of the view must be filled
 * before. */
void tp_program_find_start_problems(struct tp_program_view *view, struct tp_arena *arena);

/* Returns the kernel time that the finding `threads` reports, ns; 0 without this finding. */
int64_t tp_program_thread_start_kernel_ns(const struct tp_program_view *view);

#endif
