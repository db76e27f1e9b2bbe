/* How the facts are made: tp_model_build calls the stages below in this order; each fills its part of the facts, reads
 * those before it, and knows no other stage. */
#ifndef TP_WEBREPORT_MODEL_BUILD_H
#define TP_WEBREPORT_MODEL_BUILD_H

#include "webreport/model/facts.h"

/* Builds the facts in `arena` (guard set by the caller). trace and order must outlive them. */
void tp_model_build(struct tp_model *model, const struct tp_trace *trace, const struct tp_order *order,
                    struct tp_arena *arena);

/* The facts up to the owners of device operations, for who needs no more (policy_torch.c): trees and links. */
void tp_model_build_links(struct tp_model *model, const struct tp_trace *trace, const struct tp_order *order,
                          struct tp_arena *arena);

/* ---- stages ---- */

/* Operators, launches and modules: who contains whom, per thread (nesting.c). */
void tp_model_nest(struct tp_model *model);
/* Joins calls that begin just before their operator with it (early_launches.c). */
void tp_model_join_early_calls(struct tp_model *model);
/* Operators that absorb their only, equally named child (D7), then host self times (folding.c). */
void tp_model_fold(struct tp_model *model);
void tp_model_host_times(struct tp_model *model);
/* Device events and the operators that own them (linking.c). */
void tp_model_link_devices(struct tp_model *model);
/* Device time of operators, eligibility, outermost marks (linking.c). */
void tp_model_operator_numbers(struct tp_model *model);
/* The host's main thread (host_main.c). */
void tp_model_find_main(struct tp_model *model);
/* Groups device events by device, and what each device does; the main device (gpus.c). */
void tp_model_group_gpus(struct tp_model *model);
/* Unions of each category (gpus.c). */
void tp_model_find_roles(struct tp_model *model);
/* Steps, their device work, and the window W (steps.c). */
void tp_model_find_steps(struct tp_model *model);
/* Calls that wait for the device (idle.c). */
void tp_model_find_waits(struct tp_model *model);
/* What each device waits for while it is idle within W (idle.c). */
void tp_model_find_idle(struct tp_model *model);

#endif
