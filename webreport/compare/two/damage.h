/* What of the runs of a side may be judged at all, by the evidence of their inputs: the broken needs, why, and which
 * ranks are not there.
 *
 * A category without any event leaves no mark in a file of its own: it is missed where the other side has it. Not so
 * where that side's head names the option and this one's does not, or lists no device: it was not recorded. Runs whose
 * evidence is not known (summaries of older versions) break nothing. */
#ifndef TP_WEBREPORT_COMPARE_TWO_DAMAGE_H
#define TP_WEBREPORT_COMPARE_TWO_DAMAGE_H

#include "webreport/measure/summary/summary.h"
#include "writer/base/number_set.h"

/* Runs to be judged, and what they are held against. */
struct tp_damage_runs {
    const struct tp_summary *runs;
    size_t count; /* 0: none */
};

/* The needs (bits of enum tp_need) that do not hold in some run, or whose events some run of `others` has and some run
 * of these lacks. */
unsigned tp_damage_broken(const struct tp_damage_runs *runs, const struct tp_damage_runs *others);

/* "the gzip is cut: what it lost is not known", with the file's name in front where there are several runs: the first
 * run in which one of `needs` is broken. "" when they hold. In `arena`. */
const char *tp_damage_reason(const struct tp_damage_runs *runs, const struct tp_damage_runs *others, unsigned needs,
                             struct tp_arena *arena);

/* Ranks of the job that none of the runs is of: those of `others`, if these are several, or, where they tell no rank,
 * all below the world size. Empty when some run has no rank. The set lives in `arena`. */
void tp_damage_missing_ranks(struct tp_rank_set *missing, const struct tp_damage_runs *runs,
                             const struct tp_damage_runs *others, struct tp_arena *arena);

/* "rank 2 of the job is missing", "ranks 2, 5-7 of the job are missing". In `arena`. */
const char *tp_damage_ranks_text(const struct tp_rank_set *missing, struct tp_arena *arena);

#endif
