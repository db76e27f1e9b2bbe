/* Finds the processes of a run. They have the folder of the run in their initial environment. */
#ifndef TP_COLLECTOR_LAUNCH_PROCESSES_H
#define TP_COLLECTOR_LAUNCH_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Returns whether the process runs and belongs to this run. A process that has exited has no environment, and a later
 * process with the same id has a different one. */
bool tp_process_is_of_run(pid_t pid, const char *folder);

/* Fills `pids` with the running processes of the run, at most `size`, and returns their number. */
size_t tp_processes_of_run(pid_t *pids, size_t size, const char *folder);

#endif
