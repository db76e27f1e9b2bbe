/* Implements calltree_nodes.h. */
#include "webreport/measure/charts/calltree_nodes.h"

#include "webreport/measure/charts/calltree_labels.h"
#include "writer/base/saturate.h"

enum { MAX_NODES = 1 << 18 };

/* ---- nodes ---- */

uint32_t tp_merge_add_label(struct tp_merge *merge, struct tp_str text, enum tp_call_kind kind)
{
    struct tp_label *label = tp_vec_push(&merge->labels);
    *label = (struct tp_label){.text = text, .kind = (uint8_t)kind};
    return (uint32_t)merge->labels.count - 1;
}

static uint32_t new_node(struct tp_merge *merge, uint32_t parent, uint32_t label)
{
    uint32_t node = (uint32_t)merge->nodes.count;
    struct tp_merge_node *fresh = tp_vec_push(&merge->nodes);
    *fresh = (struct tp_merge_node){.parent = parent,
                                    .label = label,
                                    .first_child = TP_NO_ID,
                                    .next_sibling = TP_NO_ID,
                                    .recent_child = TP_NO_ID,
                                    .after = TP_NO_ID};
    if (parent == TP_NO_ID)
        return node;
    struct tp_merge_node *above = tp_merge_node(merge, parent);
    fresh->depth = above->depth + 1;
    fresh->next_sibling = above->first_child;
    above->first_child = node;
    return node;
}

/* Returns the child of `parent` with this label. Most loops visit the same children in the same order. The function
 * therefore tries the last visited child and its successor before the table of edges. */
uint32_t tp_merge_find_or_add_child(struct tp_merge *merge, uint32_t parent, uint32_t label)
{
    struct tp_merge_node *above = tp_merge_node(merge, parent);
    if (above->recent_child != TP_NO_ID) {
        if (tp_merge_node(merge, above->recent_child)->label == label)
            return above->recent_child;
        uint32_t guess = tp_merge_node(merge, above->recent_child)->after;
        if (guess != TP_NO_ID && tp_merge_node(merge, guess)->label == label)
            return above->recent_child = guess;
    }
    uint32_t known = tp_keys_find(&merge->edges, (uint32_t[]){parent, label});
    if (known == TP_NO_ID) {
        if (merge->nodes.count >= MAX_NODES || above->depth >= TP_MERGE_MAX_DEPTH) {
            merge->is_cut = true;
            return parent;
        }
        known = tp_keys_pair(&merge->edges, parent, label);
        new_node(merge, parent, label);
    }
    above = tp_merge_node(merge, parent); /* new_node can move the array of nodes, so the pointer is read again */
    if (above->recent_child != TP_NO_ID)
        tp_merge_node(merge, above->recent_child)->after = known + 1;
    return above->recent_child = known + 1;
}

/* ---- labels ---- */

uint32_t tp_merge_add_frame_label(struct tp_merge *merge, struct tp_str frame)
{
    if (tp_label_is_runtime_frame(frame))
        return TP_MERGE_SKIPPED;
    uint32_t label = tp_merge_add_label(merge, tp_label_shorten_frame(merge->arena, frame), TP_CALL_FRAME);
    TP_AT(&merge->labels, struct tp_label, label)->frame = frame;
    return label;
}

uint32_t tp_merge_module_label(struct tp_merge *merge, struct tp_str name)
{
    uint32_t id = tp_strings_add(&merge->modules, tp_label_shorten_module(name));
    if (id >= merge->label_by_module.count) {
        uint32_t label = tp_merge_add_label(merge, tp_strings_get(&merge->modules, id), TP_CALL_FRAME);
        TP_AT(&merge->labels, struct tp_label, label)->is_module = true;
        *(uint32_t *)tp_vec_push(&merge->label_by_module) = label;
    }
    return *TP_AT(&merge->label_by_module, uint32_t, id);
}

/* ---- the whole tree ---- */

void tp_merge_init(struct tp_merge *merge, const struct tp_model *model, struct tp_arena *arena)
{
    *merge = (struct tp_merge){.model = model, .arena = arena};
    merge->labels = TP_VEC(arena, struct tp_label);
    merge->nodes = TP_VEC(arena, struct tp_merge_node);
    merge->label_of_frame = tp_arena_array(arena, model->trace->stacks->frames.count, sizeof(uint32_t));
    merge->label_of_name = tp_arena_array(arena, (size_t)model->trace->names.count * 2, sizeof(uint32_t));
    merge->label_by_module = TP_VEC(arena, uint32_t);
    tp_strings_init(&merge->modules, arena, 0);
    tp_keys_init(&merge->edges, arena, 2);
    new_node(merge, TP_NO_ID, tp_merge_add_label(merge, TP_STR("all calls"), TP_CALL_ROOT));
}

void tp_merge_add_sample(struct tp_merge *merge, uint32_t node, int64_t cpu_ns)
{
    for (uint32_t at = node; at != TP_NO_ID; at = tp_merge_node(merge, at)->parent) {
        struct tp_merge_node *counted = tp_merge_node(merge, at);
        counted->call_count++;
        counted->host_ns = tp_sat_add(counted->host_ns, cpu_ns);
    }
}

void tp_merge_sum_subtrees(struct tp_merge *merge)
{
    /* a child has a greater index than its parent, so this order sums children first */
    for (uint32_t i = (uint32_t)merge->nodes.count; i-- > 0;) {
        struct tp_merge_node *node = tp_merge_node(merge, i);
        if (node->child_host_ns > node->host_ns)
            node->host_ns = node->child_host_ns;
        if (node->parent == TP_NO_ID)
            continue;
        struct tp_merge_node *above = tp_merge_node(merge, node->parent);
        above->child_host_ns = tp_sat_add(above->child_host_ns, node->host_ns);
        above->device_ns = tp_sat_add(above->device_ns, node->device_ns);
        above->bytes = tp_sat_add(above->bytes, node->bytes);
    }
}
