/* Which job of ranks this process is one of, as its launcher tells in the environment: mpirun, srun, torchrun. */
#ifndef TP_COLLECTOR_LAUNCH_LAUNCHER_H
#define TP_COLLECTOR_LAUNCH_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>

struct tp_launcher {
    const char *name; /* "openmpi", "slurm" .. */
    char job[96];     /* the same for all ranks of the job, on every host; fit for the name of a file */
    uint32_t rank, size;
};

/* Fills it; false: no launcher tells rank, number of ranks and job, or there is one rank. Of launchers inside each
 * other the inner one counts. A launcher that names no job is told from others by its process, which is of one host:
 * ranks that it runs on several hosts are a job per host. */
bool tp_launcher_find(struct tp_launcher *launcher);

#endif
