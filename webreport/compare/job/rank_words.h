/* Writes sentences for the findings about the ranks of a run. */
#ifndef TP_WEBREPORT_COMPARE_JOB_RANK_WORDS_H
#define TP_WEBREPORT_COMPARE_JOB_RANK_WORDS_H

#include "webreport/measure/ranks/link_rate.h"

/* Returns a sentence such as "rank1 arrives last in 4 of 4 steps; the others wait for it 181.8 ms of a step of 249.1
 * ms". The text is in `arena`. */
const char *tp_straggler_text(const struct tp_straggler *found, struct tp_str worker, struct tp_arena *arena);

/* Returns a sentence such as "15 calls of all_reduce per step, up to 26.2 MiB, at 40.1 GB/s on the bus: 13.4 % of
 * the 300 GB/s ..". The text is in `arena`. */
const char *tp_link_rate_text(const struct tp_link_rate *found, struct tp_arena *arena);

#endif
