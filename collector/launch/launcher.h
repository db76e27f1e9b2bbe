/* Finds the job and rank of this process from the environment of its launcher: mpirun, srun, torchrun. */
#ifndef TP_COLLECTOR_LAUNCH_LAUNCHER_H
#define TP_COLLECTOR_LAUNCH_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>

struct tp_launcher {
    const char *name; /* name of the launcher, such as "openmpi" or "slurm" */
    char job[96];     /* name of the job, equal for all its ranks on all hosts; usable in a file name */
    uint32_t rank, size;
};

/* Fills *launcher. Returns false if no launcher sets rank, number of ranks and job, or if there is only one rank. If
 * one launcher starts another, the inner one is used. If a launcher does not name its job, the launcher's process on
 * this host identifies the job. If such a job runs on several hosts, it becomes one job per host. */
bool tp_launcher_find(struct tp_launcher *launcher);

#endif
