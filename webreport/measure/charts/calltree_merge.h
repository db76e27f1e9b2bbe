/* Builds the call tree before pruning: walks over the trace add nodes (calltree_nodes.h). Private to the call tree
 * view. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_CALLTREE_MERGE_H
#define TP_WEBREPORT_MEASURE_CHARTS_CALLTREE_MERGE_H

#include "webreport/measure/charts/calltree_nodes.h"
#include "webreport/measure/program/program_view.h"

/* label of the node that contains the marked steps, for all kinds of programs */
#define TP_MERGE_STEP "profiled step"

/* Initializes the merge and adds the samples of all threads (calltree_samples.c). */
void tp_merge_add_samples(struct tp_merge *merge, const struct tp_model *model, struct tp_arena *arena);

/* Adds the samples of a program recorded by `record --outside` to an initialized merge (calltree_program.c). A function
 * that calls itself directly gets one node. node_of_sample: NULL, or an array that receives the node of each sample's
 * innermost function. Returns the largest number of functions in a stack. */
uint32_t tp_merge_add_program(struct tp_merge *merge, const struct tp_program_view *view, uint32_t *node_of_sample,
                              struct tp_arena *arena);

/* Initializes the merge and adds host events, memory records and device operations of the model. */
void tp_merge_build(struct tp_merge *merge, const struct tp_model *model, struct tp_arena *arena);

#endif
