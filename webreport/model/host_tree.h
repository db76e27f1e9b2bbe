/* Host tree: parents by containment per thread, and the runtime calls with what stands above them (D2.1). */
#ifndef TP_WEBREPORT_MODEL_HOST_TREE_H
#define TP_WEBREPORT_MODEL_HOST_TREE_H

#include "webreport/model/host_model.h"

/* Fills list, thread_first, parent, calls, thread_calls and bad_nesting. Needs marks and frames. */
void tp_host_tree_build(struct tp_host *host, const struct tp_order *order);

static inline bool tp_is_host_role(uint8_t role)
{
    return role == TP_KIND_OPERATOR || role == TP_KIND_ANNOTATION || role == TP_KIND_RUNTIME || role == TP_KIND_FRAME;
}

static inline bool tp_is_device_role(uint8_t role)
{
    return role == TP_KIND_KERNEL || role == TP_KIND_MEMCPY || role == TP_KIND_MEMSET;
}

#endif
