/* Rank, number of ranks and rank on the host, as launchers give them to a process in its environment. */
#ifndef TP_WRITER_RANK_H
#define TP_WRITER_RANK_H

#include <stdbool.h>
#include <stdint.h>

/* Who gives them; of launchers inside each other the inner ones come first. */
enum tp_rank_giver { TP_RANK_TORCH, TP_RANK_OPENMPI, TP_RANK_MPICH, TP_RANK_SLURM, TP_RANK_FLUX, TP_RANK_GIVERS };

/* UINT32_MAX: not given. */
struct tp_rank {
    uint32_t rank, size, local;
};

/* What that one gives. False: no rank, or no number of ranks that it is below. */
bool tp_rank_of(struct tp_rank *rank, enum tp_rank_giver giver);

/* Name of the variable with its rank. */
const char *tp_rank_variable(enum tp_rank_giver giver);

/* The first that gives rank and number of ranks; without any what RANK, WORLD_SIZE and LOCAL_RANK say one by one. */
struct tp_rank tp_rank_find(void);

#endif
