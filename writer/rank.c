/* Reads the environment variables of job launchers: see rank.h. The variables of torchrun are those that PyTorch itself
 * reads. */
#include "writer/rank.h"

#include <stdlib.h>

#include "writer/base/environment.h"

static const struct {
    const char *rank, *size, *local;
} variables[TP_RANK_LAUNCHERS] = {
    [TP_RANK_TORCH] = {"RANK", "WORLD_SIZE", "LOCAL_RANK"},
    [TP_RANK_OPENMPI] = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    [TP_RANK_MPICH] = {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    /* the size is that of a Slurm job step, because only srun sets SLURM_STEP_NUM_TASKS */
    [TP_RANK_SLURM] = {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"},
    [TP_RANK_FLUX] = {"FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_TASK_LOCAL_ID"},
};

static uint32_t read_number_variable(const char *variable)
{
    const char *text = tp_environment(variable);
    char *end;
    unsigned long value = text && *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : UINT32_MAX;
    return value < UINT32_MAX && *end == '\0' ? (uint32_t)value : UINT32_MAX;
}

static struct tp_rank read_launcher_variables(enum tp_rank_launcher giver)
{
    return (struct tp_rank){read_number_variable(variables[giver].rank), read_number_variable(variables[giver].size),
                            read_number_variable(variables[giver].local)};
}

const char *tp_rank_variable(enum tp_rank_launcher giver)
{
    return variables[giver].rank;
}

bool tp_rank_read(struct tp_rank *rank, enum tp_rank_launcher giver)
{
    *rank = read_launcher_variables(giver);
    return rank->size != UINT32_MAX && rank->rank < rank->size;
}

struct tp_rank tp_rank_find(void)
{
    struct tp_rank rank;
    for (int giver = 0; giver < TP_RANK_LAUNCHERS; giver++)
        if (tp_rank_read(&rank, (enum tp_rank_launcher)giver))
            return rank;
    return read_launcher_variables(TP_RANK_TORCH);
}
