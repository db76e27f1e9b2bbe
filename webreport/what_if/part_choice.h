/* Chooses the steps that a report replays if a trace has too many activities (docs/definitions.md, section "What if",
 * "Parts of a trace"). */
#ifndef TP_WEBREPORT_WHAT_IF_PART_CHOICE_H
#define TP_WEBREPORT_WHAT_IF_PART_CHOICE_H

#include "webreport/model/facts.h"

/* Some consecutive steps: indexes in model->steps. */
struct tp_chosen_steps {
    uint32_t first, last;
};

/* Returns the number of activities of a trace: device operations, and two for each call that launched some. */
uint64_t tp_replay_activities(const struct tp_model *model);

/* Chooses steps around the analysed step of median length that have at most a quarter of `most` activities together, or
 * otherwise this step and the one before it. Returns false if these have more than `most` activities, or if the trace
 * has no steps. Temporary memory comes from `arena`, whose guard must be set. */
bool tp_replay_choose_steps(struct tp_chosen_steps *chosen, const struct tp_model *model, uint64_t most,
                            struct tp_arena *arena);

#endif
