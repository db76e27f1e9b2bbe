/* Decides which verdicts the inputs of a side allow: which needs of metrics damage breaks, why, and which ranks are
 * missing.
 *
 * A file does not show that all events of a category were lost. The category counts as lost if the other side has it.
 * Exceptions: only the head of the other side names the option of the category, or the head of this side lists no
 * device. Runs without evidence (summaries of older versions) break no needs. */
#ifndef TP_WEBREPORT_COMPARE_TWO_DAMAGE_H
#define TP_WEBREPORT_COMPARE_TWO_DAMAGE_H

#include "webreport/measure/summary/summary.h"
#include "writer/base/number_set.h"

/* The runs of one side of a comparison. */
struct tp_damage_runs {
    const struct tp_summary *runs;
    size_t count; /* may be 0 */
};

/* Returns the broken needs, as bits of enum tp_need. A run breaks a need if its events were lost. A category that some
 * run of `others` has and some run of `runs` lacks is also lost. */
unsigned tp_damage_broken_needs(const struct tp_damage_runs *runs, const struct tp_damage_runs *others);

/* Returns the reason why one of `needs` is broken, from the first run that breaks it, in `arena`: "the gzip is cut:
 * what it lost is not known". With several runs, the name of the file comes first. Returns "" if no run breaks them. */
const char *tp_damage_reason(const struct tp_damage_runs *runs, const struct tp_damage_runs *others, unsigned needs,
                             struct tp_arena *arena);

/* Fills `missing` with the ranks of the job that no run has, in `arena`. If `others` have several ranks, the job has
 * their ranks; else it has all ranks below the world size. The set is empty if some run has no rank. */
void tp_damage_missing_ranks(struct tp_rank_set *missing, const struct tp_damage_runs *runs,
                             const struct tp_damage_runs *others, struct tp_arena *arena);

/* Returns the missing ranks as text, in `arena`: "rank 2 of the job is missing", "ranks 2, 5-7 of the job are missing".
 */
const char *tp_damage_ranks_text(const struct tp_rank_set *missing, struct tp_arena *arena);

#endif
