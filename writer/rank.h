/* Reads the rank, the number of ranks, and the rank on the host from the environment variables of job launchers. */
#ifndef TP_WRITER_RANK_H
#define TP_WRITER_RANK_H

#include <stdbool.h>
#include <stdint.h>

/* Launchers, each with its own variables. If one launcher starts another, the inner one comes first in this list. */
enum tp_rank_launcher { TP_RANK_TORCH, TP_RANK_OPENMPI, TP_RANK_MPICH, TP_RANK_SLURM, TP_RANK_FLUX, TP_RANK_LAUNCHERS };

/* Position of a process in its job: rank, number of ranks, rank on the host. UINT32_MAX: unknown. */
struct tp_rank {
    uint32_t rank, size, local;
};

/* Reads the variables of one launcher. Returns false if they contain no rank that is below the number of ranks. */
bool tp_rank_read(struct tp_rank *rank, enum tp_rank_launcher giver);

/* Returns the name of the variable in which the launcher passes the rank. */
const char *tp_rank_variable(enum tp_rank_launcher giver);

/* Returns the values of the first launcher that sets both rank and number of ranks. Without such a launcher, returns
 * the values of RANK, WORLD_SIZE and LOCAL_RANK, some of which may be unknown. */
struct tp_rank tp_rank_find(void);

#endif
