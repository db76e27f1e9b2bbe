/* The processes of a run: those whose first environment names its folder. */
#ifndef TP_COLLECTOR_LAUNCH_PROCESSES_H
#define TP_COLLECTOR_LAUNCH_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* True while the process is there and of this run. One that has died and was not waited for has no environment; one
 * that was given the number of another has its own. */
bool tp_process_is_of_run(pid_t pid, const char *folder);

/* Lists the processes of the run that are there, at most `size`; returns how many. */
size_t tp_processes_of_run(pid_t *pids, size_t size, const char *folder);

#endif
