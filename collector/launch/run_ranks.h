/* Manages a run that several calls of `record` share: the ranks of one job, on one or several hosts, in
 * LOGDIR/PROGRAM-JOB.
 *
 * Each rank has its own folder, `.ranks/RANK`, with its run.json and raw records. The call that creates this folder
 * owns it, so that two runs of one job never mix. When all traces of a rank were made, the file `.ranks/RANK.ended` is
 * created. The last rank to finish writes the run's own run.json with the notes of all ranks, and makes the combined
 * results. If a rank was killed, `recover` makes the combined results. No step depends on process ids. */
#ifndef TP_COLLECTOR_LAUNCH_RUN_RANKS_H
#define TP_COLLECTOR_LAUNCH_RUN_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "writer/base/error.h"

struct tp_run_folder;
struct tp_run_wishes;

/* Returns whether several calls share the run. */
bool tp_run_ranks_is_shared(const struct tp_run_folder *run);

/* Creates the run's run.json if it does not exist. Returns 0, TP_EIO or TP_ENOMEM. */
int tp_run_ranks_create_note(const struct tp_run_folder *run, struct tp_error *err);

/* Marks this rank as ended, because all its traces were made. Returns true if all other ranks that started have ended
 * too. */
bool tp_run_ranks_mark_rank_ended(const struct tp_run_folder *run);

/* Waits until no other process makes the combined results, and prevents other processes from making them. Returns a
 * descriptor that the caller closes afterwards, or -1. */
int tp_run_ranks_lock(const struct tp_run_folder *run);

/* Sets *wishes to all results that at least one rank wants. summary_only is set only if every rank has set it. */
void tp_run_ranks_combine_wishes(const struct tp_run_folder *run, struct tp_run_wishes *wishes);

/* Writes the run's run.json from the run.json files of its ranks. Returns 0, TP_EIO or TP_ENOMEM. */
int tp_run_ranks_write_note(const struct tp_run_folder *run, struct tp_error *err);

#endif
