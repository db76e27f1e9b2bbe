/* Makes the nodes of a tree under construction. Implements a part of time_parts.h. */
#include "webreport/measure/tree/time_parts.h"

#include "writer/base/saturate.h"

uint32_t tp_time_find_or_add_child(struct tp_time_builder *maker, uint32_t parent, struct tp_str text)
{
    uint32_t id = tp_strings_add(&maker->texts, text);
    uint32_t *child = tp_id_map_find_or_add(&maker->children, tp_id_pair(parent, id));
    if (*child == TP_NO_ID) {
        *child = (uint32_t)maker->drafts.count;
        *(struct tp_time_draft *)tp_vec_push(&maker->drafts) = (struct tp_time_draft){.parent = parent, .text = id};
    }
    return *child;
}

void tp_time_add_time(struct tp_time_builder *maker, uint32_t draft, int64_t ns)
{
    int64_t *time = &tp_time_draft(maker, draft)->time_ns;
    *time = tp_sat_add(*time, ns);
}
