/* Counts host events of each kind in the analysed steps, for values per step. webreport/measure/views/kernel_view.c
 * counts the device operations. */
#ifndef TP_WEBREPORT_MODEL_STEP_COUNTS_H
#define TP_WEBREPORT_MODEL_STEP_COUNTS_H

#include "webreport/model/facts.h"

/* Counts of the host events that start within the marker interval of an analysed step. */
struct tp_step_counts {
    uint64_t operators, runtime_calls, collectives;
    uint64_t device_allocations, host_allocations;
};

/* Fills *counts from a complete model. */
void tp_step_counts_build(struct tp_step_counts *counts, const struct tp_model *model);

#endif
