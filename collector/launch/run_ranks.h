/* A run that several calls of `record` share: the ranks of one job, on one host or many, in LOGDIR/PROGRAM-JOB.
 *
 * Each rank has a place in it, `.ranks/RANK`, with its own run.json and raw records; who makes the place has it, so no
 * two runs of one job mix. When a rank's traces are made, a file `.ranks/RANK.ended` says so. The run's own run.json
 * then has the notes of all ranks, and what is made of all traces together is made: both by the rank after which no
 * place is left that has not ended, and by `recover` where a rank was killed. No number of a process counts. */
#ifndef TP_COLLECTOR_LAUNCH_RUN_RANKS_H
#define TP_COLLECTOR_LAUNCH_RUN_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "writer/base/error.h"

struct tp_run_folder;
struct tp_run_wishes;

/* True when the call shares its run with others. */
bool tp_run_ranks_are(const struct tp_run_folder *run);

/* The run's run.json, where it is not there yet. Returns 0, TP_EIO, TP_ENOMEM. */
int tp_run_ranks_begin(const struct tp_run_folder *run, struct tp_error *err);

/* Says that all of this rank's traces are made. True when this is the last: all others that came have said so, too. */
bool tp_run_ranks_end(const struct tp_run_folder *run);

/* Waits until nobody else makes what is made of the run; a descriptor to close afterwards, or -1. */
int tp_run_ranks_lock(const struct tp_run_folder *run);

/* What some rank asked for: each of it. Nothing but summaries where all ranks want no more. */
void tp_run_ranks_wishes(const struct tp_run_folder *run, struct tp_run_wishes *wishes);

/* Writes the run's run.json from those of the ranks that are there. Returns 0, TP_EIO, TP_ENOMEM. */
int tp_run_ranks_note(const struct tp_run_folder *run, struct tp_error *err);

#endif
