/* Checks whether the ranks of a machine use the links between its devices (rule E5; docs/definitions.md, section
 * 15). */
#ifndef TP_WEBREPORT_MEASURE_RANKS_LINK_RATE_H
#define TP_WEBREPORT_MEASURE_RANKS_LINK_RATE_H

#include "webreport/measure/ranks/distributed.h"

struct tp_link_rate {
    bool is_slow;                                /* false: there is no finding, and all other members may be unset */
    const char *collective;                      /* "all_reduce", the kind of the largest call */
    const char *device;                          /* full name */
    bool is_measured;                            /* the rate of its link is from the user's file */
    int64_t bytes;                               /* bytes of the largest call */
    double calls_per_step, rate_gb_s, link_gb_s; /* rate: on the bus, the median of the calls; link: one direction */
    double lost_us, step_us;                     /* per step, mean over the ranks; lost: time that 0.7 of the link's
                                                  * rate would gain */
    double share_percent;                        /* lost time as a share of a step */
};

/* Measures the collectives of all ranks. Requires that all ranks are present, each has one device, these are all
 * devices of one machine, and the rate of their link is known from view->peaks_file or published. arena: scratch. */
void tp_link_rate_find(struct tp_link_rate *found, const struct tp_distributed *view, struct tp_arena *arena);
/* Returns "15 calls of all_reduce per step, up to 26.2 MiB, at 40.1 GB/s on the bus: 13.4 % of the 300 GB/s ..". In
 * `arena`. */
const char *tp_link_rate_text(const struct tp_link_rate *found, struct tp_arena *arena);
/* Returns the advice for slow links. Static. */
const char *tp_link_rate_advice(void);
/* Returns the rate as a finding, with texts in `arena`. found->is_slow must be true. */
struct tp_finding tp_link_rate_finding(const struct tp_link_rate *found, struct tp_arena *arena);

#endif
