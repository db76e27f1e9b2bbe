/* Checks whether the ranks of a machine use the full rate of the links between its devices (rule E5;
 * docs/definitions.md, section 15). */
#ifndef TP_WEBREPORT_MEASURE_RANKS_LINK_RATE_H
#define TP_WEBREPORT_MEASURE_RANKS_LINK_RATE_H

#include "webreport/measure/ranks/distributed.h"

struct tp_link_rate {
    bool is_slow;           /* false: there is no finding, and the other members may be unset */
    const char *collective; /* kind of the largest call, such as "all_reduce" */
    const char *device;     /* full name of the device */
    bool is_measured;       /* the rate of the link is from the user's file */
    int64_t bytes;          /* bytes of the largest call */
    /* rate_gb_s: median bus rate of the calls; link_gb_s: rate of the link in one direction */
    double calls_per_step, rate_gb_s, link_gb_s;
    /* per step, mean over the ranks; lost_us: time saved if calls reached 0.7 of the link's rate */
    double lost_us, step_us;
    double share_percent; /* lost_us as a percentage of a step */
};

/* Measures the collectives of all ranks. Finds nothing unless all ranks are present, each rank has one device, these
 * are all devices of one machine, and the rate of their link is published or in view->peaks_file. arena: scratch. */
void tp_link_rate_find(struct tp_link_rate *found, const struct tp_distributed *view, struct tp_arena *arena);
/* Returns the advice for slow links. Static. */
const char *tp_link_rate_advice(void);
/* Returns the rate as a finding without its detail. found->is_slow must be true. */
struct tp_finding tp_link_rate_finding(const struct tp_link_rate *found);

#endif
