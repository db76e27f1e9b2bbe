/* Implements graph_add.h. */
#include "webreport/what_if/graph_add.h"

uint32_t tp_graph_add_node(struct tp_graph_build *build, enum tp_node_kind kind, int64_t start, int64_t end,
                           uint32_t event)
{
    *(struct tp_replay_node *)tp_vec_push(&build->nodes) =
        (struct tp_replay_node){.start_ns = start,
                                .end_ns = end,
                                .event = event,
                                .first_part = (uint32_t)build->parts.count,
                                .kind = (uint8_t)kind};
    return (uint32_t)build->nodes.count - 1;
}

void tp_graph_add_edge(struct tp_graph_build *build, uint32_t target, struct tp_replay_edge edge)
{
    *(struct tp_draft_edge *)tp_vec_push(&build->drafts) = (struct tp_draft_edge){edge, target};
}

void tp_graph_add_part(struct tp_graph_build *build, uint32_t label, int64_t ns)
{
    bool is_long = ns >= UINT32_MAX;
    if (is_long) {
        *tp_id_map_find_or_add(&build->graph->long_parts, build->parts.count) = (uint32_t)build->long_ns.count;
        *(int64_t *)tp_vec_push(&build->long_ns) = ns;
    }
    *(struct tp_replay_part *)tp_vec_push(&build->parts) =
        (struct tp_replay_part){label, is_long ? UINT32_MAX : (uint32_t)ns};
}

uint32_t tp_graph_add_label(struct tp_graph_build *build, enum tp_path_kind kind, struct tp_str name)
{
    *(struct tp_replay_label *)tp_vec_push(&build->labels) = (struct tp_replay_label){name, 0, (uint8_t)kind};
    return (uint32_t)build->labels.count - 1;
}

uint32_t tp_graph_label_of_name(struct tp_graph_build *build, enum tp_path_kind kind, uint32_t name)
{
    uint32_t last = build->last_label[name]; /* most names have only one kind */
    if (last < build->labels.count && TP_AT(&build->labels, struct tp_replay_label, last)->kind == kind)
        return last;
    uint32_t *label = tp_id_map_find_or_add(&build->label_of_name[kind], name);
    if (*label == TP_NO_ID)
        *label = tp_graph_add_label(build, kind, tp_strings_get(&build->model->trace->names, name));
    return build->last_label[name] = *label;
}
