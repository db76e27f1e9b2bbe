/* Builds the facts of a trace. tp_model_build calls the stages (stages.h) in their order. Each stage fills its part of
 * the facts from the parts that earlier stages filled. No stage calls another stage. */
#ifndef TP_WEBREPORT_MODEL_BUILD_H
#define TP_WEBREPORT_MODEL_BUILD_H

#include "webreport/model/facts.h"

/* Builds all facts of a trace in `arena`, whose guard must be set. `trace` and `order` must outlive the facts. */
void tp_model_build(struct tp_model *model, const struct tp_trace *trace, const struct tp_order *order,
                    struct tp_arena *arena);

/* Builds only the trees, the links and the owners of device operations. policy_torch.c needs only these facts. */
void tp_model_build_links(struct tp_model *model, const struct tp_trace *trace, const struct tp_order *order,
                          struct tp_arena *arena);

#endif
