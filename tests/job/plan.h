/* Jobs that never ran: a small simulation of ranks that compute and meet in collectives, with faults planted.
 *
 * Ranks are laid out as Megatron does: tensor groups of neighbours, data groups across, pipeline stages outermost.
 * Every number follows from the seed. Time passes as it does for real ranks: who arrives late makes its group wait, and
 * who waited arrives late elsewhere. Clocks of the ranks differ by up to an hour. */
#ifndef TESTS_JOB_PLAN_H
#define TESTS_JOB_PLAN_H

#include "webreport/measure/summary.h"

enum plan_fault {
    PLAN_CLEAN,
    PLAN_SLOW_COMPUTE,
    PLAN_LATE_HOST,
    PLAN_SLOW_DATA,
    PLAN_SLOW_LINK,
    PLAN_IMBALANCE,
    PLAN_CHANGING_IMBALANCE,
    PLAN_MISSING_RANKS,
    PLAN_MORE_WORK, /* slow compute by more calls instead of longer ones */
    PLAN_FAULTS
};
extern const char *const plan_fault_names[PLAN_FAULTS];

struct plan {
    uint64_t seed;
    uint32_t ranks, tensor, pipeline, steps; /* tensor x pipeline divides ranks */
    enum plan_fault fault;
    uint32_t victims; /* ranks the fault hits; link: groups */
    uint32_t rows;    /* more rows a rank, to give summaries the size of real ones */
    double percent;   /* of the step that the fault adds, 20 when 0 */
    /* made by plan_run */
    uint32_t *victim;                        /* rank numbers, or the group's number */
    int64_t *arrival_ns, *end_ns;            /* [rank][call], each in its rank's clock */
    int64_t *step_start, *step_end;          /* [rank][step], likewise */
    int64_t *compute_ns, *host_ns, *data_ns; /* [rank][step] */
    uint32_t calls;                          /* of a rank, in all */
};

/* Chooses victims and lets the job run. All memory from `arena`. */
void plan_run(struct plan *plan, struct tp_arena *arena);
bool plan_is_victim(const struct plan *plan, uint32_t rank);
/* The summary of one rank. */
void plan_summary(const struct plan *plan, uint32_t rank, struct tp_summary *summary, struct tp_arena *arena);

#endif
