/* Simulates jobs: ranks compute and meet in collectives, and a planted fault slows some of them.
 *
 * Ranks are numbered as in Megatron: tensor groups of neighbors, data groups across, pipeline stages outermost. The
 * seed determines every number. Time passes as it does for real ranks: a rank that arrives late makes its group wait,
 * and a rank that waited arrives late at its next group. Clocks of the ranks differ by up to two hours. */
#ifndef TESTS_JOB_PLAN_H
#define TESTS_JOB_PLAN_H

#include "webreport/measure/summary/summary.h"

enum plan_fault {
    PLAN_CLEAN,
    PLAN_SLOW_COMPUTE,
    PLAN_LATE_HOST,
    PLAN_SLOW_DATA,
    PLAN_SLOW_LINK,
    PLAN_IMBALANCE,
    PLAN_CHANGING_IMBALANCE,
    PLAN_MISSING_RANKS,
    PLAN_MORE_WORK, /* a rank computes longer because it makes more calls, not because calls take longer */
    /* no fault; from this value on, stages have equal work, groups have descriptions, and hosts have names */
    PLAN_EVEN,
    PLAN_SLOW_HOST,  /* all ranks of a host compute more slowly */
    PLAN_HOST_INPUT, /* all ranks of a host wait for input */
    PLAN_STAGE,      /* the last stage has more work */
    PLAN_HALF,       /* half of the ranks compute more slowly */
    PLAN_LATE_SLOW,  /* a rank computes more slowly from the middle step on */
    PLAN_MOVING,     /* slow kernels on single ranks in single steps */
    PLAN_PAUSES,     /* the host pauses on single ranks in single steps */
    PLAN_SEQUENCE,   /* the length of each replica's batch differs from step to step */
    PLAN_HOST_LINK,  /* data groups with ranks on one host are slow */
    PLAN_ALL_LINKS,  /* all data groups are slow */
    PLAN_FAULTS
};
extern const char *const plan_fault_names[PLAN_FAULTS];

struct plan {
    uint64_t seed;
    /* counts of ranks, ranks per tensor group, pipeline stages, steps; tensor * pipeline must divide ranks */
    uint32_t ranks, tensor, pipeline, steps;
    enum plan_fault fault;
    uint32_t victims; /* number of ranks with the fault, or of groups for a slow link */
    uint32_t rows;    /* number of additional rows per rank, so that summaries have a realistic size */
    double percent;   /* time that the fault adds, percent of the step; 0 means 20 */
    /* members from here on are results of plan_simulate */
    bool is_even;
    int64_t added_without_fault_ns;          /* work added to all ranks in the run without the fault, ns */
    uint32_t *victim;                        /* numbers of the affected ranks, or of the affected data groups */
    int64_t *arrival_ns, *end_ns;            /* times by [rank][call], on the clock of the rank, ns */
    int64_t *step_start, *step_end;          /* times by [rank][step], on the clock of the rank, ns */
    int64_t *compute_ns, *host_ns, *data_ns; /* times of compute, host and input by [rank][step], ns */
    uint32_t calls;                          /* number of calls per rank */
    double loss_percent;                     /* cost of the fault relative to a run without it, percent */
};

/* Chooses the victims and simulates the job. All memory comes from `arena`. */
void plan_simulate(struct plan *plan, struct tp_arena *arena);
bool plan_is_victim(const struct plan *plan, uint32_t rank);
/* Fills the step slots of the rank (plan_slots.c). */
void plan_slots(const struct plan *plan, uint32_t rank, struct tp_step_slots *slots, struct tp_arena *arena);

/* ---- declarations that plan.c and plan_slots.c share ---- */

enum plan_kind { PLAN_TENSOR, PLAN_DATA, PLAN_WORLD };
enum { PLAN_SEGMENTS = 3, PLAN_BUCKETS = 2, PLAN_CALLS = PLAN_SEGMENTS + PLAN_BUCKETS + 1, PLAN_HOST_RANKS = 8 };
/* Returns the kind of a call of a step. PLAN_SEGMENTS calls are in the tensor group, PLAN_BUCKETS calls in the data
 * group, and one call has all ranks. */
enum plan_kind plan_call_kind(uint32_t call);
int64_t plan_call_bytes(uint32_t call);
uint32_t plan_rank_group(const struct plan *plan, enum plan_kind kind, uint32_t rank);
uint32_t plan_group_size(const struct plan *plan, enum plan_kind kind);

/* Fills the summary of one rank. */
void plan_fill_summary(const struct plan *plan, uint32_t rank, struct tp_summary *summary, struct tp_arena *arena);

#endif
