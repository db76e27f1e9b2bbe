/* Whether the ranks of a machine use what links them (rule E5; docs/definitions.md, section 15). */
#ifndef TP_WEBREPORT_MEASURE_RANKS_LINK_RATE_H
#define TP_WEBREPORT_MEASURE_RANKS_LINK_RATE_H

#include "webreport/measure/ranks/distributed.h"

struct tp_link_rate {
    bool is_slow;                                /* false: nothing is said, and the rest is not set */
    const char *collective;                      /* "all_reduce", the kind with most bytes */
    const char *device;                          /* its name in full */
    bool is_measured;                            /* its link is of a user's file */
    int64_t bytes;                               /* of the largest call */
    double calls_per_step, rate_gb_s, link_gb_s; /* rate: on the bus, the median of the calls; link: one direction */
    double lost_us, step_us;                     /* per step, mean of the ranks: what 0.7 of the link would gain */
    double share_percent;                        /* of a step */
};

/* Looks at the collectives of all ranks, when all of them are here and have a device each of one machine, all that it
 * has, whose link is known: from view->peaks_file or published. arena: scratch. */
void tp_link_rate_find(struct tp_link_rate *found, const struct tp_distributed *view, struct tp_arena *arena);
/* "15 calls of all_reduce per step, up to 26.2 MiB, at 40.1 GB/s on the bus: 13.4 % of the 300 GB/s ..". In `arena`. */
const char *tp_link_rate_text(const struct tp_link_rate *found, struct tp_arena *arena);
/* What to do about it. Static. */
const char *tp_link_rate_advice(void);
/* Returns it as a finding, with texts in `arena`. found->is_slow is true. */
struct tp_finding tp_link_rate_finding(const struct tp_link_rate *found, struct tp_arena *arena);

#endif
