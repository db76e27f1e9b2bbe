/* Finds gradient accumulation: several steps of the trace, the micro-steps, form one step of the optimizer.
 *
 * Micro-steps are unequal by design. All of them run forward and backward; one of M also updates the parameters. Rules
 * about unequal steps therefore compare a step only with steps of its kind (docs/definitions.md, section 15, rule
 * R5). */
#ifndef TP_WEBREPORT_MEASURE_VERDICT_ACCUMULATION_H
#define TP_WEBREPORT_MEASURE_VERDICT_ACCUMULATION_H

#include "webreport/model/facts.h"

struct tp_accumulation {
    uint32_t
        micro_steps_per_step; /* number of micro-steps per optimizer step, 2 or more; 0 if steps are not micro-steps */
    bool is_lower_bound;      /* true if only one update was recorded, so that micro_steps_per_step is a lower bound */
    bool *updates; /* for each step: true if the optimizer runs in the step; NULL if micro_steps_per_step is 0 */
};

/* Finds out whether the steps of a trace are micro-steps. Every analysed step must have a backward pass, and at least
 * half of the analysed steps must have no optimizer step. At least one step must keep the gradients of the previous
 * step. The result is in `arena`. */
struct tp_accumulation tp_accumulation_find(const struct tp_model *model, struct tp_arena *arena);

/* Returns 1 for a micro-step that updates the parameters, otherwise 0. */
static inline unsigned tp_accumulation_step_kind(const struct tp_accumulation *accumulation, uint32_t step)
{
    return accumulation->micro_steps_per_step && accumulation->updates[step];
}

#endif
