/* What a program from outside tells of a run whose numbers other traces speak for (rundir.h, is_program): its wall
 * time, processor time, memory and functions, given to the summaries of those traces. */
#ifndef TP_WEBREPORT_SESSION_SUMMARY_PROGRAMS_H
#define TP_WEBREPORT_SESSION_SUMMARY_PROGRAMS_H

#include "webreport/measure/summary/summary.h"
#include "webreport/trace/rundir.h"

/* The only program of a run; NULL: it has none, or of several it is not known which is meant. */
const struct tp_run_file *tp_summary_program_of(const struct tp_run *run);

/* Gives the summaries of traces of a run what the summary of its program knows. summaries[count]: they and the program's
 * live in `arena`, and so does what they get (guard set by the caller). */
void tp_summary_program_give(struct tp_summary *summaries, size_t count, const struct tp_summary *program,
                             struct tp_arena *arena);

#endif
