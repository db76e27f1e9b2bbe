/* Makes equal worker names of a run different if they belong to different processes. Processes of a job in containers
 * may have equal host names and pids, and so equal worker names. See section 2 of docs/definitions.md. */
#ifndef TP_WEBREPORT_TRACE_WORKER_NAMES_H
#define TP_WEBREPORT_TRACE_WORKER_NAMES_H

#include "webreport/trace/run.h"
#include "writer/base/arena.h"

/* Adds the rank to equal worker names, as in "host_7 (rank 1)", if the files name different ranks in their metadata.
 * The files must be sorted by worker. Texts are in `arena`. */
void tp_worker_names_add_ranks(struct tp_run *run, struct tp_arena *arena);

/* Gives a recording that overlaps with an earlier one of the same worker a name of its own, such as "host_7#2", because
 * one process cannot record twice at the same time. Files with equal first bytes are copies, which keep their name. The
 * files must be sorted by worker and time. found: counts these recordings; may be NULL. Texts are in `arena`. */
void tp_worker_names_separate(struct tp_run *run, struct tp_runs *found, struct tp_arena *arena);

#endif
