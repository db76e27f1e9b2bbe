/* Copies the data of a program recorded from outside to the summaries of its run's other traces (rundir.h): wall time,
 * CPU time, memory and functions. */
#ifndef TP_WEBREPORT_SESSION_SUMMARY_PROGRAMS_H
#define TP_WEBREPORT_SESSION_SUMMARY_PROGRAMS_H

#include "webreport/measure/summary/summary.h"
#include "webreport/trace/rundir.h"

/* Returns the trace of a run's program that was recorded from outside; NULL if the run has none or more than one. */
const struct tp_run_file *tp_summary_find_program_file(const struct tp_run *run);

/* Copies the data of a program's summary to the summaries of its run's other traces. All summaries and copies are in
 * `arena`, whose guard the caller sets. */
void tp_summary_program_copy(struct tp_summary *summaries, size_t count, const struct tp_summary *program,
                             struct tp_arena *arena);

#endif
