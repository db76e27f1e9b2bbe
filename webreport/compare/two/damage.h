/* Decides which verdicts the inputs of a side allow: the needs that damage breaks, why, and which ranks are missing.
 * A file does not show that all events of a category were lost. The category counts as lost if the other side has it,
 * unless the heads show that this side did not record it (only the other head names the option, or this head lists no
 * device). Runs without evidence (summaries of older versions) break nothing. */
#ifndef TP_WEBREPORT_COMPARE_TWO_DAMAGE_H
#define TP_WEBREPORT_COMPARE_TWO_DAMAGE_H

#include "webreport/measure/summary/summary.h"
#include "writer/base/number_set.h"

/* The runs of one side. */
struct tp_damage_runs {
    const struct tp_summary *runs;
    size_t count; /* 0 without runs */
};

/* Returns the broken needs (bits of enum tp_need): needs that some run breaks, or whose events some run of `others` has
 * and some run of `runs` lacks. */
unsigned tp_damage_broken(const struct tp_damage_runs *runs, const struct tp_damage_runs *others);

/* Returns the reason of the first run that breaks one of `needs`, in `arena`: "the gzip is cut: what it lost is not
 * known", with the file's name in front if there are several runs. "" if no run breaks them. */
const char *tp_damage_reason(const struct tp_damage_runs *runs, const struct tp_damage_runs *others, unsigned needs,
                             struct tp_arena *arena);

/* Fills `missing` with the ranks of the job without a run: the ranks of `others` if these have several, else all ranks
 * below the world size. Empty if some run has no rank. The set is in `arena`. */
void tp_damage_missing_ranks(struct tp_rank_set *missing, const struct tp_damage_runs *runs,
                             const struct tp_damage_runs *others, struct tp_arena *arena);

/* Returns "rank 2 of the job is missing" or "ranks 2, 5-7 of the job are missing", in `arena`. */
const char *tp_damage_ranks_text(const struct tp_rank_set *missing, struct tp_arena *arena);

#endif
