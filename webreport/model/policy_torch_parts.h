/* The stages of tp_functions_build, in this order. Internal to the functions. */
#ifndef TP_WEBREPORT_MODEL_POLICY_TORCH_PARTS_H
#define TP_WEBREPORT_MODEL_POLICY_TORCH_PARTS_H

#include "webreport/model/policy_torch.h"

/* Gives regions that were open at the end the end torch gives them: that of the innermost event of their thread which
 * was open when they began, else of the profiler's span. Items in any order. */
void tp_functions_close(struct tp_functions *functions);

/* Links device events and runtime calls to operators by External id; false when these ids are no such links (Kineto of
 * 2021 to 2024 wrote the correlation there), which tp_functions_link_by_launch mends. Items in the order of the file.
 */
bool tp_functions_link_by_id(struct tp_functions *functions);
/* Links device events to the operator around their launch. Needs the tree. */
void tp_functions_link_by_launch(struct tp_functions *functions);

/* Adds memory records to the events around them; the rest become items of their own, at the end, for which there is
 * room. Then no order. */
void tp_functions_add_memory(struct tp_functions *functions);

/* Parents and children per thread; what parents absorb; device time of children. Items sorted. */
void tp_functions_nest(struct tp_functions *functions);
void tp_functions_fold(struct tp_functions *functions);
void tp_functions_sum_devices(struct tp_functions *functions);

#endif
