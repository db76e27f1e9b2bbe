/* Checks whether the ranks of a machine use the full rate of the links between its devices (rule E5;
 * docs/definitions.md, section 15). */
#ifndef TP_WEBREPORT_MEASURE_RANKS_LINK_RATE_H
#define TP_WEBREPORT_MEASURE_RANKS_LINK_RATE_H

#include "webreport/measure/ranks/distributed.h"

struct tp_link_rate {
    bool is_slow;           /* true if there is a finding; otherwise the other members may be unset */
    const char *collective; /* kind of the collective with the largest call, such as "all_reduce" */
    const char *device;     /* full name of the device */
    bool is_measured;       /* true if the link's rate is from the user's file, false if it is published */
    int64_t bytes;          /* size of the largest call, bytes */
    /* rate_gb_s: median bus rate of the calls; link_gb_s: rate of the link in one direction; both in GB/s */
    double calls_per_step, rate_gb_s, link_gb_s;
    /* per step, mean over the ranks; lost_us: time that would be saved if calls reached 0.7 of the link's rate */
    double lost_us, step_us;
    double share_percent; /* lost_us as a percentage of a step */
};

/* Measures the collectives of all ranks. Reports a finding only if no rank is missing and the ranks use all devices of
 * one machine, one device per rank. The link's rate must be published or in view->peaks_file. arena: working memory. */
void tp_link_rate_find(struct tp_link_rate *found, const struct tp_distributed *view, struct tp_arena *arena);
/* Returns the advice for slow links. Static. */
const char *tp_link_rate_advice(void);
/* Returns the finding about the link, without details. found->is_slow must be true. */
struct tp_finding tp_link_rate_make_finding(const struct tp_link_rate *found);

#endif
