/* Writes sentences for the findings about the ranks of a run. */
#ifndef TP_WEBREPORT_COMPARE_JOB_RANK_WORDS_H
#define TP_WEBREPORT_COMPARE_JOB_RANK_WORDS_H

#include "webreport/measure/ranks/link_rate.h"

/* Returns a sentence such as "rank1 arrives last in 4 of 4 steps. The other ranks wait 181.8 ms of each 249.1 ms step
 * for this rank". The text is in `arena`. */
const char *tp_straggler_text(const struct tp_straggler *found, struct tp_str worker, struct tp_arena *arena);

/* Returns a sentence such as "Each step has 15 large collectives of up to 26.2 MiB (largest: all_reduce). The median
 * rate on the bus is 40.1 GB/s, 13.4 % of the 300 GB/s ..". The text is in `arena`. */
const char *tp_link_rate_text(const struct tp_link_rate *found, struct tp_arena *arena);

#endif
