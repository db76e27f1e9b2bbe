/* Decides which verdicts the inputs of a side allow. Finds the lost events that metrics need, the reason for the loss,
 * and the missing ranks.
 *
 * A file does not show whether all events of a category were lost. A category that only the other side has is treated
 * as lost. There are two exceptions: only the metadata of the other side names the option of the category, or the
 * metadata of this side lists no device. Runs without evidence (summaries of older versions) are treated as
 * complete. */
#ifndef TP_WEBREPORT_COMPARE_TWO_DAMAGE_H
#define TP_WEBREPORT_COMPARE_TWO_DAMAGE_H

#include "webreport/measure/summary/summary.h"
#include "writer/base/number_set.h"

/* The runs of one side of a comparison. */
struct tp_damage_runs {
    const struct tp_summary *runs;
    size_t count; /* number of runs; 0 is allowed */
    /* kinds of data that may be missing on one side, as bits of enum tp_unknown (left_out.h); 0 for none */
    uint32_t left_out;
};

/* Returns the unmet needs of metrics, as bits of enum tp_need. A run does not meet a need if it lost the needed events.
 * A category is also lost if a run of `others` has it and a run of `runs` lacks it. */
unsigned tp_damage_unmet_needs(const struct tp_damage_runs *runs, const struct tp_damage_runs *others);

/* Returns the reason why one of `needs` is unmet, such as "the file is cut, ..", in `arena`. The
 * reason is from the first run that does not meet a need. With several runs, the file name precedes the reason. Returns
 * "" if all runs meet all needs. *is_data_unknown: set to true if nothing is damaged, but the input cannot show data
 * that the other side shows; unchanged otherwise. */
const char *tp_damage_reason(const struct tp_damage_runs *runs, const struct tp_damage_runs *others, unsigned needs,
                             bool *is_data_unknown, struct tp_arena *arena);

/* Returns the kinds of data that runs of one side show, and no run of the other side, as bits of enum tp_unknown. */
uint32_t tp_damage_data_of_one_side(const struct tp_damage_runs *runs, const struct tp_damage_runs *others);

/* Fills `missing`, in `arena`, with the ranks of the job that no run has. If the runs of `others` have several ranks,
 * these are the ranks of the job; otherwise the job has all ranks below the world size. The set is empty if a run has
 * no rank. */
void tp_damage_missing_ranks(struct tp_rank_set *missing, const struct tp_damage_runs *runs,
                             const struct tp_damage_runs *others, struct tp_arena *arena);

/* Returns the missing ranks as text, such as "rank 2 of the job is missing" or "ranks 2, 5-7 of the job are
 * missing". The text is in `arena`. */
const char *tp_damage_ranks_text(const struct tp_rank_set *missing, struct tp_arena *arena);

#endif
