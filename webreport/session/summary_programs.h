/* What a program from outside tells of a run whose numbers other traces speak for (rundir.h, is_program): its wall
 * time, processor time, memory and functions, given to the summaries of those traces. */
#ifndef TP_WEBREPORT_SESSION_SUMMARY_PROGRAMS_H
#define TP_WEBREPORT_SESSION_SUMMARY_PROGRAMS_H

#include "webreport/session/summaries.h"

/* Gives the summaries of traces of one run what its program knows; of several programs it is not known which is meant,
 * and nothing is given. One that cannot be read is said and left out. summaries[count]: of that run; they live in
 * `arena`, and so does what they get (guard set by the caller). False: they got nothing. */
bool tp_summary_programs_give(struct tp_summary *summaries, size_t count, const struct tp_run *run,
                              const struct tp_summaries_options *options, struct tp_arena *arena);

#endif
