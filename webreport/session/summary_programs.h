/* Copies the data of a program recorded from outside to the summaries of the other traces of its run (rundir.h):
 * wall clock time, processor time, memory and functions. */
#ifndef TP_WEBREPORT_SESSION_SUMMARY_PROGRAMS_H
#define TP_WEBREPORT_SESSION_SUMMARY_PROGRAMS_H

#include "webreport/measure/summary/summary.h"
#include "webreport/trace/rundir.h"

/* Returns the program of a run that was recorded from outside; NULL if there is none or more than one. */
const struct tp_run_file *tp_summary_program_file(const struct tp_run *run);

/* Copies the data of a program's summary to the summaries of the traces of its run. All summaries and copies are in
 * `arena`, whose guard the caller sets. */
void tp_summary_program_copy(struct tp_summary *summaries, size_t count, const struct tp_summary *program,
                             struct tp_arena *arena);

#endif
