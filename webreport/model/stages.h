/* Declares the stages that build the facts of a trace, in the order in which build.c calls them. Each stage fills
 * its part of the model. */
#ifndef TP_WEBREPORT_MODEL_STAGES_H
#define TP_WEBREPORT_MODEL_STAGES_H

#include "webreport/model/facts.h"

/* Finds the parents of operators, launches and modules, thread by thread (nesting.c). */
void tp_model_build_trees(struct tp_model *model);
/* Assigns calls that start just outside their operator to this operator (early_launches.c). */
void tp_model_assign_early_calls(struct tp_model *model);
/* Returns true if a call starts outside an operator of its thread, but close enough to belong to it
 * (docs/definitions.md, section 3). around: operator around the start of the call; TP_NO_ID: none (early_launches.c).
 */
bool tp_model_is_near_operator(const struct tp_model *model, const struct tp_event *call, uint32_t op, uint32_t around);
/* Returns true if the name of a call shows that the call launches a graph (early_launches.c). */
bool tp_model_is_graph_launch(const struct tp_model *model, const struct tp_event *call);
/* Folds each operator into its parent if the parent has the same name and no other child (D7). Then computes host self
 * times (folding.c). */
void tp_model_fold_operators(struct tp_model *model);
void tp_model_compute_host_times(struct tp_model *model);
/* Finds the launch and the owner of each device operation (linking.c). */
void tp_model_link_devices(struct tp_model *model);
/* Joins the kernels of replayed graphs with the calls that captured the graphs (capture/join.c). Called only if the
 * trace has launches of graphs. */
void tp_model_join_captures(struct tp_model *model);
/* Finds the forward operator of each backward operator (forward.c). */
void tp_model_find_forwards(struct tp_model *model);
/* Computes the device times of operators. Marks operators that can use tensor cores and operators without an ancestor
 * of the same name (linking.c). */
void tp_model_compute_operator_times(struct tp_model *model);
/* Finds the main thread of the host (host_main.c). */
void tp_model_find_main_thread(struct tp_model *model);
/* Groups device operations by device, computes the intervals of each device, and finds the main device (gpus.c). */
void tp_model_group_gpus(struct tp_model *model);
/* Computes the intervals of each category of a step's time (gpus.c). */
void tp_model_find_categories(struct tp_model *model);
/* Finds the steps, their device work and the window of analysed steps (steps.c). */
void tp_model_find_steps(struct tp_model *model);
/* Finds the calls and ranges that wait for a device (idle.c). */
void tp_model_find_waits(struct tp_model *model);
/* Finds the parts of the window of analysed steps in which each device is idle, and the reason for each part (idle.c).
 */
void tp_model_find_idle(struct tp_model *model);
/* Finds the compiled regions and the source lines of their calls. Does nothing for a trace without compiled code
 * (compiled_calls.c). */
void tp_model_find_compiled_calls(struct tp_model *model);

#endif
