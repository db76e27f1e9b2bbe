/* Finds the processes of a run. The initial environment of these processes contains the folder of the run. */
#ifndef TP_COLLECTOR_LAUNCH_PROCESSES_H
#define TP_COLLECTOR_LAUNCH_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Returns whether the process is running and belongs to this run. A process that has exited has no environment. A
 * later process with the same id has a different environment. */
bool tp_process_is_of_run(pid_t pid, const char *folder);

/* Fills `pids` with the running processes of the run, at most `size`, and returns their number. */
size_t tp_processes_of_run(pid_t *pids, size_t size, const char *folder);

#endif
