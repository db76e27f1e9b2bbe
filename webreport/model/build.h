/* Builds the facts of a trace. tp_model_build calls the stages below in this order. Each stage fills its part of the
 * facts from the parts of earlier stages and knows no other stage. */
#ifndef TP_WEBREPORT_MODEL_BUILD_H
#define TP_WEBREPORT_MODEL_BUILD_H

#include "webreport/model/facts.h"

/* Builds all facts in `arena`, whose guard must be set. `trace` and `order` must outlive the facts. */
void tp_model_build(struct tp_model *model, const struct tp_trace *trace, const struct tp_order *order,
                    struct tp_arena *arena);

/* Builds the facts up to the owners of device operations (trees and links), which is enough for policy_torch.c. */
void tp_model_build_links(struct tp_model *model, const struct tp_trace *trace, const struct tp_order *order,
                          struct tp_arena *arena);

#endif
