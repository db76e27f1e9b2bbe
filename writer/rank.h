/* Reads the rank, the number of ranks, and the rank on the host from the variables of launchers. */
#ifndef TP_WRITER_RANK_H
#define TP_WRITER_RANK_H

#include <stdbool.h>
#include <stdint.h>

/* Launchers that set these variables. If one launcher starts another, the inner one comes first. */
enum tp_rank_launcher { TP_RANK_TORCH, TP_RANK_OPENMPI, TP_RANK_MPICH, TP_RANK_SLURM, TP_RANK_FLUX, TP_RANK_LAUNCHERS };

/* Position of a process in its job. UINT32_MAX: unknown. */
struct tp_rank {
    uint32_t rank, size, local;
};

/* Reads the variables of one launcher. Returns false if they contain no rank below the number of ranks. */
bool tp_rank_read(struct tp_rank *rank, enum tp_rank_launcher giver);

/* Returns the name of the launcher's variable for the rank. */
const char *tp_rank_variable(enum tp_rank_launcher giver);

/* Returns the values of the first launcher that sets rank and number of ranks. If no launcher does, returns the values
 * of RANK, WORLD_SIZE and LOCAL_RANK, each one individually. */
struct tp_rank tp_rank_find(void);

#endif
